"""Small drawing helpers that several figures share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.style import WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WRAP = 26
LINE = 0.15
"""Inches that a line of a label takes."""
FRAME = 0.55
"""Inches below and above the axes."""


def canvas(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """A figure of its own, unknown to pyplot, with one pair of axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()


def share_axis(axes: Axes, label: str) -> None:
    """A vertical axis from 0 to 1 with a little air."""
    axes.set_ylim(-0.03, 1.04)
    axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_ylabel(label)


def budget_axis(axes: Axes, budgets: Sequence[int]) -> None:
    """A log2 axis with the budgets as its only ticks."""
    shown = [b for b in budgets if b > 0]
    axes.set_xscale("log", base=2)
    axes.set_xticks(shown, [f"{b:,}" for b in shown])
    axes.minorticks_off()
    axes.tick_params(axis="x", labelrotation=30 if len(shown) > 7 else 0)
    axes.set_xlim(min(shown) / 1.25, max(shown) * 1.25)
    axes.set_xlabel("budget, tokens (log scale)")


def room_for(labels: Sequence[str], least: float = 3.2) -> float:
    """Inches of height in which names beside the lines do not overlap."""
    return max(least, FRAME + LINE * sum(wrapped(label).count("\n") + 1 for label in labels))


def label_ends(axes: Axes, ends: Sequence[tuple[str, float, float, str]]) -> None:
    """Write names right of the axes beside the end of their lines, pushed apart until none overlap.

    ``ends`` are name, x and y of the last point, colour; y runs from 0 to 1.
    """
    lines = max((wrapped(name).count("\n") + 1 for name, *_ in ends), default=1)
    figure = axes.get_figure(root=True)
    gap = LINE * lines / ((figure.get_figheight() if figure else 3.2) - FRAME)
    placed = spread([y for _, _, y, _ in ends], gap)
    for (name, x, y, colour), at in zip(ends, placed, strict=True):
        axes.annotate(
            wrapped(name), (x, y), (1.035, at), textcoords=axes.get_yaxis_transform(), color=colour, va="center",
            ha="left", fontsize=8.5, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "alpha": 0.7, "linestyle": ":",
                        "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 4},
        )  # fmt: skip


def wrapped(name: str) -> str:
    """A long setting over two lines or more, broken after commas."""
    if len(name) <= WRAP:
        return name
    lines = [""]
    for part in name.replace(", ", ", \n").split("\n"):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > WRAP:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def spread(values: Sequence[float], gap: float, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Positions in the same order with at least ``gap`` between neighbours, as near as can be to the values.

    The range grows past ``low`` where there are too many.
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    placed = [0.0] * len(values)
    below = low - gap
    for i in order:
        below = placed[i] = max(values[i], below + gap)
    above = high + gap
    for i in reversed(order):
        above = placed[i] = min(placed[i], above - gap)
    return placed


def bins(values: Sequence[float], wanted: int = 5) -> list[float]:
    """Edges of quantile bins, first and last included; fewer where values repeat, one value gives one bin."""
    import numpy as np

    if not len(values):
        return []
    edges = np.unique(np.quantile(np.asarray(values, dtype=np.float64), np.linspace(0, 1, wanted + 1)))
    return [float(edge) for edge in edges] if len(edges) > 1 else [float(edges[0]), float(edges[0])]


def bin_names(edges: Sequence[float]) -> list[str]:
    """``0–1.2k`` for each pair of neighbouring edges."""
    shown = [say.short_tokens(edge) for edge in edges]
    return [a if a == b else f"{a}–{b}" for a, b in pairwise(shown)]
