"""``every``: a checkpoint each ``n`` turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns


@dataclass(frozen=True)
class Every(Trigger):
    """A segment is ``n`` turns long. With others in an ``and`` it is their minimum, in an ``or`` their hard cap."""

    name: ClassVar[str] = "every"
    n: int = 5

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InvalidInput(f"every(n={self.n}): must be 1 turn or more")

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        return 1.0 if at - starts[-1] >= self.n else None
