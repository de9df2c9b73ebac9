"""Intervals over scenarios: what would be counted had other scenarios of their kind been written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Sums = np.ndarray
LEVEL: Final = 0.95


class Between(NamedTuple):
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.value != self.value:
            return "–"
        return f"{self.value:.3f} ({self.low:.2f}–{self.high:.2f})"


def between(
    rows: Sequence[Sequence[float]], figure: Callable[[Sums], Sums], draws: int = 2000, seed: int = 7
) -> Between:
    """``figure`` of the sums of ``rows`` (a row of counts by scenario), and its percentiles where scenarios are drawn
    with replacement; draws for which it is not defined (NaN) are left out."""
    import numpy as np

    counts = np.asarray(rows, dtype=float)
    if not counts.size:
        return Between(float("nan"), float("nan"), float("nan"))
    weights = np.random.default_rng(seed).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=draws)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(figure(counts.sum(axis=0)[None, :])[0])
        drawn = figure(weights @ counts)
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return Between(value, float("nan"), float("nan"))
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Between(value, float(low), float(high))


def ratio(sums: Sums) -> Sums:
    """The first column by the second."""
    part: Sums = sums[:, 0] / sums[:, 1]
    return part


def f1(sums: Sums) -> Sums:
    """Of columns right, found, met, gold: the harmonic mean of right/found and met/gold."""
    precision, recall = sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]
    mean: Sums = 2 * precision * recall / (precision + recall)
    return mean
