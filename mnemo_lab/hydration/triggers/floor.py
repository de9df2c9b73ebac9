"""``floor``: somebody who hardly spoke of late takes the floor at length, as where a meeting turns to another point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns

FEWEST: Final = 8
"""Turns heard before it is known what is long."""
WORDS: Final = 20
"""Where all turns are shorter, none holds the floor."""


@dataclass(frozen=True)
class Floor(Trigger):
    """Two signs at once, both measured by the conversation so far: the turn's opening is longer than ``longest`` (0 to
    1) of all before it, and who says it had at most ``share`` (0 to 1) of the words in the ``window`` turns before.

    For talk of several people: one user who talks to an assistant has every word and never fires it. It needs no
    vectors and no delay. As sure as the share of turns that are shorter.
    """

    name: ClassVar[str] = "floor"
    window: int = 100
    share: float = 0.15
    longest: float = 0.995

    def __post_init__(self) -> None:
        if self.window < 1:
            raise InvalidInput(f"floor(window={self.window}): must be 1 turn or more")
        for field in ("share", "longest"):
            if not 0 <= getattr(self, field) <= 1:
                raise InvalidInput(f"floor({field}={getattr(self, field)}): must be 0 to 1")

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        here, heard = turns[at], at - turns.first
        if heard < FEWEST or here.words < WORDS:
            return None
        lately = turns[max(at - self.window, turns.first) : at]
        own = sum(turn.words for turn in lately if turn.speaker == here.speaker)
        if own > self.share * sum(turn.words for turn in lately):
            return None
        shorter = sum(turns[before].words < here.words for before in range(turns.first, at)) / heard
        return shorter if shorter >= self.longest else None
