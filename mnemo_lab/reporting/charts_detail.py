"""At the primary budget: by age, by category, against the baseline, by recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.by_age import by_age
from mnemo_lab.reporting.compare import Values, compare
from mnemo_lab.reporting.drawing import WRAP, canvas, label_ends, room_for, share_axis, wrapped
from mnemo_lab.reporting.fonts import Names
from mnemo_lab.reporting.selection import headline_rows, is_reference, present
from mnemo_lab.reporting.style import GREY, WIDTH, looks
from mnemo_lab.reporting.summary import METRIC, summarise

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.27
"""Inches per strategy in figures with one line each."""
DARK = 0.55


def _primary(run: Run) -> pl.DataFrame:
    import polars as pl

    rows = headline_rows(run).filter(pl.col("budget_tokens") == run.grid.primary)
    return rows.filter(pl.col(METRIC).is_not_null())


def recall_by_age(run: Run, names: Names) -> Figure | None:
    import polars as pl

    bins, found = by_age(run)
    found = found.filter(pl.col("n") > 0)
    labels = present(run, found)
    if not labels:
        return None
    styles, ends = looks(run.labels, run.grid.baseline), []
    figure, axes = canvas(room_for(labels, 3.0))
    share_axis(axes, "evidence recall")
    axes.set_xlim(-0.35, len(bins) - 0.65)
    for label in labels:
        own, look = found.filter(pl.col("strategy") == label), styles[label]
        xs, ys = own["bin"].to_list(), own[METRIC].to_list()
        axes.plot(xs, ys, color=look.colour, marker=look.marker, linestyle=look.line)
        ends.append((names(label), xs[-1], ys[-1], look.colour))
    axes.set_xticks(range(len(bins)), bins)
    axes.set_xlabel("age of the evidence, tokens said since")
    label_ends(axes, ends)
    return figure


def by_category(run: Run, names: Names) -> Figure | None:
    rows = _primary(run)
    if not rows.height:
        return None
    found = summarise(rows, ["category", "strategy"])
    labels, categories = present(run, rows), sorted(rows["category"].unique().to_list())
    cells = {(r["category"], r["strategy"]): r for r in found.iter_rows(named=True)}
    counts = {c: max(cells[c, s]["n"] for s in labels if (c, s) in cells) for c in categories}
    table = [[cells.get((c, s), {}).get(METRIC) for s in labels] for c in categories]
    side = 0.075 * max(len(c) for c in categories) + 0.5
    top = 0.09 * max(min(len(label), WRAP) for label in labels) * (len(labels) > 4)
    figure, axes = canvas(0.5 + 0.27 * len(categories) + top, max(WIDTH, side + 0.42 * len(labels)))
    _heat(axes, table)
    axes.set_xticks(range(len(labels)), [wrapped(names(label)) for label in labels])
    axes.tick_params(
        axis="x", labelrotation=35 if len(labels) > 4 else 0, top=True, labeltop=True, bottom=False, labelbottom=False
    )
    for tick in axes.get_xticklabels():
        tick.set_horizontalalignment("left" if len(labels) > 4 else "center")
        tick.set_rotation_mode("anchor")
    axes.set_yticks(range(len(categories)), [f"{names(c)} ({counts[c]})" for c in categories])
    return figure


def _heat(axes: Axes, table: list[list[float | None]]) -> None:
    """Shares as shades of one hue, each with its number; empty where undefined."""
    import numpy as np

    values = np.array([[np.nan if v is None else v for v in line] for line in table], dtype=np.float64)
    axes.imshow(values, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    for row, line in enumerate(table):
        for column, value in enumerate(line):
            text, colour = ("–", GREY) if value is None else (f"{value:.2f}", "white" if value > DARK else "#222222")
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)


def pairs(run: Run, names: Names) -> Figure | None:
    found = compare(run)
    rows = [row for row in reversed(found.rows) if row.pair is not None and row.pair.n]
    if not rows:
        return None
    styles = looks(run.labels, found.baseline)
    values = Values(headline_rows(run), found.metric, found.budget)
    base = values.at_budget(found.baseline)
    figure, axes = canvas(1.0 + ROW * len(rows))
    axes.axvline(0, color="#444444", linewidth=0.9)
    for place, row in enumerate(rows):
        look, pair = styles[row.strategy], row.pair
        assert pair is not None
        dots = _means(values.clusters, values.at_budget(row.strategy) - base)
        axes.plot(dots, [place - 0.24] * len(dots), ".", color=look.colour, alpha=0.6, markersize=4.5)
        if pair.lo == pair.lo:
            axes.plot([pair.lo, pair.hi], [place, place], color=look.colour, linewidth=2)
        axes.plot([pair.difference], [place], marker=look.marker, color=look.colour, markersize=6.5)
    axes.set_yticks(range(len(rows)), [_tested(names(row.strategy), row.reference) for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel(f"evidence recall less that of {names(found.baseline)}, at {found.budget:,} tokens")
    return figure


def _tested(name: str, reference: bool) -> str:
    return f"{wrapped(name)} (reference)" if reference else wrapped(name)


def _means(clusters: list[str], values: object) -> list[float]:
    from mnemo_lab.statistics import cluster_means

    return [found.mean for found in cluster_means(values, clusters)]  # type: ignore[arg-type]


def by_recording(run: Run, names: Names) -> Figure | None:
    import polars as pl

    rows = _primary(run)
    labels = list(reversed(present(run, rows)))
    if not labels:
        return None
    styles = looks(run.labels, run.grid.baseline)
    means = rows.group_by(["strategy", "recording"], maintain_order=True).agg(pl.col(METRIC).mean())
    over = dict(rows.group_by("strategy").agg(pl.col(METRIC).mean()).iter_rows())
    figure, axes = canvas(1.0 + ROW * len(labels))
    for place, label in enumerate(labels):
        dots = means.filter(pl.col("strategy") == label)[METRIC].to_list()
        axes.plot([over[label]] * 2, [place - 0.32, place + 0.32], color=styles[label].colour, linewidth=2.2)
        axes.plot(
            dots, [place] * len(dots), "o", color=styles[label].colour, alpha=0.55, markersize=5, markeredgewidth=0
        )
    axes.set_yticks(range(len(labels)), [_tested(names(label), is_reference(label)) for label in labels])
    axes.set_ylim(-0.6, len(labels) - 0.4)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel(f"evidence recall at {run.grid.primary:,} tokens")
    return figure
