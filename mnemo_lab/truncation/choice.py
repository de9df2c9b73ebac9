"""Choice: which units are sent. What is protected first, then what is added while it fits, notes counted."""

from __future__ import annotations

from collections.abc import Iterable

from mnemo_lab.context import Budget, Piece
from mnemo_lab.history import History
from mnemo_lab.packing.pack import protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.truncation.cutting import cut_unit
from mnemo_lab.truncation.notes import Note, note_cost, note_piece
from mnemo_lab.units import Unit


def leading_systems(history: History) -> int:
    """How many system messages the list starts with: they are protected like the system prompt."""
    for position, message in enumerate(history.messages):
        if message.role != "system":
            return position
    return len(history)


class Choice:
    """Units taken from a history, by index, within a budget.

    Leading system messages are taken whatever the budget (an overrun is flagged when the context is closed); the
    newest unit is taken next, cut inside where it does not fit and ``cut_oversized`` allows. Orphaned tool results
    are never taken. ``room`` is what is left, each omission note reserved at its longest.
    """

    def __init__(
        self,
        history: History,
        budget: Budget,
        services: Services,
        note: Note = "off",
        cut_oversized: bool = True,
        keep_newest: bool = True,
    ) -> None:
        self.history, self._services, self._note = history, services, note
        self.units: list[Unit] = history.units
        self._sums = history.chat_sums
        self._taken = [False] * len(self.units)
        self._cut: dict[int, list[Piece]] = {}
        self._gap_cost = note_cost(note, services)
        self.head = leading_systems(history)
        self.room = budget.tokens - protected_tokens(history.system_prompt, services)
        for index in range(self.head):
            self._take(index, self.cost(index))
        if self.head < len(self.units):
            self.room -= self._gap_cost
        if keep_newest and self.head < len(self.units):
            newest = len(self.units) - 1
            if not self.add(newest) and cut_oversized:
                self.add_part(newest)

    def __contains__(self, index: int) -> bool:
        return self._taken[index]

    def cost(self, index: int) -> int:
        """Tokens of a unit as it is."""
        unit = self.units[index]
        return self._sums[unit.stop] - self._sums[unit.start]

    def add(self, index: int) -> bool:
        """Take a unit if it fits; whether it is taken now."""
        if self._taken[index]:
            return True
        cost = self.cost(index) + self._gaps(index)
        if self.units[index].kind == "orphan" or cost > self.room:
            return False
        self._take(index, cost)
        return True

    def add_part(self, index: int) -> bool:
        """Take a unit with its longest messages cut inside, so that it fits; whether it is taken now."""
        gaps = self._gaps(index)
        pieces = cut_unit(self.history, self.units[index], self.room - gaps, self._services)
        if self._taken[index] or not pieces:
            return self._taken[index]
        self._cut[index] = pieces
        self._take(index, sum(piece.tokens for piece in pieces) + gaps)
        return True

    def fill(self, order: Iterable[int], limit: int | None = None, partial: bool = False) -> int:
        """Take units in the given order while they fit; one that does not is passed over. Tokens taken.

        ``limit``: at most that many tokens. ``partial``: the first that does not fit is cut inside, which ends it.
        """
        before, allowed = self.room, self.room if limit is None else min(limit, self.room)
        for index in order:
            left = allowed - (before - self.room)
            if left <= 0:
                break
            if self._taken[index]:
                continue
            if self.cost(index) + self._gaps(index) <= left:
                self.add(index)
            elif partial and limit is None and self.add_part(index):
                break
        return before - self.room

    def pieces(self) -> list[Piece]:
        """What is sent, in time order, with a note at every gap."""
        found: list[Piece] = []
        omitted = 0
        for index, unit in enumerate(self.units):
            if not self._taken[index]:
                omitted += unit.stop - unit.start
                continue
            found += self._notes(omitted)
            omitted = 0
            found += self._cut.get(index) or [self.history.chat(position) for position in unit.positions]
        return found + self._notes(omitted)

    def _notes(self, omitted: int) -> list[Piece]:
        if not omitted or self._note == "off":
            return []
        return [note_piece(omitted, self._note, self._services)]

    def _take(self, index: int, cost: int) -> None:
        self._taken[index] = True
        self.room -= cost

    def _gaps(self, index: int) -> int:
        """What taking a unit adds in notes: it may split a gap in two, shorten it, or close it."""
        if not self._gap_cost:
            return 0
        open_left = index > 0 and not self._taken[index - 1]
        open_right = index + 1 < len(self.units) and not self._taken[index + 1]
        return (open_left + open_right - 1) * self._gap_cost
