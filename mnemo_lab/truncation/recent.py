"""``recent``: the Mnemosyne truncator. System prompt kept, newest kept, oldest dropped first."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, NamedTuple

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
    drop_code: ClassVar[str] = "older"
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
        if self.low_water is not None and (self.partial or self.keep_last_n is not None):
            other = "partial=True" if self.partial else f"keep_last_n={self.keep_last_n}"
            raise InvalidInput(
                f"recent({other}, low_water={self.low_water}): {other} moves the cut with every message, "
                "low_water leaves it where it is; give one of them"
            )

    def system_prompt(self, history: History) -> str | None:
        return history.system_prompt if self.keep_system_prompt else None

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        first = leading_systems(history) if self.keep_system_prompt else 0
        head = [history.chat(position) for position in range(first)]
        room = budget.tokens - protected_tokens(self.system_prompt(history), services) - sum(p.tokens for p in head)
        return head + self._tail(history, first, room, services)

    def _tail(self, history: History, first: int, room: int, services: Services) -> list[Piece]:
        """The newest pieces behind the first positions; where a note would cost the newest unit, there is none."""
        plain = self._fitting(history, first, room, services)
        spare = note_cost(self.note, services)
        if not spare or plain.start == first or not plain.pieces:
            return plain.pieces
        noted = self._fitting(history, first, room - spare, services)
        if not noted.pieces or (plain.kept and not noted.kept):
            return plain.pieces
        return [note_piece(noted.start - first, self.note, services), *noted.pieces]

    def _fitting(self, history: History, first: int, room: int, services: Services) -> _Tail:
        kept, boundary = self._newest(history, first, room)
        pieces = [history.chat(position) for unit in kept for position in unit.positions]
        start = kept[0].start if kept else len(history)
        if boundary and (self.partial or (self.cut_oversized and not kept)):
            part = cut_unit(history, boundary, room - sum(piece.tokens for piece in pieces), services)
            return _Tail(boundary.start if part else start, part + pieces, len(kept))
        return _Tail(start, pieces, len(kept))

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
        """The position before which nothing is kept, because a cut to the low mark was made there.

        The history is gone through as it came, message by message: what a step grew by later moves no earlier cut.
        """
        if self.low_water is None:
            return 0
        units = [unit for unit in history.units if unit.start >= first and unit.kind != "orphan"]
        starts = list(accumulate((unit.stop - unit.start for unit in units), initial=0))
        costs = (history.chat(position).tokens for unit in units for position in unit.positions)
        sums = list(accumulate(costs, initial=0))
        before = [sums[start] for start in starts]
        low, cut = int(max(room, 0) * self.low_water), 0
        while cut < len(units):
            over = bisect_right(sums, before[cut] + max(room, 0))  # so many messages are too much
            if over == len(sums):
                return units[cut].start
            newest = bisect_left(starts, over) - 1  # the unit that was going on then is never dropped
            cut = max(min(bisect_left(before, sums[over] - low), newest), cut + 1)
        return units[-1].start if units else 0


class _Tail(NamedTuple):
    """Pieces from the message at ``start`` on, and how many whole units they are."""

    start: int
    pieces: list[Piece]
    kept: int
