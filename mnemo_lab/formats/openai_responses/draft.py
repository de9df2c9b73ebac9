"""One assistant message, gathered from the items of an answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Message, ToolCall
from mnemo_lab.formats.lists.pairing import Calls
from mnemo_lab.formats.openai_chat.gather import At, Gathered, Notes, arguments, rest_of, text_at

FORMAT: Final = "openai-responses"
PROVIDER: Final = "openai"
_TEXTS: Final = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text"})


def rest_of_item(item: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Fields of an item that have no place, under ``fields``; its id stands apart, because it is not sent again."""
    fields = rest_of(item, {"type", "id", "status", *known})
    kept = {"id": text_at(item, "id"), "fields": fields}
    return {key: value for key, value in kept.items() if value}


class Draft:
    """An answer to be. A second message, or reasoning behind what was said, starts another one."""

    def __init__(self, notes: Notes, at: At) -> None:
        self._notes, self.at = notes, at
        self._parts = Gathered(FORMAT, notes, at)
        self._calls: list[ToolCall] = []
        self._id = ""
        self._has_message = False
        self._own: dict[str, Any] = {}
        self._count = 0
        self._content: str | None = None
        self.raw_reasoning: list[dict[str, Any]] = []

    @property
    def has_said(self) -> bool:
        return self._has_message or bool(self._calls)

    @property
    def is_lone(self) -> bool:
        """Whether there is reasoning and nothing that it led to."""
        return bool(self.raw_reasoning) and not (self.has_said or "items" in self._own or self._parts.broken)

    def reasoning(self, item: dict[str, Any], model: str | None) -> None:
        self._count += 1
        self.raw_reasoning.append(item)
        texts = [text for key in ("summary", "content") for text in _texts(item.get(key))]
        found = {
            "text": "\n\n".join(texts),
            "signature": text_at(item, "encrypted_content"),
            "provider": PROVIDER,
            "model": model,
            "id": text_at(item, "id"),
        }
        self._parts.reasoning.append({key: value for key, value in found.items() if value or key == "text"})

    def call(self, item: dict[str, Any], at: At, calls: Calls) -> None:
        self._count += 1
        name = text_at(item, "name") or ""
        own = rest_of_item(item, ("call_id", "name", "arguments", "input"))
        if item["type"] == "custom_tool_call":
            own["type"] = "custom"
            written = text_at(item, "input") or ""
        else:
            written = arguments(item.get("arguments"), name, at, self._notes)
        id_, losses = calls.opened(text_at(item, "call_id"), name)
        for found in losses:
            self._notes.add(found.code, at, **dict(found.values))
        self._calls.append(ToolCall(id_, name, written, {FORMAT: own} if own else {}))

    def said(self, item: dict[str, Any], at: At) -> None:
        self._count += 1
        self._has_message = True
        self._id = text_at(item, "id") or ""
        own = rest_of_item(item, ("role", "content"))
        own.pop("id", None)
        self._own = own | self._own
        content = item.get("content")
        if content is None or isinstance(content, str):
            self._content = content
            return
        for index, value in enumerate(content if isinstance(content, list) else [content]):
            part(self._parts, index, value, (*at, "content", index))
        self._content = self._parts.content("assistant", joiner="")

    def keep(self, item: dict[str, Any], at: At) -> None:
        """Keep an item of another type, with its place among those of the answer."""
        kind = text_at(item, "type")
        self._notes.add("unknown_block", at, type=kind or "without a type")
        if kind:
            self._own.setdefault("items", []).append({"at": self._count, "part": item})
        else:
            self._parts.broken.append(item)
        self._count += 1

    def message(self) -> Message:
        return Message(
            "assistant",
            self._content,
            self._id,
            tool_calls=tuple(self._calls),
            attachments=tuple(self._parts.attachments),
            extensions=self._parts.extensions(self._own),
        )


def part(parts: Gathered, index: int, value: Any, at: At) -> None:
    """One part of a message or of a tool's output."""
    kind = value.get("type") if isinstance(value, dict) else None
    if isinstance(value, str):
        parts.text(value, at)
    elif kind in _TEXTS and isinstance(value.get("text"), str):
        _cite(parts, value)
        parts.text(value["text"], at)
    elif kind == "refusal" and isinstance(value.get("refusal"), str):
        parts.refusals.append(value["refusal"])
    elif not (
        (kind == "input_image" and _image(parts, value, at)) or (kind == "input_file" and _file(parts, value, at))
    ):
        parts.keep(index, value, at, broken=_TEXTS | {"refusal", "input_image", "input_file"})


def _cite(parts: Gathered, value: dict[str, Any]) -> None:
    """Annotations, counted from the start of the whole text."""
    before = sum(map(len, parts.texts))
    annotations = value.get("annotations")
    for item in annotations if isinstance(annotations, list) else ():
        if isinstance(item, dict):
            moved = {key: item[key] + before for key in ("start_index", "end_index") if isinstance(item.get(key), int)}
            parts.citations.append(item | moved)


def _image(parts: Gathered, value: dict[str, Any], at: At) -> bool:
    inner = value.get("image_url")
    url = inner if isinstance(inner, str) else text_at(inner, "url")
    more = {key: value[key] for key in ("detail", "file_id") if isinstance(value.get(key), str)}
    if more.get("detail") == "auto":  # what is written where nothing was said
        del more["detail"]
    if url:
        parts.link("image", url, value, at, **more)
    elif "file_id" in more:
        parts.attach(Attachment("image", extensions={FORMAT: more}), at)
    return bool(url or "file_id" in more)


def _file(parts: Gathered, value: dict[str, Any], at: At) -> bool:
    data, url, id_, name = (text_at(value, key) for key in ("file_data", "file_url", "file_id", "filename"))
    where = url or (data if data and data.startswith("data:") else None)
    if where:
        parts.link("file", where, value, at, name=name)
    elif data:
        parts.attach(Attachment("file", data=data, name=name), at)
    elif id_:
        parts.attach(Attachment("file", name=name, extensions={FORMAT: {"file_id": id_}}), at)
    return bool(where or data or id_)


def _texts(found: Any) -> list[str]:
    return [text for item in (found if isinstance(found, list) else ()) if (text := text_at(item, "text"))]
