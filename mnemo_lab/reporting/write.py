"""Writes a report into a folder: rows, leaderboard, figures, Markdown and one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.document import Document, kind_of
from mnemo_lab.reporting.figures import draw_all
from mnemo_lab.reporting.leaderboard import leaderboard, write_leaderboard
from mnemo_lab.reporting.markdown import to_md
from mnemo_lab.reporting.provenance import what_was_run
from mnemo_lab.reporting.sections import Figures, results
from mnemo_lab.reporting.selection import headline_split, refuse_fitted, scope_sentence
from mnemo_lab.reporting.tables import to_html
from mnemo_lab.reporting.verdict import verdict

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATE: Final = "report.html.jinja"
QUESTION: Final = (
    "With so many tokens of context, which way of choosing them keeps what matters, and what does it cost?"
)


def write_report(run: Run, folder: Path) -> Path:
    """Write ``rows.parquet``, ``leaderboard.csv``, ``figures/``, ``report.md`` and ``report.html``.

    Returns the path of ``report.html``. Raises ``InvalidInput`` where the folder cannot be written, or a strategy
    was fitted on what the report would be about.
    """
    refuse_fitted(run, headline_split(run))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        run.rows.write_parquet(folder / "rows.parquet")
        write_leaderboard(leaderboard(run), folder / "leaderboard.csv")
        document = compose(run, draw_all(run, folder))
        (folder / "report.md").write_text(to_md(document), encoding="utf-8")
        page = folder / "report.html"
        page.write_text(render(document), encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"cannot write the report into {folder}: {error.strerror or error}; choose another folder"
        ) from None
    return page


def compose(run: Run, figures: Figures) -> Document:
    """The report as data."""
    sections = [*results(run, verdict(run), figures), what_was_run(run)]
    title = run.grid.title or f"Keeping what matters: {run.dataset.name}"
    return Document(title, run.grid.question or QUESTION, scope_sentence(run), tuple(sections))


def render(document: Document) -> str:
    """The page; every text of the data is escaped, only figures and tables come as markup."""
    return _environment().get_template(TEMPLATE).render(document=document)


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("mnemo_lab.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["kind"] = kind_of
    environment.filters["table"] = lambda table: Markup(to_html(table, captioned=False))
    environment.filters["drawing"] = lambda drawn: Markup(drawn.svg)
    return environment
