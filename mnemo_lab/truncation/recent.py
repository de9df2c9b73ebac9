"""``recent``: the Mnemosyne truncator. System prompt kept, newest kept, oldest dropped first."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.context import Budget, Piece, Query
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.packing.pack import protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.truncation.base import Truncation
from mnemo_lab.truncation.choice import leading_systems
from mnemo_lab.truncation.cutting import cut_unit
from mnemo_lab.truncation.notes import Note, note_cost, note_piece
from mnemo_lab.units import Unit


@dataclass(frozen=True)
class Recent(Truncation):
    """Keep the newest units that fit.

    ``keep_system_prompt``: send the system prompt, and leading system messages, always. ``keep_last_n``: at most
    that many newest messages (``None``: as many as fit), but always the newest unit whole. ``cut_oversized``: where
    the newest unit alone does not fit, cut inside its longest messages instead of sending nothing. ``partial``: cut
    inside the oldest unit too that fits only in part. ``note``: say how many messages were omitted, in English or
    Chinese. ``low_water`` (0 to 1): when the history outgrows the budget, cut it down to that share, and leave the
    cut where it is until the budget is outgrown again, so that the beginning of the prompt stays the same and a
    vendor's prompt cache can be used.
    """

    name: ClassVar[str] = "recent"
    keep_system_prompt: bool = True
    keep_last_n: int | None = None
    cut_oversized: bool = True
    partial: bool = False
    note: Note = "off"
    low_water: float | None = None

    def __post_init__(self) -> None:
        if self.keep_last_n is not None and self.keep_last_n < 1:
            raise InvalidInput(f"recent(keep_last_n={self.keep_last_n}): must be 1 or more, or None for as many as fit")
        if self.low_water is not None and not 0 <= self.low_water <= 1:
            raise InvalidInput(f"recent(low_water={self.low_water}): must be a share of the budget from 0 to 1")

    def system_prompt(self, history: History) -> str | None:
        return history.system_prompt if self.keep_system_prompt else None

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        first = leading_systems(history) if self.keep_system_prompt else 0
        head = [history.chat(position) for position in range(first)]
        room = budget.tokens - protected_tokens(self.system_prompt(history), services) - sum(p.tokens for p in head)
        return head + self._tail(history, first, room, services)

    def _tail(self, history: History, first: int, room: int, services: Services) -> list[Piece]:
        kept, boundary = self._newest(history, first, room)
        spare = note_cost(self.note, services)
        if spare and _count(kept) < len(history) - first:
            room -= spare
            kept, boundary = self._newest(history, first, room)
        pieces = [history.chat(position) for unit in kept for position in unit.positions]
        if boundary is not None and (self.partial or (self.cut_oversized and not pieces)):
            part = cut_unit(history, boundary, room - sum(piece.tokens for piece in pieces), services)
            pieces, kept = part + pieces, [boundary, *kept] if part else kept
        omitted = len(history) - first - _count(kept)
        if spare and omitted and room >= 0:
            pieces = [note_piece(omitted, self.note, services), *pieces]
        return pieces

    def _newest(self, history: History, first: int, room: int) -> tuple[list[Unit], Unit | None]:
        """The newest units that fit, in time order, and the one before them that did not; orphans apart."""
        kept: list[Unit] = []
        earliest = self._low_cut(history, first, room)
        for unit in history.newest_units():
            too_many = self.keep_last_n is not None and len(history) - unit.start > self.keep_last_n
            if unit.start < first or (kept and (too_many or unit.start < earliest)):
                break
            cost = sum(history.chat(position).tokens for position in unit.positions)
            if unit.kind == "orphan":
                continue
            if cost > room:
                return kept[::-1], unit
            kept.append(unit)
            room -= cost
        return kept[::-1], None

    def _low_cut(self, history: History, first: int, room: int) -> int:
        """The position before which nothing is kept, because a cut to the low mark was made there."""
        if self.low_water is None:
            return 0
        low, sums = int(max(room, 0) * self.low_water), history.chat_sums
        units = [unit for unit in history.units if unit.start >= first]
        before, after = [sums[unit.start] for unit in units], [sums[unit.stop] for unit in units]
        cut = 0  # the first unit kept
        while cut < len(units):
            over = bisect_right(after, before[cut] + room)  # the first unit whose end outgrows the budget
            if over >= len(units):
                return units[cut].start
            cut = max(bisect_left(before, after[over] - low, cut, max(over, cut)), cut + 1)
        return units[-1].start if units else 0


def _count(units: Sequence[Unit]) -> int:
    return sum(unit.stop - unit.start for unit in units)
