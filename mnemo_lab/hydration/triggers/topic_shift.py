"""``topic_shift``: what is said before and after a point is unlike; and ``drift``, the seed's simpler comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

FEWEST: Final = 4
"""Depths seen before their mean and spread say anything."""
CLIMB: Final = 12
"""Gaps that a climb to the next peak looks at."""


@dataclass(frozen=True)
class TopicShift(Trigger):
    """Depth of the valley of similarity between the ``window`` turns before a point and those from it on
    (TextTiling, Hearst 1997, over embeddings), against the depths seen so far.

    It fires where the depth exceeds their mean by ``sigmas`` standard deviations and ``least`` in any case. With a
    delay of 0 the window after the point is the opening message of one turn, and the valley has only its left side.
    """

    name: ClassVar[str] = "topic_shift"
    window: int = 3
    sigmas: float = 1.0
    least: float = 0.1

    def __post_init__(self) -> None:
        if self.window < 1:
            raise InvalidInput(f"topic_shift(window={self.window}): must be 1 turn or more")
        if not 0 <= self.least <= 2:
            raise InvalidInput(f"topic_shift(least={self.least}): a depth is 0 to 2")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"})

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        depth = turns.once(f"{self} depth", at, lambda: self._depth(turns, at))
        count, mean, square = turns.once(f"{self} before", at, lambda: self._before(turns, at))
        if depth < self.least:
            return None
        if count >= FEWEST and depth < mean + self.sigmas * max(square / count - mean**2, 0.0) ** 0.5:
            return None
        return min(depth, 1.0)

    def _before(self, turns: Turns, at: int) -> tuple[int, float, float]:
        """How many depths came before, their mean, and the sum of their squares."""
        if at <= 1:
            return 0, 0.0, 0.0
        count, mean, square = turns.once(f"{self} before", at - 1, lambda: (0, 0.0, 0.0))
        depth = turns.once(f"{self} depth", at - 1, lambda: 0.0)
        return count + 1, mean + (depth - mean) / (count + 1), square + depth**2

    def _depth(self, turns: Turns, at: int) -> float:
        here = self._similarity(turns, at, len(turns))
        left = right = here
        for gap in range(at - 1, max(at - CLIMB, 0), -1):
            value = turns.once(f"{self} left", gap, lambda gap=gap: self._similarity(turns, gap, gap + self.window))  # type: ignore[misc]
            if value < left:
                break
            left = value
        for gap in range(at + 1, len(turns)):
            value = self._similarity(turns, gap, len(turns))
            if value < right:
                break
            right = value
        return (left - here) + (right - here)

    def _similarity(self, turns: Turns, gap: int, stop: int) -> float:
        """Cosine of the mean vectors on both sides of a gap."""
        before = mean_vector(turns, max(gap - self.window, 0), gap)
        after = mean_vector(turns, gap, min(gap + self.window, stop))
        return float(before @ after)


@dataclass(frozen=True)
class Drift(Trigger):
    """The current segment is unlike the one before it: cosine of their mean vectors below ``threshold`` (the seed's
    0.7). A first segment is compared with its own opening turn."""

    name: ClassVar[str] = "drift"
    threshold: float = 0.7

    def __post_init__(self) -> None:
        if not -1 <= self.threshold <= 1:
            raise InvalidInput(f"drift(threshold={self.threshold}): a cosine is -1 to 1")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"})

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        since = starts[-1]
        before = mean_vector(turns, starts[-2], since) if len(starts) > 1 else mean_vector(turns, since, since + 1)
        cosine = float(before @ mean_vector(turns, at, at + 1))
        return min(1 - cosine, 1.0) if cosine < self.threshold else None


def mean_vector(turns: Turns, start: int, stop: int) -> Vectors:
    """The unit mean of turns' vectors."""
    import numpy as np

    rows = [vector for turn in turns[start:stop] if (vector := turn.vector) is not None]
    mean: Vectors = np.mean(rows, axis=0)
    unit: Vectors = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return unit
