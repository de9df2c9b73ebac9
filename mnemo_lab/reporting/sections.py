"""The sections of a report that hold results, in the order of reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.answers import answers_sections
from mnemo_lab.reporting.by_age import by_age
from mnemo_lab.reporting.compare import compare
from mnemo_lab.reporting.document import Block, Cases, Section, Text
from mnemo_lab.reporting.figures import Drawn
from mnemo_lab.reporting.leaderboard import latency
from mnemo_lab.reporting.main_table import answer_table, recall_table, split_table
from mnemo_lab.reporting.selection import contenders, headline_rows, is_reference, present
from mnemo_lab.reporting.summary import DOLLARS, METRIC, summarise
from mnemo_lab.reporting.tables import Cell, Row, Table
from mnemo_lab.reporting.verdict import Verdict
from mnemo_lab.reporting.worst import worst

if TYPE_CHECKING:
    import polars as pl

WIDEST: Final = 8
"""Number columns of a table before it goes on in a second one: more are cut off in print."""
NOTHING: Final = Text("Nothing to show: evidence recall is not defined for any question here.")

GROUPS: Final = (
    "n: questions. Exploratory: no correction for looking at several groups. No interval where fewer than six "
    "recordings have such questions, or where all of them agree."
)

WRITING: Final = (
    "To write: tokens that models (embedders included) read and wrote to build the memory up to the question, shared "
    "among the recording's questions, at the primary budget; budgets apart are in leaderboard.csv."
)

PAID: Final = (
    "To write: shared among the recording's questions; to read: the question's own. Prices by the model table, a dash "
    "where it has none; the answer itself is not in it. Strategies that are not named paid nothing."
)

Figures = dict[str, Drawn]


def results(run: Run, found: Verdict, figures: Figures) -> list[Section]:
    return [
        Section("answer", "The answer", (Text(found.detail, found.headline),)),
        Section("main", "Strategies by budget", _main_tables(run)),
        _pictures(figures),
        _pairs(run, figures),
        _by_category(run, figures),
        _by_language(run),
        _by_age(run, figures),
        _costs(run),
        *answers_sections(run),
        _worst(run, found.winner),
    ]


def _main_tables(run: Run) -> tuple[Table, ...]:
    tables = (recall_table(run), answer_table(run), split_table(run))
    return tuple(part for table in tables if table is not None for part in split(table))


def _pictures(figures: Figures) -> Section:
    shown = [figures[name] for name in ("recall_over_budget", "pareto", "by_recording") if name in figures]
    return Section("figures", "Pictures", tuple(shown) or (NOTHING,))


def _pairs(run: Run, figures: Figures) -> Section:
    found = compare(run)
    return Section("pairs", f"Against {found.baseline}", (*_figure(figures, "pairs"), *split(found.table(), 12)))


def _figure(figures: Figures, name: str) -> tuple[Block, ...]:
    return (figures[name],) if name in figures else ()


def _primary(run: Run) -> pl.DataFrame:
    import polars as pl

    return headline_rows(run).filter(pl.col("budget_tokens") == run.grid.primary)


def _by_category(run: Run, figures: Figures) -> Section:
    rows = _primary(run)
    categories = sorted(rows["category"].unique().to_list())
    found = summarise(rows, ["category", "strategy"])
    table = _grid(run, found, "category", [(c, c) for c in categories], "category")
    return Section(
        "category", "By category", (*_figure(figures, "by_category"), *split(table)) if categories else (NOTHING,)
    )


def _by_language(run: Run) -> Section:
    rows = _primary(run)
    languages = sorted(rows["language"].unique().to_list())
    if len(languages) < 2:
        only = f"All questions are in one language ({languages[0]})." if languages else NOTHING.text
        return Section("language", "By language", (Text(only),))
    found = summarise(rows, ["language", "strategy"])
    table = _grid(run, found, "language", [(name, name) for name in languages], "language")
    return Section("language", "By language", split(table))


def _by_age(run: Run, figures: Figures) -> Section:
    names, found = by_age(run)
    if not names:
        return Section("age", "By age of the evidence", (NOTHING,))
    table = _grid(run, found, "bin", list(enumerate(names)), "tokens said since")
    return Section("age", "By age of the evidence", (*_figure(figures, "by_age"), *split(table)))


def _grid(run: Run, found: pl.DataFrame, by: str, keys: Sequence[tuple[object, str]], head: str) -> Table:
    """Groups down, strategies that compete across, at the primary budget; the best of each row stands out."""
    labels = contenders(run, found)
    cells = {(r[by], r["strategy"]): r for r in found.iter_rows(named=True)}
    rows = []
    for key, name in keys:
        line = [cells.get((key, label)) for label in labels]
        best = max(map(_value, line), default=-1.0)
        most = max((r["n"] for r in line if r), default=0)
        shown = [_share(r, _value(r) == best) for r in line]
        rows.append(Row.of(name, f"{most:,}", *shown))
    caption = f"Evidence recall at {run.grid.primary:,} tokens"
    return Table((head, "n", *labels), tuple(rows), caption, GROUPS)


def _value(found: dict[str, Any] | None) -> float:
    return -1.0 if found is None or found[METRIC] is None else float(found[METRIC])


def _share(found: dict[str, Any] | None, best: bool) -> Cell:
    if found is None or found[METRIC] is None:
        return Cell(say.NONE)
    return Cell(say.share(found[METRIC]), say.interval(found["lo"], found["hi"]), best)


def _costs(run: Run) -> Section:
    rows = headline_rows(run)
    found = summarise(rows, ["strategy", "budget_tokens"])
    sent = _with_write(
        _cost_table(run, found, "context_tokens", "Tokens sent per question, by budget", say.tokens), run, found
    )
    return Section("costs", "What it costs", (*split(sent), *_paid(run, found), *_times(run)))


def _paid(run: Run, found: pl.DataFrame) -> tuple[Table, ...]:
    """What language models were paid at the primary budget; nothing where none was."""
    import polars as pl

    here = found.filter(pl.col("budget_tokens") == run.grid.primary)
    rows = tuple(
        Row.of(row["strategy"], *(say.dollars(row[name]) for name in DOLLARS))
        for row in here.iter_rows(named=True)
        if any(row[name] is None or row[name] > 0 for name in DOLLARS)
    )
    caption = f"US dollars for language models per question, at {run.grid.primary:,} tokens"
    return (Table(("strategy", "to write", "to read"), rows, caption, PAID),) if rows else ()


def _times(run: Run) -> tuple[Block, ...]:
    from statistics import median

    times = latency(run)
    if not times.height:
        return (Text("Not timed: milliseconds come from a separate pass (--timed) alone."),)
    caption = "Recall in milliseconds, median over questions and recordings, by budget"
    table = _cost_table(run, times, "recall_ms_p50", caption, say.milliseconds, "recall_ms_p95", "p95 ")
    apart = [row["query_embedding_ms"] for row in run.store.read_timings() if row.get("query_embedding_ms") is not None]
    note = f" Embedding the question comes on top: {say.milliseconds(median(apart))} ms (median)." if apart else ""
    return (
        *split(table),
        Text(f"From a pass of its own: uncached, warmed up, repeated, strategies taking turns.{note}"),
    )


def _with_write(table: Table, run: Run, found: pl.DataFrame) -> Table:
    """The table with a last column: what building the memory costs, at the primary budget."""
    import polars as pl

    written = dict(
        found.filter(pl.col("budget_tokens") == run.grid.primary).select("strategy", "write_tokens").iter_rows()
    )
    rows = tuple(
        Row((*row.cells, Cell(say.tokens(written.get(row.cells[0].text)))), row.reference) for row in table.rows
    )
    return Table((*table.columns, "to write"), rows, table.caption, WRITING)


def _cost_table(
    run: Run, found: pl.DataFrame, column: str, caption: str, show: Any, small: str = "", mark: str = ""
) -> Table:
    values = {(r["strategy"], r["budget_tokens"]): r for r in found.iter_rows(named=True)}
    rows = []
    for label in present(run, found):
        line = [values.get((label, budget)) for budget in run.grid.budgets]
        cells = [
            Cell(show(r[column]), f"{mark}{show(r[small])}" if small else "") if r else Cell(say.NONE) for r in line
        ]
        rows.append(Row.of(label, *cells, reference=is_reference(label)))
    return Table(("strategy", *(f"{b:,}" for b in run.grid.budgets)), tuple(rows), caption)


def _worst(run: Run, winner: str | None) -> Section:
    found = worst(run, winner)
    title = "Worst questions"
    if found.strategy is None:
        return Section("worst", title, (Text("No strategy to look at: see the answer above."),))
    head = (
        f"{found.strategy} keeps less than all of the evidence at {found.budget:,} tokens for {found.lost:,} of "
        f"{say.count(found.asked, 'question')} whose evidence alone would fit."
    )
    if len(found.cases) < found.lost:
        head += f" {len(found.cases)} of them, over the categories:"
    blocks: list[Block] = [Text(head)]
    if found.cases:
        blocks.append(Cases(found.cases, any(case.retrieved for case in found.cases)))
    if found.hopeless:
        blocks.append(Text(f"No strategy keeps any evidence for {say.count(found.hopeless, 'question')}:"))
        blocks.append(_hopeless(found.hopeless_cases))
    else:
        blocks.append(Text("There is no question for which every strategy keeps nothing."))
    return Section("worst", title, tuple(blocks))


def _hopeless(cases: Sequence[Any]) -> Table:
    rows = tuple(
        Row.of(c.category, c.recording, say.shorten(c.question, 160), say.shorten(c.answer, 80)) for c in cases
    )
    return Table(("category", "recording", "question", "answer"), rows, texts=4)


def split(table: Table, widest: int = WIDEST) -> tuple[Table, ...]:
    """Parts of a wide table with the first column repeated; caption on the first, note below the last."""
    total = len(table.columns)
    if total - 1 <= widest:
        return (table,)
    count = -(-(total - 1) // widest)
    widest = -(-(total - 1) // count)
    starts = list(range(1, total, widest))
    parts = []
    for start in starts:
        part = slice(start, start + widest)
        rows = tuple(Row((r.cells[0], *r.cells[part]), r.reference) for r in table.rows)
        note = table.note if start == starts[-1] else ""
        caption = table.caption if start == 1 else f"{table.caption} (continued)"
        parts.append(Table((table.columns[0], *table.columns[part]), rows, caption, note, table.texts))
    return tuple(parts)
