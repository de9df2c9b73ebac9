"""``head_tail``: the beginning, where the task is set, and the newest; what is between them is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.context import Budget, Piece, Query
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.truncation.base import Truncation
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.truncation.notes import Note


@dataclass(frozen=True)
class HeadTail(Truncation):
    """Keep the first units and the newest ones, and drop the middle.

    ``head`` (0 to 1): the share of the room (the budget less the system prompt and leading system messages) for the
    beginning. What one side leaves free goes to the other. ``cut_oversized``: cut inside the newest unit where it alone
    does not fit, and inside the first where its share does not hold it. ``note``: say in the middle how many messages
    were omitted, in English or Chinese.
    """

    name: ClassVar[str] = "head_tail"
    drop_code: ClassVar[str] = "middle"
    head: float = 0.5
    cut_oversized: bool = True
    note: Note = "off"

    def __post_init__(self) -> None:
        if not 0 <= self.head <= 1:
            raise InvalidInput(f"head_tail(head={self.head}): must be a share of the room from 0 to 1")

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        choice = Choice(history, budget, services, self.note, self.cut_oversized)
        fill_ends(choice, self.head, self.cut_oversized)
        return choice.pieces()


def fill_ends(choice: Choice, head: float, cut_oversized: bool = True) -> None:
    """Take units from both ends without a hole; ``head`` is the beginning's share of the room (0 to 1)."""
    share, first = int(choice.whole * head), range(choice.head, len(choice.units))
    start = next((index for index in first if choice.units[index].kind != "orphan"), None)
    if not choice.fill(first, share, stop=True) and share > 0 and start is not None and cut_oversized:
        choice.fill(reversed(first), choice.room - share, stop=True)
        if not choice.add(start):
            choice.add_part(start, share)
    choice.fill(reversed(first), stop=True)
    if share > 0:
        choice.fill(first, stop=True)
