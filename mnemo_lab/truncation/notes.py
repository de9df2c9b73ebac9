"""Omission notes: "[12 messages omitted]" where something was left out. Their tokens count."""

from __future__ import annotations

from typing import Final, Literal

from mnemo_lab.context import Piece
from mnemo_lab.conversation import Message
from mnemo_lab.services import Services

Note = Literal["off", "en", "zh"]
_SIZES: Final = (1, 2, 10, 100, 1000, 10_000, 100_000)


def note_piece(count: int, note: Note, services: Services) -> Piece:
    """The note for ``count`` omitted messages: said by the user, since every chat API takes that anywhere."""
    english = f"[{count} message{'s' if count > 1 else ''} omitted]"
    text = f"[省略了 {count} 条消息]" if note == "zh" else english
    message = Message("user", text)
    return Piece(text, services.message_tokens(message), (), message)


def note_cost(note: Note, services: Services) -> int:
    """At most what one note takes; 0 where notes are off."""
    return 0 if note == "off" else max(note_piece(count, note, services).tokens for count in _SIZES)
