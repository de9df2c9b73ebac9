"""Read messages of Ollama's chat API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message, ToolCall
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.lists.each import readings
from mnemo_lab.formats.lists.pairing import Calls
from mnemo_lab.formats.lists.values import is_base64, media_type_of
from mnemo_lab.formats.openai_chat.gather import (
    At,
    Gathered,
    Notes,
    arguments,
    body_of,
    conversation_of,
    ids_in,
    rest_of,
    role_of,
    text_at,
)
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss

FORMAT: Final = "ollama"
_EXPECTED: Final = 'an object with "messages", or a list of messages with role and content'
_KNOWN: Final = frozenset({"role", "content", "thinking", "images", "tool_calls", "tool_name", "name", "tool_call_id"})


def read(source: Source) -> Iterator[Reading]:
    """Every conversation of JSON and JSONL files; raises ``InvalidInput`` where there is none at all."""
    return readings(source, _is_message, _convert)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and "messages" not in value


def _convert(value: Any, losses: list[Loss]) -> Conversation:
    notes = Notes(losses)
    body = body_of(value, "messages", _EXPECTED)
    reader = _Reader(notes, set(ids_in(body.entries)))
    for index, entry in enumerate(body.entries):
        if isinstance(entry, dict):
            reader.message(entry, (*body.at, index))
        else:
            notes.add("unknown_record", (*body.at, index), type=shorten(entry))
    return conversation_of(reader.messages, body.fields, FORMAT, notes, known=("messages", "model"), at=body.at)


class _Reader:
    def __init__(self, notes: Notes, taken: set[str]) -> None:
        self._notes = notes
        self._calls = Calls(taken)
        self.messages: list[Message] = []

    def message(self, entry: dict[str, Any], at: At) -> None:
        role = role_of(entry, at, self._notes)
        parts = Gathered(FORMAT, self._notes, at)
        content = entry.get("content", MISSING)
        if not (content is None or content is MISSING or isinstance(content, str)):
            self._content(content, parts, (*at, "content"))
            content = parts.content(role)
        images = entry.get("images")
        for index, image in enumerate(images if isinstance(images, list) else ()):
            _image(parts, image, (*at, "images", index))
        if text_at(entry, "thinking"):
            parts.reasoning.append({"text": entry["thinking"]})
        name = text_at(entry, "tool_name") or text_at(entry, "name")
        answers = None
        if role == "tool":
            answers, name = self._calls.answered(text_at(entry, "tool_call_id"), name)
        else:
            self._calls.closed()
        fields = rest_of(entry, _KNOWN)
        self.messages.append(
            Message(
                role,
                content,
                name=name,
                tool_calls=self._tool_calls(entry, at) if role == "assistant" else (),
                tool_call_id=answers,
                attachments=tuple(parts.attachments),
                extensions=parts.extensions({"fields": fields} if fields else {}),
            )
        )

    def _content(self, content: Any, parts: Gathered, at: At) -> None:
        """Content that is no text, which Ollama does not write."""
        for index, part in enumerate(content if isinstance(content, list) else [content]):
            text = part if isinstance(part, str) else text_at(part, "text")
            if text is None:
                self._notes.add("unknown_block", (*at, index), type=text_at(part, "type") or shorten(part))
                parts.broken.append(part)
            else:
                parts.text(text, (*at, index))

    def _tool_calls(self, entry: dict[str, Any], at: At) -> tuple[ToolCall, ...]:
        found = []
        listed = entry.get("tool_calls")
        for index, call in enumerate(listed if isinstance(listed, list) else ()):
            where = (*at, "tool_calls", index)
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                found.append(self._call(call, function, where))
            else:
                self._notes.add("unknown_block", where, type=shorten(call))
        return tuple(found)

    def _call(self, call: dict[str, Any], function: dict[str, Any], at: At) -> ToolCall:
        name = text_at(function, "name") or ""
        written = arguments(function.get("arguments"), name, at, self._notes)
        id_, losses = self._calls.opened(text_at(call, "id"), name)
        for item in losses:
            self._notes.add(item.code, at, **dict(item.values))
        return ToolCall(id_, name, written)


def _image(parts: Gathered, image: Any, at: At) -> None:
    """An image as bare base64; its type is told by its first bytes."""
    if isinstance(image, str) and image.startswith("data:"):
        parts.link("image", image, image, at)
        return
    data = "".join(image.split()) if isinstance(image, str) else ""
    if not is_base64(data):
        parts.notes.add("image_dropped", at, reason="its data is not base64")
        parts.broken.append(image)
        return
    bare = Attachment("image", data=data)
    parts.attach(Attachment("image", media_type_of(bare), data=data), at)
