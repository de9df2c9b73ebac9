"""``mark``: the user asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.hydration.triggers.base import Trigger, Turns


@dataclass(frozen=True)
class Mark(Trigger):
    """The turn before carries an explicit mark: the extension ``checkpoint: true`` on one of its messages."""

    name: ClassVar[str] = "mark"

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        return 1.0 if turns[at - 1].marked else None
