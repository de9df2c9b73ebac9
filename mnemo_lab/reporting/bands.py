"""Which strategies are best at which budgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.summary import METRIC

if TYPE_CHECKING:
    import polars as pl

SAME: Final = 0.005
"""Means closer than this count as the same: nobody would choose by less."""
MOST: Final = 3
"""Equally good strategies that are named; of more, only the first."""


@dataclass(frozen=True, slots=True)
class Band:
    """Neighbouring budgets with the same best strategies, and the lowest and highest of their best means."""

    budgets: tuple[int, ...]
    winners: tuple[str, ...]
    low: float
    high: float


def find_bands(board: pl.DataFrame, chosen: list[str]) -> tuple[Band, ...]:
    """Runs of budgets with the same set of best strategies; budgets without a defined mean are left out."""
    means: dict[int, dict[str, float]] = {}
    for label, budget, value in board.select("strategy", "budget_tokens", METRIC).iter_rows():
        if value is not None and label in chosen:
            means.setdefault(budget, {})[label] = value
    bands: list[Band] = []
    for budget in sorted(means):
        top = max(means[budget].values())
        winners = tuple(label for label in chosen if means[budget].get(label, -1.0) > top - SAME)
        if bands and bands[-1].winners == winners:
            last = bands.pop()
            bands.append(Band((*last.budgets, budget), winners, min(last.low, top), max(last.high, top)))
        else:
            bands.append(Band((budget,), winners, top, top))
    return tuple(bands)


def say_band(band: Band, chosen: list[str]) -> str:
    """Who keeps how much at which budgets."""
    who = say.listing(band.winners, "or")
    if len(band.winners) > 1 and len(band.winners) == len(chosen):
        who = f"any of the {len(chosen)} strategies"
    elif len(band.winners) > MOST:
        who = f"{band.winners[0]} or {len(band.winners) - 1} others as good"
    low, high = say.share(band.low), say.share(band.high)
    kept = low if low == high else f"{low} to {high}"
    return f"{who} at {say.budget_range(band.budgets)} (keeps {kept} of the evidence)"
