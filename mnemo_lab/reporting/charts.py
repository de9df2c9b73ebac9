"""Recall over the budget, and recall against what is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.drawing import budget_axis, canvas, label_ends, room_for, share_axis
from mnemo_lab.reporting.fonts import Names
from mnemo_lab.reporting.selection import headline_rows, is_reference, present
from mnemo_lab.reporting.style import Look, looks
from mnemo_lab.reporting.summary import METRIC, summarise

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DODGE = 1.022
"""Factor between neighbours at one budget, so that bars do not cover each other."""


def _board(run: Run) -> pl.DataFrame:
    """Summary of the headline rows with a defined mean, by strategy and rising budget."""
    import polars as pl

    board = summarise(headline_rows(run), ["strategy", "budget_tokens"])
    return board.filter((pl.col("n") > 0) & (pl.col("budget_tokens") > 0)).sort("budget_tokens", maintain_order=True)


def recall_over_budget(run: Run, names: Names) -> Figure | None:
    board = _board(run)
    labels = present(run, board)
    if not labels:
        return None
    styles = looks(run.labels, run.grid.baseline)
    figure, axes = canvas(room_for(labels))
    budget_axis(axes, board["budget_tokens"].unique().sort().to_list())
    share_axis(axes, "evidence recall")
    middle = (len(labels) - 1) / 2
    ends = [
        _line(axes, board, label, styles[label], DODGE ** (place - middle), names) for place, label in enumerate(labels)
    ]
    label_ends(axes, ends)
    return figure


def _line(
    axes: Axes, board: pl.DataFrame, label: str, look: Look, dodge: float, names: Names
) -> tuple[str, float, float, str]:
    """Draw one strategy; returns what its label needs."""
    import polars as pl

    own = board.filter(pl.col("strategy") == label)
    xs = [budget * dodge for budget in own["budget_tokens"].to_list()]
    ys = own[METRIC].to_list()
    marker_size = 3.5 if is_reference(label) else 4.5
    axes.plot(xs, ys, color=look.colour, marker=look.marker, linestyle=look.line, markersize=marker_size)
    for x, lo, hi in zip(xs, own["lo"].to_list(), own["hi"].to_list(), strict=True):
        if lo is not None and not is_reference(label):
            axes.plot([x, x], [lo, hi], color=look.colour, linewidth=1.1, alpha=0.75, solid_capstyle="butt")
    return names(label), xs[-1], ys[-1], look.colour


def pareto(run: Run, names: Names) -> Figure | None:
    import polars as pl

    board = _board(run).filter(pl.col("context_tokens") > 0)
    labels = present(run, board)
    if not labels:
        return None
    styles = looks(run.labels, run.grid.baseline)
    figure, axes = canvas(room_for(labels))
    share_axis(axes, "evidence recall")
    _token_axis(axes, board["context_tokens"].to_list())
    _front(axes, board.filter(~pl.col("strategy").map_elements(is_reference, return_dtype=pl.Boolean)))
    ends = []
    for label in labels:
        own, look = board.filter(pl.col("strategy") == label), styles[label]
        xs, ys = own["context_tokens"].to_list(), own[METRIC].to_list()
        axes.plot(xs, ys, color=look.colour, marker=look.marker, linestyle=look.line, linewidth=0.8)
        ends.append((names(label), xs[-1], ys[-1], look.colour))
    label_ends(axes, ends)
    return figure


def _token_axis(axes: Axes, tokens: list[float]) -> None:
    """A log2 axis over whole powers of two."""
    from math import ceil, floor, log2

    low, high = floor(log2(min(tokens))), ceil(log2(max(tokens) * 1.01))
    axes.set_xscale("log", base=2)
    ticks = [2**power for power in range(low, high + 1)]
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
    axes.minorticks_off()
    axes.tick_params(axis="x", labelrotation=30 if len(ticks) > 8 else 0)
    axes.set_xlim(2**low / 1.1, 2**high * 1.1)
    axes.set_xlabel("mean tokens sent per question (log scale)")


def _front(axes: Axes, board: pl.DataFrame) -> None:
    points = front(list(zip(board["context_tokens"].to_list(), board[METRIC].to_list(), strict=True)))
    axes.plot([x for x, _ in points], [y for _, y in points], color="#f0d890", linewidth=7, zorder=0.5, alpha=0.8)


def front(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points that none with fewer or as many tokens reaches or beats, by rising tokens."""
    kept: list[tuple[float, float]] = []
    for x, y in sorted(points, key=lambda point: (point[0], -point[1])):
        if not kept or y > kept[-1][1]:
            kept.append((x, y))
    return kept
