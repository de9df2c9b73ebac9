"""``recent``: the Mnemosyne truncator. System prompt kept, newest kept, oldest dropped first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from mnemo_lab.context import Budget, Piece, Query, Source
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.packing.elide import elide
from mnemo_lab.packing.pack import protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.truncation.base import Truncation
from mnemo_lab.units import Unit


@dataclass(frozen=True)
class Recent(Truncation):
    """Keep the newest units that fit.

    ``keep_system_prompt``: send the system prompt, and leading system messages, always. ``keep_last_n``: at most
    that many newest messages (``None``: as many as fit), but always the newest unit whole. ``cut_oversized``: where
    the newest unit alone does not fit, cut inside its longest messages instead of sending nothing.
    """

    name: ClassVar[str] = "recent"
    keep_system_prompt: bool = True
    keep_last_n: int | None = None
    cut_oversized: bool = True

    def __post_init__(self) -> None:
        if self.keep_last_n is not None and self.keep_last_n < 1:
            raise InvalidInput(f"recent(keep_last_n={self.keep_last_n}): must be 1 or more, or None for as many as fit")

    def system_prompt(self, history: History) -> str | None:
        return history.system_prompt if self.keep_system_prompt else None

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        head = self._protected(history)
        kept_head = [history.chat(p) for unit in head for p in unit.positions]
        room = (
            budget.tokens - protected_tokens(self.system_prompt(history), services) - sum(p.tokens for p in kept_head)
        )
        tail = self._newest(history, len(head), room)
        if tail is None:
            last = history.units[-1]
            return kept_head + (_cut_unit(history, last, room, services) if self.cut_oversized else [])
        return kept_head + [history.chat(position) for position in range(tail, len(history))]

    def _protected(self, history: History) -> list[Unit]:
        """Leading system messages of the list."""
        head: list[Unit] = []
        for unit in history.units if self.keep_system_prompt else ():
            if unit.kind != "system":
                break
            head.append(unit)
        return head

    def _newest(self, history: History, first_unit: int, room: int) -> int | None:
        """The position from which on everything is kept; ``None`` where the newest unit alone does not fit."""
        units, sums = history.units, history.chat_sums
        start = len(history)
        for unit in reversed(units[first_unit:]):
            too_many = self.keep_last_n is not None and len(history) - unit.start > self.keep_last_n
            if sums[len(history)] - sums[unit.start] > room:
                return _start_validly(history, start) if start < len(history) else None
            if too_many and start < len(history):
                break
            start = unit.start
        return _start_validly(history, start)


def _start_validly(history: History, start: int) -> int:
    """Move a cut past tool results whose call is gone: a list must not start with them."""
    while start < len(history) and history.messages[start].role == "tool":
        start += 1
    return start


def _cut_unit(history: History, unit: Unit, room: int, services: Services) -> list[Piece]:
    """The unit with its longest messages elided so that it fits, or nothing where even that does not."""
    if unit.kind == "orphan":
        return []
    pieces = [history.chat(position) for position in unit.positions]
    messages = [history.messages[position] for position in unit.positions]
    frames = [services.counter.message(replace(message, content="")) for message in messages]
    if sum(frames) > room:
        return []
    texts = [piece.tokens - frame for piece, frame in zip(pieces, frames, strict=True)]
    for i, share in enumerate(_shares(texts, room - sum(frames))):
        if share < texts[i]:
            short = elide(messages[i].text, share, services.counter)
            if short is None:
                return []
            cut = replace(messages[i], content=short.text)
            sources, cost = (Source(cut.id, short.spans),), services.message_tokens(cut)
            pieces[i] = Piece(short.text, cost, sources, cut, (short.dropped, short.total))
    return pieces


def _shares(costs: Sequence[int], room: int) -> list[int]:
    """Room for each: the small ones whole, the rest in equal parts."""
    shares = list(costs)
    for place, i in enumerate(sorted(range(len(costs)), key=costs.__getitem__)):
        shares[i] = min(costs[i], max(room, 0) // (len(costs) - place))
        room -= shares[i]
    return shares
