"""What a summary is, and what writes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mnemo_lab.context import Source
from mnemo_lab.conversation import Message


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line without its newline. A quoted sentence has verbatim sources with spans; anything else sources
    without spans, ``via`` summary."""

    text: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """Lines that stand for the messages ``covered`` (ids, in time order), each covered exactly once.

    ``writer`` is who wrote it; ``fell_back`` says why, where the writer that was asked could not.
    """

    lines: tuple[SummaryLine, ...]
    covered: tuple[str, ...]
    writer: str
    fell_back: str | None = None

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


class Summariser(Protocol):
    """Folds messages into an earlier summary. The same input gives the same summary."""

    def fold(self, earlier: Summary | None, messages: Sequence[Message], max_tokens: int) -> Summary:
        """A summary of at most ``max_tokens`` for what ``earlier`` covers and for ``messages`` (ids set, in time
        order, and none covered yet)."""
