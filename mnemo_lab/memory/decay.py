"""How strongly a memory still counts: by its importance and by when it was last used."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final

from mnemo_lab.conversation import time_of
from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.item import MOST_IMPORTANCE, MemoryItem

SECONDS_A_DAY: Final = 86400.0
NO_HALF_LIVES: Final[Mapping[str, float]] = MappingProxyType({})


@dataclass(frozen=True)
class Decay:
    """``importance * item.importance + recency * r(days)``, from about 1 to 5, as the seed has it: 0.7 and 0.3.

    ``r`` goes through ``points`` (days since the item was last used, or else recorded; score 1 to 5), linear between
    them and level outside. With ``half_lives`` (days, by category) the recency of such an item is ``5 * 2^(-days /
    half-life)`` instead. ``floor`` (0 to 1) is the least share of a relevance that decay leaves: 1 turns decay off.
    The clock is whatever ``now`` is given: the query's time.
    """

    importance: float = 0.7
    recency: float = 0.3
    points: tuple[tuple[float, float], ...] = ((7.0, 5.0), (30.0, 3.0), (90.0, 1.0))
    half_lives: Mapping[str, float] = field(default_factory=lambda: NO_HALF_LIVES)
    floor: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= 1:
            raise InvalidInput(f"decay: floor={self.floor!r}; use 0 to 1")
        if self.importance < 0 or self.recency < 0 or self.importance + self.recency <= 0:
            raise InvalidInput(f"decay: importance={self.importance!r}, recency={self.recency!r}; use weights above 0")
        if any(days <= 0 for days in self.half_lives.values()):
            raise InvalidInput(f"decay: half_lives={dict(self.half_lives)!r}; use days above 0")
        days = [day for day, _ in self.points]
        if not days or days != sorted(set(days)):
            raise InvalidInput(f"decay: points={self.points!r}; use (days, score) pairs with growing days")

    def strength(self, item: MemoryItem, now: datetime) -> float:
        """The score; what was used after ``now`` counts as used then."""
        days = idle_days(item, now)
        half_life = self.half_lives.get(item.category)
        fresh = self._between(days) if half_life is None else MOST_IMPORTANCE * 2 ** (-days / half_life)
        return self.importance * item.importance + self.recency * fresh

    def share(self, item: MemoryItem, now: datetime) -> float:
        """What decay leaves of a relevance: from ``floor`` to 1."""
        most = MOST_IMPORTANCE * (self.importance + self.recency)
        return self.floor + (1 - self.floor) * self.strength(item, now) / most

    def _between(self, days: float) -> float:
        at = bisect_right([day for day, _ in self.points], days)
        if at in (0, len(self.points)):
            return self.points[min(at, len(self.points) - 1)][1]
        (low, first), (high, last) = self.points[at - 1], self.points[at]
        return first + (last - first) * (days - low) / (high - low)


def idle_days(item: MemoryItem, now: datetime) -> float:
    """Days since it was last used, or since it was recorded where it never was; not below 0."""
    last = time_of(item.last_accessed_at) or time_of(item.created_at)
    return max((now - last).total_seconds() / SECONDS_A_DAY, 0.0) if last else 0.0


def prunable(item: MemoryItem, now: datetime, days: float = 90, importance: int = 3) -> bool:
    """Whether it has not been used for ``days`` and is less important than ``importance``: to be forgotten softly."""
    return item.status == "active" and item.importance < importance and idle_days(item, now) >= days
