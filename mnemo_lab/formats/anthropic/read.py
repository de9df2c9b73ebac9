"""Read Anthropic messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Conversation, Message, Missing, ToolCall
from mnemo_lab.formats.anthropic.blocks import FORMAT, PROVIDER, broken_media, media
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.lists.each import readings
from mnemo_lab.formats.lists.pairing import Calls
from mnemo_lab.formats.lists.values import text_of
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

_KNOWN: Final = frozenset({"text", "tool_use", "tool_result"})
_EXPECTED: Final = 'an object with "messages", or a list of messages with role and content'


def read(source: Source) -> Iterator[Reading]:
    """Every conversation of JSON and JSONL files; raises ``InvalidInput`` where there is none at all."""
    return readings(source, _is_message, _convert)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and "messages" not in value


def _convert(value: Any, losses: list[Loss]) -> Conversation:
    notes = Notes(losses)
    body = body_of(value, "messages", _EXPECTED)
    reader = _Reader(notes, set(ids_in(body.entries)), text_at(body.fields, "model"))
    for index, entry in enumerate(body.entries):
        if isinstance(entry, dict):
            reader.message(entry, (*body.at, index))
        else:
            notes.add("unknown_record", (*body.at, index), type=shorten(entry))
    known = ("messages", "model", "system")
    prompt, blocks = _system(body.fields.get("system"), notes)
    found = conversation_of(reader.messages, body.fields, FORMAT, notes, known=known, at=body.at, prompt=prompt)
    if blocks is None:
        return found
    kept = {**found.extensions.get(FORMAT, {}), "system_blocks": blocks}
    return replace(found, extensions={**found.extensions, FORMAT: kept})


def _system(system: Any, notes: Notes) -> tuple[str | None, list[Any] | None]:
    """The system prompt, and its blocks where they say more than their texts."""
    if system is None or isinstance(system, str):
        return system, None
    texts: list[str] = []
    for index, block in enumerate(system if isinstance(system, list) else [system]):
        text = block if isinstance(block, str) else text_at(block, "text")
        if text is None:
            notes.add("unknown_block", ("system", index), type=text_at(block, "type") or shorten(block))
        else:
            texts.append(text)
    plain = isinstance(system, list) and len(system) == 1 and texts and system[0].keys() <= {"type", "text"}
    return "\n\n".join(texts) if texts else None, None if plain or not isinstance(system, list) else system


class _Reader:
    def __init__(self, notes: Notes, taken: set[str], model: str | None) -> None:
        self._notes, self._model = notes, model
        self._calls = Calls(taken)
        self.messages: list[Message] = []

    def message(self, entry: dict[str, Any], at: At) -> None:
        """One message; a turn with tool results is one for each of them, and one for what else it says."""
        role = role_of(entry, at, self._notes)
        parts = Gathered(FORMAT, self._notes, at, media_first=True)
        content = entry.get("content", MISSING)
        calls: list[ToolCall] = []
        results: list[Message] = []
        if isinstance(content, list):
            for index, block in enumerate(content):
                where = (*at, "content", index)
                if isinstance(block, dict) and block.get("type") == "tool_result":
                    if parts.texts or parts.attachments:
                        self._notes.add("parts_reordered", where)
                    results.append(self._result(block, where))
                elif isinstance(block, dict) and block.get("type") == "tool_use" and role == "assistant":
                    calls.append(self._call(block, where, opens=not calls))
                else:
                    self._block(parts, index, block, where, late=bool(calls))
        said = self._said(entry, role, parts, content, calls)
        spoke = bool(parts.texts or parts.attachments or parts.parts or calls) or not results
        if role == "assistant":
            self.messages += [said, *results] if spoke else results
        else:
            self.messages += [*results, said] if spoke else results
        if role != "assistant" and spoke:
            self._calls.closed()

    def _said(self, entry: dict[str, Any], role: Any, parts: Gathered, content: Any, calls: list[ToolCall]) -> Message:
        fields = rest_of(entry, {"role", "content", "id", "type"} | ({"model"} if role == "assistant" else set()))
        own: dict[str, Any] = {"fields": fields} if fields else {}
        if role == "system" and self.messages:
            own["in_place"] = True
        text: str | Missing | None = parts.content(role) if isinstance(content, list) else None
        if isinstance(content, str | None | Missing):
            text = content
        return Message(
            role if role != "tool" else "user",
            text,
            text_at(entry, "id") or "",
            tool_calls=tuple(calls),
            attachments=tuple(parts.attachments),
            extensions=parts.extensions(own),
        )

    def _block(self, parts: Gathered, index: int, block: Any, at: At, late: bool) -> None:
        kind = block.get("type") if isinstance(block, dict) else None
        if isinstance(block, str):
            parts.text(block, at)
        elif kind == "text" and isinstance(block.get("text"), str):
            if late and block["text"]:
                self._notes.add("parts_reordered", at)
            _text(parts, block, at)
        elif kind in ("thinking", "redacted_thinking"):
            if parts.texts or late:
                self._notes.add("parts_reordered", at)
            parts.reasoning.append(self._thinking(block))
        elif not media(parts, block, at):
            parts.keep(index, block, at, broken=_KNOWN | broken_media(block))

    def _thinking(self, block: Mapping[str, Any]) -> dict[str, Any]:
        entry: dict[str, Any] = {"text": text_at(block, "thinking") or ""}
        for key in ("signature", "data"):
            if text_at(block, key):
                entry[key] = block[key]
        return entry | {"provider": PROVIDER} | ({"model": self._model} if self._model else {})

    def _call(self, block: Mapping[str, Any], at: At, opens: bool) -> ToolCall:
        if opens:
            self._calls.closed()
        name = text_at(block, "name") or ""
        written = arguments(block.get("input"), name, at, self._notes)
        id_, losses = self._calls.opened(text_at(block, "id"), name)
        for item in losses:
            self._notes.add(item.code, at, **dict(item.values))
        fields = rest_of(block, {"type", "id", "name", "input", "cache_control"})
        return ToolCall(id_, name, written, {FORMAT: {"fields": fields}} if fields else {})

    def _result(self, block: dict[str, Any], at: At) -> Message:
        parts = Gathered(FORMAT, self._notes, at)
        content = block.get("content", MISSING)
        text: str | Missing | None
        if isinstance(content, str | None | Missing):
            text = content
        elif isinstance(content, list):
            for index, inner in enumerate(content):
                self._block(parts, index, inner, (*at, "content", index), late=False)
            text = parts.content("tool")
        else:
            text = text_of(content)
        call, name = self._calls.answered(text_at(block, "tool_use_id"), None)
        fields = rest_of(block, {"type", "tool_use_id", "content", "is_error", "cache_control"})
        extensions = parts.extensions({"fields": fields} if fields else {})
        if block.get("is_error") is True:
            extensions["is_error"] = True
        return Message(
            "tool",
            text,
            tool_call_id=call,
            name=name,
            attachments=tuple(parts.attachments),
            extensions=extensions,
        )


def _text(parts: Gathered, block: dict[str, Any], at: At) -> None:
    """Text; where citations cut one text into blocks, no blank line parts them."""
    citations = block.get("citations")
    found = [item for item in citations if isinstance(item, dict)] if isinstance(citations, list) else []
    joined = bool(parts.texts and parts.texts[-1]) and (bool(found) or parts.cited)
    start = parts.length - (2 if joined else 0)
    end = start + len(block["text"])
    parts.citations += [item | {"start": start, "end": end} for item in found]
    if joined:
        parts.texts[-1] += block["text"]
    else:
        parts.text(block["text"], at)
    parts.cited = bool(found)
    for key in rest_of(block, {"type", "text", "citations"}):
        parts.notes.add("field_dropped", at, field=key)
