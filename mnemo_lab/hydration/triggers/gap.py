"""``gap``: silence between two turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns


@dataclass(frozen=True)
class Gap(Trigger):
    """At least ``hours`` passed since the last message; messages without a time never fire."""

    name: ClassVar[str] = "gap"
    hours: float = 6.0

    def __post_init__(self) -> None:
        if self.hours <= 0:
            raise InvalidInput(f"gap(hours={self.hours}): must be more than 0")

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        before, here = turns[at - 1].ended, turns[at].began
        if before is None or here is None:
            return None
        return 1.0 if here - before >= self.hours * 3600 else None
