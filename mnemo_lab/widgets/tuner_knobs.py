"""What can be turned: knobs, the steps they offer, and the hybrid they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Final

from mnemo_lab.retrieval.strategies.hybrid import Hybrid

ALL: Final = "all"
TEXT: Final = ("keyword", "context")
DENSE: Final = ("dense", "window")
KS: Final = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100)
FINER: Final = 4
"""Steps from one budget of the run to the next."""


@dataclass(frozen=True, slots=True)
class Knobs:
    """One setting of the tuner.

    ``dense_share``: how much of the text and dense weights together goes to dense, 0 to 1. ``k``: at most that many
    hits, ``None`` for as many as fit. ``language`` and ``split``: which recordings count, ``"all"`` for all.
    """

    dense_share: float
    session: float
    speaker: float
    neighbours: int
    k: int | None
    budget: int
    language: str = ALL
    split: str = ALL


@dataclass(frozen=True)
class Mixer:
    """From knobs to a hybrid, relative to the run's own.

    The sum of text and dense weights stays what it was, so that session and speaker keep their meaning; inside each
    side the proportions stay too. At the run's own share the weights are the run's own, to the last digit.
    """

    own: Hybrid
    signals: Sequence[str]
    """What the run has stored scores of; anything else cannot be given a weight."""

    @property
    def own_share(self) -> float:
        text, dense = self._sum(TEXT), self._sum(DENSE)
        return round(dense / (text + dense), 2) if text + dense else 0.0

    @property
    def adjustable(self) -> frozenset[str]:
        """Knobs whose signals are stored."""
        found = {name for name in ("session", "speaker") if name in self.signals}
        return frozenset(found | ({"dense_share"} if self._shape(TEXT) and self._shape(DENSE) else set()))

    def hybrid(self, knobs: Knobs) -> Hybrid:
        changes = self._weights(knobs.dense_share)
        changes |= {name: getattr(knobs, name) for name in ("session", "speaker") if name in self.adjustable}
        return replace(self.own, **changes, neighbours=knobs.neighbours, k=knobs.k)  # type: ignore[arg-type]

    def _weights(self, share: float) -> dict[str, float]:
        if "dense_share" not in self.adjustable or round(share, 2) == self.own_share:
            return {}
        total = self._sum((*TEXT, *DENSE)) or 1.0
        text = {name: total * (1 - share) * part for name, part in self._shape(TEXT).items()}
        dense = {name: total * share * part for name, part in self._shape(DENSE).items()}
        return {name: round(weight, 3) for name, weight in (text | dense).items()}

    def _sum(self, names: Sequence[str]) -> float:
        return sum(float(getattr(self.own, name)) for name in names)

    def _shape(self, names: Sequence[str]) -> dict[str, float]:
        """How a side's weight is spread over its signals; its first stored signal where the run gave it none."""
        total = self._sum(names)
        if total:
            return {name: getattr(self.own, name) / total for name in names}
        return dict([(name, 1.0) for name in names if name in self.signals][:1])


def text_of(hybrid: Hybrid) -> str:
    """What you would type: only what differs from the defaults. Parses to the same settings."""
    changed = [f.name for f in fields(Hybrid) if getattr(hybrid, f.name) != f.default]
    return f"hybrid({', '.join(f'{name}={getattr(hybrid, name)!r}' for name in changed)})" if changed else "hybrid"


def budget_steps(budgets: Sequence[int]) -> list[int]:
    """The run's budgets with finer steps between them."""
    finer = {low + (high - low) * step // FINER for low, high in pairwise(budgets) for step in range(FINER)}
    return sorted(finer | set(budgets))


def k_steps(own: int | None) -> list[int | None]:
    """Numbers of hits to choose from, the run's own among them, ``None`` last."""
    return [*sorted({*KS, *((own,) if own else ())}), None]
