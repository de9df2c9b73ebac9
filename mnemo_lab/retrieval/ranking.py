"""What ranked strategies share: at most ``k`` hits, and candidates from one signal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mnemo_lab.context import Candidates
from mnemo_lab.errors import InvalidInput
from mnemo_lab.retrieval.base import Retrieving

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray


class Ranked(Retrieving):
    """A retrieving strategy with ``k``: at most that many messages, ``None`` for as many as fit."""

    k: int | None

    def __post_init__(self) -> None:
        if self.k is not None and self.k < 1:
            raise InvalidInput(f"{self.name}(k={self.k}): must be 1 or more, or None for as many as fit")

    def order(self, candidates: Candidates) -> Sequence[int]:
        return list(super().order(candidates))[: self.k]


def check_range(strategy: Retrieving, **limits: tuple[float, float | None]) -> None:
    """Raise ``InvalidInput`` for a parameter outside its limits; ``None`` for no upper limit."""
    for name, (low, high) in limits.items():
        value = getattr(strategy, name)
        if not (value >= low and (high is None or value <= high)):
            allowed = f"{low} or more" if high is None else f"{low} to {high}"
            raise InvalidInput(f"{strategy.name}({name}={value}): must be {allowed}")


def single_signal(signal: str, scores: FloatArray) -> Candidates:
    """Candidates over every message where the one signal is the final score."""
    import numpy as np

    return Candidates(np.arange(len(scores)), {signal: scores}, scores, {signal: moments(scores)})


def moments(scores: FloatArray) -> tuple[float, float]:
    """Mean and standard deviation, 0 and 1 of nothing."""
    return (float(scores.mean()), float(scores.std())) if len(scores) else (0.0, 1.0)
