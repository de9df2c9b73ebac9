"""What a context is built from: pinned messages, the newest, checkpoint summaries, what was retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nsmallest
from math import inf
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from mnemo_lab.context import Piece, Source
from mnemo_lab.history import History
from mnemo_lab.hydration.excerpts import Excerpts
from mnemo_lab.hydration.index import Stretch
from mnemo_lab.packing.builder import ContextBuilder, Entry
from mnemo_lab.packing.lines import day_of
from mnemo_lab.services import Services
from mnemo_lab.text.language import language_of

if TYPE_CHECKING:
    from mnemo_lab.hydration.strategies.base import HydrationCandidates

PINNED: Final = "pinned"
"""Extension of a message (``true``) that is to stand in every context: a rule, a constraint."""
HALF: Final = 0.5
CLOSEST: Final = 100
_pinned: WeakKeyDictionary[History, tuple[int, list[int]]] = WeakKeyDictionary()
_SUMMARY: Final = {"en": "summary of {n} messages: ", "zh": "{n} 条消息的摘要："}


class Layers:
    """The entries of one question's layers. A message's place is its position, a summary's half before its first."""

    def __init__(self, history: History, services: Services, excerpts: Excerpts | None = None) -> None:
        self._history, self._services, self._excerpts = history, services, excerpts
        self._entries: dict[int, Entry] = {}
        self._whole = frozenset(self.pinned if excerpts else ())  # a pinned rule is no rule in parts
        self._summaries: dict[int, Entry] = {}

    def message(self, position: int, room: float = inf) -> Entry:
        """``room`` in tokens: where it is too small for an excerpt, none is made."""
        entry = self._entries.get(position)
        if entry is None:
            piece = self._history.undated(position)
            cut = self._excerpts is not None and self._excerpts.least <= room and position not in self._whole
            excerpts = self._excerpts if cut else None
            if excerpts:
                piece = excerpts.of(position, piece)
            entry = Entry(float(position), day_of(self._history.messages[position]), piece)
            if excerpts or not self._excerpts:
                self._entries[position] = entry
        return entry

    def messages(self, positions: Iterable[int], builder: ContextBuilder | None = None) -> Iterator[Entry]:
        """In this order; with a builder, what they may take is known."""
        return (self.message(position, inf if builder is None else builder.room) for position in positions)

    @property
    def pinned(self) -> list[int]:
        """Positions of pinned messages, oldest first. A history only grows, so every message is looked at once."""
        seen, found = _pinned.get(self._history, (0, []))
        fresh = self._history.messages[seen:]
        if fresh:
            found = [*found, *(seen + i for i, m in enumerate(fresh) if m.extensions.get(PINNED) is True)]
            _pinned[self._history] = len(self._history), found
        return found

    def newest(self, least: int = 0) -> Iterator[Entry]:
        """From the newest message back."""
        return map(self.message, range(len(self._history) - 1, least - 1, -1))

    def summaries(self, found: HydrationCandidates, builder: ContextBuilder, limit: int = CLOSEST) -> Iterator[Entry]:
        """Of the ``limit`` closest checkpoints, where most of what they cover is not there itself."""
        for number in nsmallest(limit, range(len(found.stretches)), key=lambda i: (-found.closeness[i], i)):
            stretch = found.stretches[number]
            missing = stretch.stop - stretch.start - builder.covered(stretch.start, stretch.stop)
            if stretch.checkpoint.summary and missing > HALF * (stretch.stop - stretch.start):
                yield self.summary(stretch)

    def summary(self, stretch: Stretch) -> Entry:
        if stretch.start not in self._summaries:
            self._summaries[stretch.start] = self._summary(stretch)
        return self._summaries[stretch.start]

    def _summary(self, stretch: Stretch) -> Entry:
        said = stretch.checkpoint
        head = _SUMMARY["zh" if language_of([said.summary]) == "zh" else "en"].format(n=stretch.stop - stretch.start)
        parts = [said.summary, *(d for d in (*said.decisions, *said.open_items) if d not in said.summary)]
        text = f"({head}{' '.join(' '.join(part.split()) for part in parts)})\n"
        inside = self._history.messages[stretch.start : stretch.stop]
        piece = Piece(text, self._services.count(text), tuple(Source(m.id, via="checkpoint") for m in inside))
        return Entry(stretch.start - HALF, day_of(inside[0]), piece, (stretch.start, stretch.stop))
