"""Write Chat Completions bodies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Attachment, Conversation, ToolCall
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.lists.prepare import Tally, own
from mnemo_lab.formats.lists.values import data_uri, is_audio, media_type_of
from mnemo_lab.formats.openai_chat import give
from mnemo_lab.formats.openai_chat.call_ids import CallIds, Rules
from mnemo_lab.formats.openai_chat.give import Spot
from mnemo_lab.formats.openai_chat.read import ANY_AUDIO, AUDIO_TYPES, FORMAT

TARGET: Final = "OpenAI Chat"
TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_RULES: Final = Rules(TARGET, limit=40, names=TOOL_NAME)
_AUDIO_FORMATS: Final = {kind: name for name, kind in AUDIO_TYPES.items()} | {"audio/x-wav": "wav", "audio/mp3": "mp3"}
_NOT_IN_NAMES: Final = re.compile(r"[\s<|\\/>]")
_DETAILS: Final = ("auto", "low", "high", "original")


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One body with model and messages, or several; see the package for ``extra`` settings."""
    return give.write_bodies(conversations, options, _body)


def _body(conversation: Conversation, options: WriteOptions, tally: Tally) -> dict[str, Any]:
    give.note_common(tally, conversation, FORMAT, {"name", "refusal"})
    writer = _Writer(conversation, options, tally)
    messages = [writer.message(spot) for spot in give.spots_of(conversation, tally)]
    if conversation.system_prompt is not None:
        messages.insert(0, _prompt(conversation, conversation.system_prompt))
    return give.body(conversation, options, FORMAT) | {"messages": messages}


def _prompt(conversation: Conversation, prompt: str) -> dict[str, Any]:
    kept = own(own(conversation.extensions, FORMAT), "system")
    written = {"role": "developer" if kept.get("role") == "developer" else "system", "content": prompt}
    if isinstance(kept.get("name"), str):
        written["name"] = kept["name"]
    return give.fields_back(written, {FORMAT: kept}, FORMAT)


class _Writer:
    def __init__(self, conversation: Conversation, options: WriteOptions, tally: Tally) -> None:
        self._options, self._tally = options, tally
        self._ids = CallIds(conversation, tally, _RULES)

    def message(self, spot: Spot) -> dict[str, Any]:
        message = spot[1]
        written = self._assistant(spot) if message.role == "assistant" else self._other(spot)
        if message.name and message.role != "tool":
            written["name"] = self._name(message.name)
        return give.fields_back(written, message.extensions, FORMAT)

    def _name(self, name: str) -> str:
        fitting = _NOT_IN_NAMES.sub("_", name)[:64]
        if fitting != name:
            self._tally.add("id_renamed", id=name, new=fitting, reason="names hold no space and none of <|\\/>")
        return fitting

    def _other(self, spot: Spot) -> dict[str, Any]:
        message = spot[1]
        text = give.text_of(message, self._tally)
        if message.role == "tool":
            id_, _ = self._ids.result(spot)
            give.drop_all(self._tally, spot, f"tool results of {TARGET} hold text only")
            parts = give.put_back([], message.extensions, FORMAT)
            return {"role": "tool", "tool_call_id": id_, "content": _with_text(text, parts) or text}
        kept = own(message.extensions, FORMAT)
        if message.role == "system":
            give.drop_all(self._tally, spot, f"system messages of {TARGET} hold text only")
            role = "developer" if kept.get("role") == "developer" else "system"
            give.note_not_put_back(self._tally, message, FORMAT)
            return {"role": role, "content": text}
        media = [part for attachment in message.attachments if (part := self._media(spot, attachment))]
        parts = _with_text(text, media)
        if kept.get("parts"):
            parts = give.put_back(parts or _with_text(text, media, always=True), message.extensions, FORMAT)
        return {"role": "user", "content": parts or ([] if kept.get("no_parts") is True and not text else text)}

    def _assistant(self, spot: Spot) -> dict[str, Any]:
        message = spot[1]
        written: dict[str, Any] = {"role": "assistant"} | self._content(spot)
        written |= self._reasoning(spot)
        refusal = give.refusal_of(message)
        if refusal:
            written["refusal"] = refusal
        written |= self._voice(spot)
        calls = [self._call(id_, call) for id_, call in self._ids.calls(spot)]
        return written | ({"tool_calls": calls} if calls else {})

    def _content(self, spot: Spot) -> dict[str, Any]:
        message = spot[1]
        kept = give.put_back([], message.extensions, FORMAT)
        if kept:
            return {"content": [*_with_text(message.text, [], always=True), *kept]}
        if message.text:
            return {"content": message.text}
        wanted = self._options.extra.get("empty_content")
        if not (message.tool_calls or give.refusal_of(message)):
            return {"content": give.text_of(message, self._tally)}
        if wanted not in ("null", "empty", "omit"):
            wanted = "null" if message.content is None else "omit" if message.content is MISSING else "empty"
        return {} if wanted == "omit" else {"content": None if wanted == "null" else ""}

    def _reasoning(self, spot: Spot) -> dict[str, Any]:
        entries = give.reasoning_of(spot[1])
        for entry in entries:
            give.note_signature(self._tally, spot, entry)
        text = "\n\n".join(filter(None, map(give.reasoning_text, entries)))
        if text and self._options.extra.get("reasoning"):
            return {"reasoning_content": text}
        if text:
            self._tally.add("reasoning_dropped", spot, reason=f"{TARGET} takes none back")
        return {}

    def _voice(self, spot: Spot) -> dict[str, Any]:
        """The reference to an answer's audio; other attachments of an assistant are left out."""
        found: dict[str, Any] = {}
        for attachment in spot[1].attachments:
            id_ = own(attachment.extensions, FORMAT).get("audio")
            if isinstance(id_, str) and not found:
                found = {"audio": {"id": id_}}
            else:
                give.dropped(self._tally, spot, attachment, f"assistant messages of {TARGET} hold text only")
        return found

    def _call(self, id_: str, call: ToolCall) -> dict[str, Any]:
        kept = own(call.extensions, FORMAT)
        if kept.get("type") == "custom":
            return {"id": id_, "type": "custom", "custom": {"name": call.name, "input": call.arguments}}
        function = {"name": call.name, "arguments": call.arguments}
        return give.fields_back({"id": id_, "type": "function", "function": function}, call.extensions, FORMAT)

    def _media(self, spot: Spot, attachment: Attachment) -> dict[str, Any] | None:
        kept = own(attachment.extensions, FORMAT)
        reason = "" if isinstance(kept.get("file_id"), str) else give.fault_of(attachment)
        if not reason:
            part = _audio_part(attachment) if is_audio(attachment) else _media_part(attachment, kept)
            if isinstance(part, dict):
                return part
            reason = part
        give.dropped(self._tally, spot, attachment, reason)
        return None


def _with_text(text: str, parts: list[dict[str, Any]], always: bool = False) -> list[dict[str, Any]]:
    """Parts with the text in front; none where there is only text, which then is no list."""
    if not parts and not always:
        return []
    return [*([{"type": "text", "text": text}] if text else []), *parts]


def _audio_part(attachment: Attachment) -> dict[str, Any] | str:
    form = _AUDIO_FORMATS.get((media_type_of(attachment) or "").lower())
    if attachment.data is None or (form is None and attachment.media_type == ANY_AUDIO):
        return f"{TARGET} takes audio by its data only"
    if form is None:
        return f"{TARGET} takes wav and mp3, not {attachment.media_type}"
    return {"type": "input_audio", "input_audio": {"data": attachment.data, "format": form}}


def _media_part(attachment: Attachment, kept: dict[str, Any]) -> dict[str, Any] | str:
    if attachment.kind == "image":
        if attachment.data is None and not give.is_web(attachment.reference):
            return f"{TARGET} takes images by data or web address, not by path"
        url = data_uri(attachment) if attachment.data is not None else attachment.reference
        detail = {"detail": kept["detail"]} if kept.get("detail") in _DETAILS else {}
        return {"type": "image_url", "image_url": {"url": url, **detail}}
    name = {"filename": attachment.name} if attachment.name else {}
    if isinstance(kept.get("file_id"), str):
        return {"type": "file", "file": {"file_id": kept["file_id"], **name}}
    if attachment.data is None:
        return f"{TARGET} takes files by their data, not by address"
    if media_type_of(attachment) not in (None, "application/pdf"):
        return f"{TARGET} takes PDF files, not {media_type_of(attachment)}"
    return {"type": "file", "file": {"file_data": _file_data(attachment), **name}}


def _file_data(attachment: Attachment) -> str:
    return data_uri(attachment) if media_type_of(attachment) else str(attachment.data)
