"""What a context is built from: pinned messages, the newest, checkpoint summaries, what was retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mnemo_lab.context import Piece, Source
from mnemo_lab.history import History
from mnemo_lab.hydration.builder import ContextBuilder, Entry
from mnemo_lab.hydration.excerpts import Excerpts
from mnemo_lab.hydration.index import Stretch
from mnemo_lab.packing.lines import day_of
from mnemo_lab.services import Services
from mnemo_lab.text.language import language_of

if TYPE_CHECKING:
    from mnemo_lab.hydration.strategies.base import HydrationCandidates

PINNED: Final = "pinned"
"""Extension of a message (``true``) that is to stand in every context: a rule, a constraint."""
HALF: Final = 0.5
_SUMMARY: Final = {"en": "summary of {n} messages: ", "zh": "{n} 条消息的摘要："}


class Layers:
    """The entries of one question's layers. A message's place is its position, a summary's half before its first."""

    def __init__(self, history: History, services: Services, excerpts: Excerpts | None = None) -> None:
        self._history, self._services, self._excerpts = history, services, excerpts
        self._entries: dict[int, Entry] = {}

    def message(self, position: int) -> Entry:
        entry = self._entries.get(position)
        if entry is None:
            piece = self._history.undated(position)
            if self._excerpts is not None:
                piece = self._excerpts.of(position, piece)
            entry = Entry(float(position), day_of(self._history.messages[position]), piece)
            self._entries[position] = entry
        return entry

    def messages(self, positions: Sequence[int]) -> Iterator[Entry]:
        return map(self.message, positions)

    @cached_property
    def pinned(self) -> list[int]:
        """Positions of pinned messages, oldest first."""
        return [i for i, message in enumerate(self._history.messages) if message.extensions.get(PINNED) is True]

    def newest(self, least: int = 0) -> Iterator[Entry]:
        """From the newest message back."""
        return map(self.message, range(len(self._history) - 1, least - 1, -1))

    def summaries(
        self, found: HydrationCandidates, builder: ContextBuilder, limit: int | None = None
    ) -> Iterator[Entry]:
        """Of checkpoints from the closest on, where most of what they cover is not there itself."""
        ranked = sorted(range(len(found.stretches)), key=lambda i: (-found.closeness[i], i))
        for number in ranked[:limit]:
            stretch = found.stretches[number]
            missing = stretch.stop - stretch.start - builder.covered(stretch.start, stretch.stop)
            if stretch.checkpoint.summary and missing > HALF * (stretch.stop - stretch.start):
                yield self.summary(stretch)

    def summary(self, stretch: Stretch) -> Entry:
        said = stretch.checkpoint
        head = _SUMMARY["zh" if language_of([said.summary]) == "zh" else "en"].format(n=stretch.stop - stretch.start)
        parts = [said.summary, *(d for d in (*said.decisions, *said.open_items) if d not in said.summary)]
        text = f"({head}{' '.join(' '.join(part.split()) for part in parts)})\n"
        inside = self._history.messages[stretch.start : stretch.stop]
        piece = Piece(text, self._services.count(text), tuple(Source(m.id, via="checkpoint") for m in inside))
        return Entry(stretch.start - HALF, day_of(inside[0]), piece, (stretch.start, stretch.stop))
