"""Hugging Face ``messages``: what chat templates take, in JSONL (one conversation a line) or JSON.

Close to OpenAI's messages, but arguments are an object, a tool's result carries the tool's name, and pictures are parts
``{"type": "image", "url" | "path" | "base64"}``. Reasoning is ``reasoning_content``, which templates of reasoning
models read; it is read from there, and from ``<think>`` at the start of a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message, Missing, ToolCall
from mnemo_lab.formats.base import Detection, Reading, Sample, WriteOptions, Written
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.lists.each import readings
from mnemo_lab.formats.lists.messages import MessageReader, conversation_of, head_of, take_head, with_system_message
from mnemo_lab.formats.lists.prepare import Prepared, Tally, line, note_foreign, own, prepared, tool_names
from mnemo_lab.formats.lists.unkept import definitions, note_unkept, pictures, text_with, thoughts
from mnemo_lab.formats.lists.values import data_uri, is_address, media_type_of, object_of
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss, loss

name: Final = "hf-messages"
title: Final = "Hugging Face messages"
suffix: Final = ".jsonl"
several: Final = True

_LISTS: Final = ("messages", "conversations", "conversation")
_NO_MESSAGES: Final = 'no list of messages; expected {"messages": [{"role": …, "content": …}, …]}'
_OTHERS: Final = frozenset({"tool_use", "tool_result", "thinking", "image_url", "input_audio"})


def detect(sample: Sample) -> Detection | None:
    """Certain only by pictures or by arguments as objects; plain role and content is also OpenAI's and Ollama's."""
    messages = _messages(sample.first)
    if messages is None and _is_message(sample.first):
        messages = sample.value if isinstance(sample.value, list) else list(sample.records)
    found = [item for item in messages or [] if isinstance(item, dict)]
    if not found or not all("role" in item for item in found):
        return None
    parts = [part for item in found for part in _listed(item.get("content")) if isinstance(part, dict)]
    if any(part.get("type") in tuple(_OTHERS) for part in parts) or any("images" in item for item in found):
        return Detection(0.2, "messages with role and content, but parts of another tool")
    if any(part.get("type") == "image" for part in parts):
        return Detection(0.9, "messages with image parts")
    calls = [call for item in found for call in _listed(item.get("tool_calls")) if isinstance(call, dict)]
    if any(isinstance(own(call, "function").get("arguments"), dict) for call in calls):
        return Detection(0.75 if sample.records else 0.6, "messages with arguments as objects")
    return Detection(0.3 if calls else 0.45, "messages with role and content")


def read(source: Source) -> Iterator[Reading]:
    """Every conversation, one at a time; raises ``InvalidInput`` where nothing can be read."""
    return readings(source, _is_message, _conversation)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and _messages(value) is None


def _messages(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    return value if isinstance(value, list) else None


def _conversation(value: Any, losses: list[Loss]) -> Conversation:
    raw = _messages(value)
    if raw is None or (raw and not any(isinstance(item, dict) and "role" in item for item in raw)):
        what = _NO_MESSAGES if raw is None else f"no message has a role; found {shorten(raw[0])}"
        raise Refused("", [what])
    left = dict(value) if isinstance(value, dict) else {}
    left = {key: item for key, item in left.items() if item is not raw}
    head = take_head(left)
    messages = MessageReader(name, losses, _listed(left.get("images"))).read(raw)
    if not messages:
        losses.append(loss("empty_conversation", pointer="/messages"))
    return conversation_of(messages, name, left, **head)


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One conversation a line; branches are taken by their active path."""
    ready = prepared(conversations)
    data = "".join(line(_tree(item)) for item in ready)
    return Written(data.encode(), tuple(found for item in ready for found in item.tally.losses))


def _tree(ready: Prepared) -> dict[str, Any]:
    conversation, tally = with_system_message(ready.conversation, name), ready.tally
    shift = len(conversation.messages) - len(ready.conversation.messages)
    left = own(conversation.extensions, name)
    names = tool_names(conversation.messages)
    messages = [
        _message(tally, (max(index - shift, 0), message), names[index])
        for index, message in enumerate(conversation.messages)
    ]
    note_foreign(tally, conversation.extensions, {name, *_taken_tools(conversation)})
    reserved = {"id", "title", "model", "summary", "messages", "system_message", "images", *_LISTS}
    rest = {key: item for key, item in left.items() if key not in reserved}
    tools = definitions(conversation) if "tools" not in rest else None
    if tools:
        rest["tools"] = [{"type": "function", "function": item} for item in tools[1]]
    return {**head_of(conversation), "messages": messages, **rest}


def _taken_tools(conversation: Conversation) -> set[str]:
    """The other format whose definitions of tools are written, where it kept nothing else."""
    found = definitions(conversation)
    return {found[0]} if found and own(conversation.extensions, found[0]).keys() == {"tools"} else set()


def _message(tally: Tally, at: tuple[int, Message], tool: str) -> dict[str, Any]:
    message = at[1]
    note_unkept(tally, at, name)
    left = own(message.extensions, name)
    written: dict[str, Any] = {"role": message.role}
    if reasoning := thoughts(tally, at):
        written["reasoning_content"] = reasoning
    written |= _content(tally, at, left)
    if message.role == "assistant" and (calls := [_call(tally, at, call) for call in message.tool_calls]):
        written["tool_calls"] = calls
    if message.role == "tool":
        written |= {"name": message.name or tool} if message.name or tool else {}
        written |= {"tool_call_id": message.tool_call_id} if message.tool_call_id else {}
    unread = left.get("unread_calls")
    if isinstance(unread, list) and message.role == "assistant":
        written["tool_calls"] = [*written.get("tool_calls", []), *unread]
    reserved = {*written, "content", "id", "timestamp", "role", "name", "blocks", "unread_calls", "tool_calls"}
    return written | {key: item for key, item in left.items() if key not in reserved}


def _content(tally: Tally, at: tuple[int, Message], left: dict[str, Any]) -> dict[str, Any]:
    """Text where that is all, else parts: pictures, then text, then parts that were not understood."""
    message = at[1]
    text = text_with(tally, at, message.text)
    parts = [_picture(tally, item) for item in pictures(tally, at)]
    unknown = [part for part in _listed(left.get("blocks")) if isinstance(part, dict)]
    if not parts and not unknown:
        if isinstance(message.content, Missing) and not text:
            return {}
        return {"content": None if message.content is None and not text else text}
    return {"content": [*parts, *([{"type": "text", "text": text}] if text else []), *unknown]}


def _picture(tally: Tally, item: Attachment) -> dict[str, Any]:
    if item.name:
        tally.add("field_dropped", field="attachment.name")
    if item.data:
        known = media_type_of(item)
        return {"type": "image", **({"url": data_uri(item)} if known else {"base64": item.data})}
    if item.media_type:
        tally.add("field_dropped", field="attachment.media_type")
    return {"type": "image", "url" if is_address(item.reference or "") else "path": item.reference}


def _call(tally: Tally, at: tuple[int, Message], call: ToolCall) -> dict[str, Any]:
    arguments = object_of(call.arguments)
    if arguments is None:
        tally.add("bad_arguments", at, name=call.name)
    left = own(call.extensions, name)
    function = {"name": call.name, "arguments": call.arguments if arguments is None else arguments}
    written = {**({"id": call.id} if call.id else {}), "type": "function", "function": function | own(left, "function")}
    return written | {key: item for key, item in left.items() if key not in written}
