"""Read Chat Completions messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message, Missing, Role, ToolCall
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.faults import shorten
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
from mnemo_lab.formats.times import iso_time
from mnemo_lab.losses import Loss

FORMAT: Final = "openai-chat"
AUDIO_TYPES: Final = {"wav": "audio/wav", "mp3": "audio/mpeg"}
ANY_AUDIO: Final = "audio/*"
_EXPECTED: Final = 'an object with "messages", or a list of messages with role and content'
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_TIMES: Final = ("timestamp", "created_at")
_KNOWN: Final = frozenset(
    {"role", "content", "name", "tool_calls", "function_call", "tool_call_id", "refusal", "audio", "id"}
    | {"reasoning_content", "reasoning", "annotations"}
)


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
        content = self._content(entry, role, parts, at)
        self._beside(entry, parts, at)
        if content is None and parts.texts:
            content = parts.content(role)
        if role != "tool":
            self._calls.closed()
        answers, name = self._answered(entry, role)
        time = next((found for key in _TIMES if (found := iso_time(entry.get(key)))), None)
        self.messages.append(
            Message(
                role=role,
                content=content,
                id=text_at(entry, "id") or "",
                timestamp=time,
                name=name,
                tool_calls=self._tool_calls(entry, at) if role == "assistant" else (),
                tool_call_id=answers,
                attachments=tuple(parts.attachments),
                extensions=parts.extensions(self._own(entry, role, time)),
            )
        )

    def _own(self, entry: dict[str, Any], role: Role, time: str | None) -> dict[str, Any]:
        """What is kept under the format's name: a role that was mapped, fields that are not known."""
        known = _KNOWN | (set(_TIMES) if time else set())
        if role != "assistant":
            known = known - {"tool_calls", "function_call"}
        fields = rest_of(entry, known)
        said = entry.get("role")
        mapped = {"role": said} if said != role and said != "function" else {}
        return (
            mapped | ({"fields": fields} if fields else {}) | ({"no_parts": True} if entry.get("content") == [] else {})
        )

    def _answered(self, entry: dict[str, Any], role: Role) -> tuple[str | None, str | None]:
        """The call that a tool message answers, by its id; an older ``function`` message names only the function."""
        call, name = text_at(entry, "tool_call_id"), text_at(entry, "name")
        if role != "tool":
            return call, name
        if not call and entry.get("role") != "function":
            return None, name
        return self._calls.answered(call, name)

    def _content(self, entry: dict[str, Any], role: Role, parts: Gathered, at: At) -> str | Missing | None:
        if "content" not in entry:
            return MISSING
        content = entry["content"]
        if content is None or isinstance(content, str):
            return content
        for index, part in enumerate(content if isinstance(content, list) else [content]):
            _part(parts, index, part, (*at, "content", index))
        return "" if content == [] else parts.content(role)

    def _beside(self, entry: dict[str, Any], parts: Gathered, at: At) -> None:
        """What stands beside the content: refusal, audio, reasoning, annotations."""
        refusal = text_at(entry, "refusal")
        if refusal:
            parts.refusals.append(refusal)
        if isinstance(entry.get("audio"), Mapping):
            _answer_audio(parts, entry["audio"], has_text=bool(entry.get("content")), at=(*at, "audio"))
        thought = text_at(entry, "reasoning_content") or text_at(entry, "reasoning")
        if thought:
            parts.reasoning.append({"text": thought})
        annotations = entry.get("annotations")
        for item in annotations if isinstance(annotations, list) else ():
            if isinstance(item, Mapping):
                inner = item.get(str(item.get("type")))
                parts.citations.append({"type": item.get("type"), **inner} if isinstance(inner, dict) else dict(item))

    def _tool_calls(self, entry: dict[str, Any], at: At) -> tuple[ToolCall, ...]:
        listed = entry.get("tool_calls")
        found = []
        for index, call in enumerate(listed if isinstance(listed, list) else ()):
            where = (*at, "tool_calls", index)
            if isinstance(call, dict):
                found.append(self._call(call, where))
            else:
                self._notes.add("unknown_block", where, type=shorten(call))
        if isinstance(entry.get("function_call"), dict):
            found.append(self._call({"function": entry["function_call"]}, (*at, "function_call")))
        return tuple(found)

    def _call(self, call: dict[str, Any], at: At) -> ToolCall:
        custom = call.get("custom") if call.get("type") == "custom" else None
        function = call.get("function")
        inner: Mapping[str, Any] = (
            custom if isinstance(custom, dict) else function if isinstance(function, dict) else call
        )
        name = text_at(inner, "name") or ""
        own: dict[str, Any] = (
            {"fields": fields} if (fields := rest_of(call, {"id", "type", "function", "custom", "index"})) else {}
        )
        if inner is call:
            own = {}
        if custom is inner:
            own["type"] = "custom"
            written = text_at(inner, "input") or ""
        else:
            written = arguments(inner.get("arguments"), name, at, self._notes)
        id_, losses = self._calls.opened(text_at(call, "id"), name)
        for item in losses:
            self._notes.add(item.code, at, **dict(item.values))
        return ToolCall(id_, name, written, {FORMAT: own} if own else {})


def _part(parts: Gathered, index: int, part: Any, at: At) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, str):
        parts.text(part, at)
    elif kind in _TEXTS and isinstance(part.get("text"), str):
        parts.text(part["text"], at)
    elif kind == "refusal" and isinstance(part.get("refusal"), str):
        parts.refusals.append(part["refusal"])
    elif not (kind in _MEDIA and _MEDIA[kind](parts, part, at)):
        parts.keep(index, part, at, broken=_TEXTS | {"refusal"} | _MEDIA.keys())


def _image(parts: Gathered, part: dict[str, Any], at: At) -> bool:
    inner = part.get("image_url")
    url = inner if isinstance(inner, str) else text_at(inner, "url")
    if not url:
        return False
    detail = {"detail": inner["detail"]} if isinstance(inner, dict) and inner.get("detail") else {}
    parts.link("image", url, part, at, **detail)
    return True


def _audio(parts: Gathered, part: dict[str, Any], at: At) -> bool:
    inner = part.get("input_audio")
    data = text_at(inner, "data")
    if not data:
        return False
    form = text_at(inner, "format") or "wav"
    parts.attach(Attachment("file", AUDIO_TYPES.get(form, f"audio/{form}"), data=data), at)
    return True


def _file(parts: Gathered, part: dict[str, Any], at: At) -> bool:
    inner = part.get("file")
    data, name, id_ = (text_at(inner, key) for key in ("file_data", "filename", "file_id"))
    if data and data.startswith("data:"):
        parts.link("file", data, part, at, name=name)
    elif data:
        parts.attach(Attachment("file", data=data, name=name), at)
    elif id_:
        parts.attach(Attachment("file", name=name, extensions={FORMAT: {"file_id": id_}}), at)
    return bool(data or id_)


def _answer_audio(parts: Gathered, audio: Mapping[str, Any], has_text: bool, at: At) -> None:
    """Audio of an answer: a reference to it, in responses also its data and what was said."""
    id_, said = text_at(audio, "id"), text_at(audio, "transcript")
    if said and not has_text:
        parts.text(said, at)
    own = {FORMAT: {"audio": id_}} if id_ else {}
    parts.attach(Attachment("file", ANY_AUDIO, data=text_at(audio, "data") or None, extensions=own), at)


_MEDIA: Final = {"image_url": _image, "input_audio": _audio, "file": _file}
