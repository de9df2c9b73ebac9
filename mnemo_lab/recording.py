"""Recordings and probes: the unit of replay, of dev/test split and of clustering in statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final, Literal

from mnemo_lab.conversation import Conversation, Message, nothing

Split = Literal["dev", "test"]
SESSION_KEY: Final = "session"
"""Extension key under which a message names its session (a dated block inside one long conversation)."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end - 1`` of a message's content."""

    message_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Probe:
    """A question asked at a known point of a recording.

    ``after`` is the id of the last message seen (``None``: asked at the very end). ``evidence`` are gold
    message ids; ``spans`` label where in them the answer stands (none: the whole message). ``answerable``
    is false where the recording does not say.
    """

    id: str
    question: str
    category: str
    evidence: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    answer: str | None = None
    aliases: tuple[str, ...] = ()
    after: str | None = None
    asked_at: str | None = None
    answerable: bool = True
    extensions: Mapping[str, Any] = field(default_factory=nothing)

    @property
    def answers(self) -> tuple[str, ...]:
        """The gold answer and its aliases."""
        return ((self.answer,) if self.answer else ()) + self.aliases


@dataclass(frozen=True, slots=True)
class Recording:
    """A namespace: one or more conversations in time order, and probes. Message ids are unique within it."""

    id: str
    conversations: tuple[Conversation, ...]
    probes: tuple[Probe, ...] = ()
    split: Split = "test"
    language: str = "en"

    def messages(self) -> Iterator[Message]:
        """All messages in time order."""
        for conversation in self.conversations:
            yield from conversation.messages

    def message(self, message_id: str) -> Message:
        """The message of that id; raises ``KeyError``."""
        for message in self.messages():
            if message.id == message_id:
                return message
        raise KeyError(message_id)

    def _repr_html_(self) -> str:
        count = sum(len(c.messages) for c in self.conversations)
        head = f"<b>{escape(self.id)}</b> ({self.language}, {self.split}): {len(self.conversations)} conversations, "
        head += f"{count} messages, {len(self.probes)} probes"
        rows = "".join(
            f"<tr><td>{escape(p.category)}</td><td style='text-align:left'>{escape(p.question)}</td>"
            f"<td style='text-align:left'>{escape(p.answer or '—')}</td></tr>"
            for p in self.probes[:8]
        )
        return f"{head}<table><tr><th>category</th><th>question</th><th>answer</th></tr>{rows}</table>"
