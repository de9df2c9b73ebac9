"""Lines in order of time under the day they were written: a day's date is paid for once, not in every line."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mnemo_lab.context import Piece
from mnemo_lab.services import Services

NO_DAY: Final = "----"
"""Heads lines without a date that stand behind dated ones, so that they are not read as of that day."""


class Sheet:
    """Pieces by place (a message's position; a half before it for what stands for messages), with what they cost.

    A heading ``[2026-03-02]`` stands wherever the day changes from one piece to the next. Headings and pieces end in a
    newline, so their tokens add up. With ``rank`` (by place) pieces stand by it instead, the highest first and those
    without one before all, each under a heading of its own.
    """

    def __init__(self, services: Services, rank: Mapping[float, int] | None = None) -> None:
        self._services, self._rank = services, rank
        self._places: list[float] = []
        self._pieces: dict[float, tuple[str, Piece]] = {}

    def __contains__(self, place: float) -> bool:
        return place in self._pieces

    def __len__(self) -> int:
        return len(self._places)

    def cost(self, place: float, day: str, tokens: int) -> int:
        """Tokens by which a piece there lengthens the sheet: itself, its heading, the next one's if that changes."""
        if self._rank is not None:
            return tokens + self._services.count(f"[{day or NO_DAY}]\n")
        at = bisect_left(self._places, place)
        before, after = self._day(at - 1), self._day(at)
        was = self._heading(before, after)
        return tokens + self._heading(before, day) + self._heading(day, after) - was

    def put(self, place: float, day: str, piece: Piece) -> None:
        self._places.insert(bisect_left(self._places, place), place)
        self._pieces[place] = (day, piece)

    def drop(self, place: float) -> int:
        """Take a piece out again; the tokens that this frees."""
        self._places.remove(place)
        day, piece = self._pieces.pop(place)
        return self.cost(place, day, piece.tokens)

    def headings(self, days: Sequence[str]) -> int:
        """At most these tokens are taken by headings over pieces of these days in a row, and behind them."""
        heads = [day for at, day in enumerate(days) if not at or day != days[at - 1] or self._rank is not None]
        behind = max((self._heading(NO_DAY, day) for day, _ in self._pieces.values()), default=0) if heads else 0
        return behind + sum(self._heading(NO_DAY, day) for day in heads)

    def pieces(self) -> list[Piece]:
        """In the order in which they are sent; a heading is part of the piece below it."""
        found, last = [], None
        for place in self._sent():
            day, piece = self._pieces[place]
            head = heading(last, day) if self._rank is None else f"[{day or NO_DAY}]\n"
            tokens = piece.tokens + (self._services.count(head) if head else 0)
            found.append(replace(piece, text=head + piece.text, tokens=tokens) if head else piece)
            last = day
        return found

    def _sent(self) -> list[float]:
        rank = self._rank
        if rank is None:
            return self._places
        return sorted(self._places, key=lambda place: (place in rank, -rank.get(place, 0), place))

    def _day(self, at: int) -> str | None:
        return self._pieces[self._places[at]][0] if 0 <= at < len(self._places) else None

    def _heading(self, before: str | None, day: str | None) -> int:
        head = heading(before, day) if day is not None else ""
        return self._services.count(head) if head else 0


def heading(before: str | None, day: str) -> str:
    """What stands above a piece of ``day`` behind one of ``before`` (``None``: it is the first)."""
    return "" if day == (before or "") else f"[{day or NO_DAY}]\n"
