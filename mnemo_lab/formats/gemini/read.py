"""Read contents of the Gemini API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mnemo_lab.conversation import Conversation, Message, Role, ToolCall
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.gemini.parts import FORMAT, camel, media, result_text, take
from mnemo_lab.formats.lists.each import readings
from mnemo_lab.formats.lists.pairing import Calls
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

_EXPECTED: Final = 'an object with "contents", or a list of contents with role and parts'
_SYSTEM: Final = ("systemInstruction", "system_instruction")


def read(source: Source) -> Iterator[Reading]:
    """Every conversation of JSON and JSONL files; raises ``InvalidInput`` where there is none at all."""
    return readings(source, _is_content, _convert)


def _is_content(value: Any) -> bool:
    return isinstance(value, dict) and "parts" in value and "contents" not in value


def _convert(value: Any, losses: list[Loss]) -> Conversation:
    notes = Notes(losses)
    if isinstance(value, dict) and isinstance(value.get("contents"), str | dict):
        value = value | {"contents": [value["contents"]]}  # as the Python client takes it
    body = body_of(value, "contents", _EXPECTED)
    entries = [camel(entry) if isinstance(entry, dict) else entry for entry in body.entries]
    reader = _Reader(notes, set(ids_in(entries)), text_at(body.fields, "model"))
    for index, entry in enumerate(entries):
        if isinstance(entry, dict | str):
            reader.content(entry if isinstance(entry, dict) else {"parts": [entry]}, (*body.at, index))
        else:
            notes.add("unknown_record", (*body.at, index), type=shorten(entry))
    key = next((key for key in _SYSTEM if key in body.fields), _SYSTEM[0])
    prompt = _system(body.fields.get(key), notes, (key,))
    known = ("contents", "model", *_SYSTEM)
    return conversation_of(reader.messages, body.fields, FORMAT, notes, known=known, at=body.at, prompt=prompt)


def _system(system: Any, notes: Notes, at: At) -> str | None:
    """The instruction's text; Gemini takes text only."""
    if system is None or isinstance(system, str):
        return system
    parts = system.get("parts", []) if isinstance(system, dict) else system
    texts = []
    for index, part in enumerate(parts if isinstance(parts, list) else [parts]):
        text = part if isinstance(part, str) else text_at(part, "text")
        if text is None:
            notes.add("unknown_block", (*at, "parts", index), type=shorten(part))
        else:
            texts.append(text)
    return "\n\n".join(texts) if texts else None


class _Reader:
    def __init__(self, notes: Notes, taken: set[str], model: str | None) -> None:
        self._notes, self._model = notes, model
        self._calls = Calls(taken)
        self.messages: list[Message] = []

    def content(self, entry: dict[str, Any], at: At) -> None:
        """One content; the results in it are messages of their own, in front of what else it says."""
        role = "user" if entry.get("role") in (None, "") else self._role(entry, at)
        parts = Gathered(FORMAT, self._notes, at)
        calls: list[ToolCall] = []
        results: list[Message] = []
        signature = None
        listed = entry.get("parts")
        for index, part in enumerate(listed if isinstance(listed, list) else [] if listed is None else [listed]):
            where = (*at, "parts", index)
            if isinstance(part, dict) and isinstance(part.get("functionCall"), dict) and role == "assistant":
                if not calls:
                    self._calls.closed()
                calls.append(self._call(part, where))
            elif isinstance(part, dict) and isinstance(part.get("functionResponse"), dict):
                if parts.texts or parts.attachments:
                    self._notes.add("parts_reordered", where)
                results.append(self._result(part["functionResponse"], where))
            else:
                if calls and text_at(part, "text"):
                    self._notes.add("parts_reordered", where)
                take(parts, index, part, self._model, where)
                if isinstance(part, dict) and part.get("thought") is not True:
                    signature = text_at(part, "thoughtSignature") or signature
        self._add(entry, role, parts, calls, results, signature)

    def _role(self, entry: dict[str, Any], at: At) -> Role:
        if entry.get("role") == "model":
            return "assistant"
        found = role_of(entry, at, self._notes)
        return "user" if found == "tool" else found

    def _add(
        self,
        entry: dict[str, Any],
        role: Role,
        parts: Gathered,
        calls: list[ToolCall],
        results: list[Message],
        signature: str | None,
    ) -> None:
        own: dict[str, Any] = {}
        if fields := rest_of(entry, {"role", "parts"}):
            own["fields"] = fields
        if signature:
            own |= {"thoughtSignature": signature} | ({"model": self._model} if self._model else {})
        self.messages += results
        if results and not (parts.texts or parts.attachments or parts.parts or parts.reasoning or calls):
            return
        if role != "assistant":
            self._calls.closed()
        self.messages.append(
            Message(
                role,
                parts.content(role, joiner=""),
                tool_calls=tuple(calls),
                attachments=tuple(parts.attachments),
                extensions=parts.extensions(own),
            )
        )

    def _call(self, part: dict[str, Any], at: At) -> ToolCall:
        call = part["functionCall"]
        name = text_at(call, "name") or ""
        written = arguments(call.get("args"), name, at, self._notes)
        id_, losses = self._calls.opened(text_at(call, "id"), name)
        for item in losses:
            self._notes.add(item.code, at, **dict(item.values))
        own: dict[str, Any] = {}
        if text_at(part, "thoughtSignature"):
            own["thoughtSignature"] = part["thoughtSignature"]
            own |= {"model": self._model} if self._model else {}
        if fields := rest_of(call, {"id", "name", "args"}):
            own["fields"] = fields
        return ToolCall(id_, name, written, {FORMAT: own} if own else {})

    def _result(self, response: dict[str, Any], at: At) -> Message:
        parts = Gathered(FORMAT, self._notes, at)
        call, name = self._calls.answered(text_at(response, "id"), text_at(response, "name"))
        text, failed = result_text(response.get("response"))
        listed = response.get("parts")
        for index, part in enumerate(listed if isinstance(listed, list) else ()):
            if not (isinstance(part, dict) and media(parts, part, (*at, "parts", index))):
                parts.keep(index, part, (*at, "parts", index))
        fields = rest_of(response, {"id", "name", "response", "parts"})
        extensions = parts.extensions({"fields": fields} if fields else {})
        if failed:
            extensions["is_error"] = True
        return Message(
            "tool",
            text,
            tool_call_id=call,
            name=name,
            attachments=tuple(parts.attachments),
            extensions=extensions,
        )
