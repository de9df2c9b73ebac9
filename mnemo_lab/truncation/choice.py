"""Choice: which units are sent. What is protected first, then what is added while it fits, notes counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress

from mnemo_lab.context import Budget, Piece
from mnemo_lab.history import History
from mnemo_lab.packing.pack import protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.truncation.cutting import cut_pieces
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
    are never taken. ``room`` is what is left, each omission note reserved at its longest; where a note would cost
    the newest unit, there are none. ``instead`` has shorter pieces that stand for the messages at their positions.
    """

    def __init__(
        self,
        history: History,
        budget: Budget,
        services: Services,
        note: Note = "off",
        cut_oversized: bool = True,
        keep_newest: bool = True,
        instead: Mapping[int, Piece] | None = None,
    ) -> None:
        self.history, self._services, self._note = history, services, note
        self.units: list[Unit] = history.units
        self._instead = instead or {}
        self._taken = [False] * len(self.units)
        self._cut: dict[int, list[Piece]] = {}
        self._gap_cost = note_cost(note, services)
        self.head = leading_systems(history)
        self.room = budget.tokens - protected_tokens(history.system_prompt, services)
        for index in range(self.head):
            self._take(index, self.cost(index))
        self.whole = self.room
        """Tokens beside what is always sent."""
        if self._gap_cost and self._all_fit():
            self._gap_cost, self._note = 0, "off"
        if self.head < len(self.units):
            self.room -= self._gap_cost
        below = range(len(self.units) - 1, self.head - 1, -1)
        newest = next((index for index in below if self.units[index].kind != "orphan"), None)
        if keep_newest and newest is not None:
            self._keep(newest, cut_oversized)
        if self.room < 0:
            self._drop_notes()

    def __contains__(self, index: int) -> bool:
        return self._taken[index]

    def cost(self, index: int) -> int:
        """Tokens of a unit that is not cut."""
        return sum(self._piece(position).tokens for position in self.units[index].positions)

    def add(self, index: int, limit: int | None = None) -> bool:
        """Take a unit if it fits (into ``limit`` tokens at most); whether it is taken now."""
        if self._taken[index] or self.units[index].kind == "orphan":
            return self._taken[index]
        cost = self.cost(index) + self._gaps(index)
        if cost > (self.room if limit is None else min(limit, self.room)):
            return False
        self._take(index, cost)
        return True

    def add_part(self, index: int, limit: int | None = None) -> bool:
        """Take a unit with its longest messages cut inside, so that it fits (into ``limit`` tokens at most); whether
        it is taken now."""
        if self._taken[index] or self.units[index].kind == "orphan":
            return self._taken[index]
        gaps = self._gaps(index)
        room = (self.room if limit is None else min(limit, self.room)) - gaps
        pieces = cut_pieces([self._piece(position) for position in self.units[index].positions], room, self._services)
        if not pieces:
            return False
        self._cut[index] = pieces
        self._take(index, sum(piece.tokens for piece in pieces) + gaps)
        return True

    def fill(self, order: Iterable[int], limit: int | None = None, partial: bool = False, stop: bool = False) -> int:
        """Take units in the given order while they fit; one that does not is passed over. Tokens taken.

        ``limit``: at most that many tokens. ``partial``: the first that does not fit is cut inside, which ends it.
        ``stop``: the first that does not fit ends it.
        """
        before, allowed = self.room, self.room if limit is None else min(limit, self.room)
        for index in order:
            left = allowed - (before - self.room)
            if left <= 0 and not self._gap_cost:  # closing a gap gives room back
                break
            if self.add(index, left) or self.units[index].kind == "orphan":
                continue
            if stop or (partial and self.add_part(index, left)):
                break
        return before - self.room

    def pieces(self) -> list[Piece]:
        """What is sent, in time order, with a note at every gap; no notes alone."""
        found: list[Piece] = []
        shown = 0  # messages that are sent or in a note
        if not any(self._taken[self.head :]):
            self._note = "off"
        for index in compress(range(len(self.units)), self._taken):
            unit = self.units[index]
            found += self._notes(unit.start - shown)
            found += self._cut.get(index) or map(self._piece, unit.positions)
            shown = unit.stop
        return found + self._notes(len(self.history) - shown)

    def _piece(self, position: int) -> Piece:
        return self._instead.get(position) or self.history.chat(position)

    def _all_fit(self) -> bool:
        """Whether nothing has to be omitted; counts no more than fits."""
        left = self.whole
        for index in range(len(self.units) - 1, self.head - 1, -1):
            left -= self.cost(index)
            if left < 0 or self.units[index].kind == "orphan":
                return False
        return True

    def _keep(self, index: int, cut_oversized: bool) -> None:
        if self.add(index) or not (cut_oversized or self._gap_cost):
            return
        if self.cost(index) <= self.room + self._gap_cost:
            self._drop_notes()
            self.add(index)
        elif cut_oversized and not self.add_part(index):
            self._drop_notes()
            self.add_part(index)

    def _drop_notes(self) -> None:
        """Give what is reserved for the one gap there is back; without room for a note there is none."""
        if self._gap_cost and self.head < len(self.units):
            self.room += self._gap_cost
        self._gap_cost, self._note = 0, "off"

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
