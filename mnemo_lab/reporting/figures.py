"""The figures of a report: what there is, drawn once per label style and saved as PNG and SVG."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting import charts, charts_detail
from mnemo_lab.reporting.fonts import LATIN, Names, chinese_family, families
from mnemo_lab.reporting.style import DPI, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER: Final = "figures"
STACK: Final = (
    "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
)

Draw = Callable[[Run, Names], "Figure | None"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure's file name, what it shows, how to read it, and the function that draws it."""

    name: str
    title: str
    caption: str
    draw: Draw


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure on disk; ``svg`` is ready to stand in a page. ``key`` explains numbers in the PNG."""

    name: str
    title: str
    caption: str
    png: str
    svg: str
    key: dict[str, str] = field(default_factory=dict)


CHARTS: Final = (
    Chart(
        "recall_over_budget",
        "Evidence recall over the budget",
        "Share of gold messages wholly verbatim in the context; bars are 95 % intervals over recordings where there "
        "are six or more. Dotted grey: reference rows. Points of one budget stand side by side for reading only.",
        charts.recall_over_budget,
    ),
    Chart(
        "pareto",
        "Evidence recall against what is sent",
        "Mean tokens of the context per question, one point per strategy and budget. The shaded line joins the points "
        "that no other strategy beats with fewer tokens.",
        charts.pareto,
    ),
    Chart(
        "by_age",
        "Evidence recall by age of the evidence",
        "Tokens said between evidence and question, in bins with as many questions each, at the primary budget.",
        charts_detail.recall_by_age,
    ),
    Chart(
        "by_category",
        "Evidence recall by category",
        "At the primary budget; in brackets the number of questions.",
        charts_detail.by_category,
    ),
    Chart(
        "pairs",
        "Difference to the baseline",
        "Paired difference in evidence recall at the primary budget with its 95 % interval over recordings where there "
        "are six or more; small dots are recordings.",
        charts_detail.pairs,
    ),
    Chart(
        "by_recording",
        "Evidence recall of each recording",
        "One dot per recording at the primary budget; the bar is the mean over questions.",
        charts_detail.by_recording,
    ),
)


def draw_all(run: Run, folder: Path, chinese: str | bool | None = True) -> dict[str, Drawn]:
    """Draw every figure the run has numbers for into ``folder/figures``.

    ``chinese`` names the font family for Chinese labels in PNGs, ``None`` numbers them, ``True`` looks for one.
    """
    family = chinese_family() if chinese is True else chinese or None
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    drawn = (_draw(chart, run, folder, family) for chart in CHARTS)
    return {figure.name: figure for figure in drawn if figure is not None}


def _draw(chart: Chart, run: Run, folder: Path, family: str | None) -> Drawn | None:
    """SVG with the labels themselves, since the browser has fonts; PNG with numbers where this machine has none."""
    with styled(families(family)):
        names = Names(numbered=family is None)
        figure = chart.draw(run, names)
        if figure is None:
            return None
        path = folder / FOLDER / f"{chart.name}.png"
        figure.savefig(path, dpi=DPI, metadata={"Software": None})
        plain = chart.draw(run, Names()) if names.key else figure
        text = _svg(plain or figure)
    (folder / FOLDER / f"{chart.name}.svg").write_text(text, encoding="utf-8")
    return Drawn(chart.name, chart.title, chart.caption, f"{FOLDER}/{path.name}", inline(text, chart.name), names.key)


def _svg(figure: Figure) -> str:
    stream = StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(rf"'{LATIN}'(, ?'[^']*')*", STACK, stream.getvalue())


def inline(svg: str, name: str) -> str:
    """An SVG to stand in a page beside others: no prolog, ids of its own, as wide as its place."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.S)
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = body.replace("url(#", f"url(#{name}-").replace('href="#', f'href="#{name}-')
    head, _, rest = body.partition(">")
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-labelledby="title-{name}">{rest}'
