"""Write LangChain messages as ``messages_to_dict`` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.langchain.shapes import NAME
from mnemo_lab.formats.lists.messages import with_system_message
from mnemo_lab.formats.lists.prepare import (
    KNOWN,
    Tally,
    citations_of,
    note_filled,
    note_foreign,
    only,
    own,
    refusal_of,
    rendered,
)
from mnemo_lab.formats.lists.values import is_audio, media_type_of, object_of

_TYPES: Final = {"system": "system", "user": "human", "assistant": "ai", "tool": "tool"}
_COUNTS: Final = ("input_tokens", "output_tokens", "total_tokens")
_KEPT: Final = frozenset(
    {"response_metadata", "usage_metadata", "artifact", "additional_kwargs", "type", "role", "blocks"}
)


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One conversation as an array; raises ``InvalidInput`` for several."""
    ready = only(conversations, "LangChain")
    tally, conversation = ready.tally, with_system_message(ready.conversation, NAME)
    shift = len(conversation.messages) - len(ready.conversation.messages)
    tree = [_message(tally, (max(index - shift, 0), item)) for index, item in enumerate(conversation.messages)]
    _note_head(tally, conversation)
    return Written(rendered(tree).encode(), tuple(tally.losses))


def _note_head(tally: Tally, conversation: Conversation) -> None:
    for field in ("id", "title", "summary"):
        if getattr(conversation, field):
            tally.add("field_dropped", field=field)
    metadata = [own(own(item.extensions, NAME), "response_metadata") for item in conversation.messages]
    if conversation.model and not any(conversation.model in box.values() for box in metadata):
        tally.add("field_dropped", field="model")
    note_foreign(tally, conversation.extensions, {NAME})
    for field in own(conversation.extensions, NAME):
        if field != "system_message":
            tally.add("field_dropped", field=f"extensions.{NAME}.{field}")


def _message(tally: Tally, at: tuple[int, Message]) -> dict[str, Any]:
    message = at[1]
    left = own(message.extensions, NAME)
    _note_unkept(tally, at, left)
    kind = _TYPES[message.role]
    data: dict[str, Any] = {
        "content": _content(tally, at, left),
        "additional_kwargs": _kwargs(message, left),
        "response_metadata": own(left, "response_metadata"),
        "name": message.name,
        "id": message.id or None,
    }
    if left.get("type") == "chat" and isinstance(left.get("role"), str) and not message.tool_calls:
        kind = "chat"
        data["role"] = left["role"]
    elif message.role == "assistant":
        data |= _calls(tally, at) | {"usage_metadata": _usage(left.get("usage_metadata"))}
    elif message.role == "tool":
        status = "error" if message.extensions.get("is_error") else "success"
        data |= {"tool_call_id": message.tool_call_id or "", "artifact": left.get("artifact"), "status": status}
    return {"type": kind, "data": {**data, "type": kind}}


def _note_unkept(tally: Tally, at: tuple[int, Message], left: dict[str, Any]) -> None:
    message = at[1]
    if message.timestamp:
        tally.add("timestamp_dropped")
    if message.extensions.get("is_error") and message.role != "tool":
        tally.add("tool_error_flag_dropped", at)
    if message.extensions.get("hidden"):
        tally.add("field_dropped", field="hidden")
    for call in message.tool_calls if message.role != "assistant" else ():
        tally.add("tool_call_dropped", at, name=call.name)
    for field in left:
        if field not in _KEPT:
            tally.add("field_dropped", field=f"extensions.{NAME}.{field}")
    note_foreign(tally, message.extensions, {*KNOWN, NAME})
    for call in message.tool_calls:
        note_foreign(tally, call.extensions, {NAME})
    for item in message.attachments:
        note_foreign(tally, item.extensions, {NAME})


def _kwargs(message: Message, left: dict[str, Any]) -> dict[str, Any]:
    """What a provider sent beside; without the calls, which LangChain would read again."""
    found = {key: item for key, item in own(left, "additional_kwargs").items() if key not in ("tool_calls", "refusal")}
    refusal = refusal_of(message)
    return found | ({"refusal": refusal} if refusal else {})


def _usage(found: Any) -> dict[str, Any] | None:
    """Counts of tokens, where they are complete; LangChain refuses them otherwise."""
    if not isinstance(found, Mapping) or not all(_is_count(found.get(key)) for key in _COUNTS):
        return None
    details = {
        key: found[key] for key in ("input_token_details", "output_token_details") if _is_details(found.get(key))
    }
    return {key: found[key] for key in _COUNTS} | details


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_details(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_is_count(item) for item in value.values())


def _calls(tally: Tally, at: tuple[int, Message]) -> dict[str, Any]:
    """Calls with an object for arguments, and those without, which LangChain keeps apart."""
    good: list[dict[str, Any]] = []
    bad: list[dict[str, Any]] = []
    for call in at[1].tool_calls:
        arguments = object_of(call.arguments)
        left = own(call.extensions, NAME)
        if arguments is not None and not left.get("invalid"):
            if bad:
                tally.add("parts_reordered")
            good.append({"name": call.name, "args": arguments, "id": call.id or None, "type": "tool_call"})
            continue
        tally.add("bad_arguments", at, name=call.name)
        bad.append(_invalid(call, left.get("error")))
    return {"tool_calls": good, "invalid_tool_calls": bad}


def _invalid(call: ToolCall, error: Any) -> dict[str, Any]:
    error = error if isinstance(error, str) else None
    return {
        "name": call.name,
        "args": call.arguments,
        "id": call.id or None,
        "error": error,
        "type": "invalid_tool_call",
    }


def _content(tally: Tally, at: tuple[int, Message], left: dict[str, Any]) -> str | list[Any]:
    """Text where that is all; else blocks: reasoning, text, attachments, and what was not understood."""
    message = at[1]
    thoughts = _thoughts(tally, at)
    citations = [item for item in citations_of(message) if isinstance(item, Mapping)]
    if dropped := len(citations_of(message)) - len(citations):
        tally.add("citation_dropped", at, count=dropped)
    attached = [block for item in message.attachments if (block := _attachment(tally, at, item))]
    unknown = [block for block in left.get("blocks") or () if isinstance(block, Mapping)]
    if not thoughts and not attached and not citations and not unknown:
        if not isinstance(message.content, str):
            note_filled(tally, message)
        return message.text
    cited = {"annotations": citations} if citations else {}
    text = [{"type": "text", "text": message.text, **cited}] if message.text or cited else []
    return [*thoughts, *text, *attached, *unknown]


def _thoughts(tally: Tally, at: tuple[int, Message]) -> list[dict[str, Any]]:
    found = at[1].extensions.get("reasoning")
    entries = [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []
    entries = [item for item in entries if isinstance(item.get("text"), str)]
    if found and not entries:
        tally.add("reasoning_dropped", at, reason="it has no text")
    return [_thought(item) for item in entries]


def _thought(item: Mapping[str, Any]) -> dict[str, Any]:
    extras = {key: item[key] for key in ("signature", "provider", "model") if isinstance(item.get(key), str)}
    return {"type": "reasoning", "reasoning": item["text"], **({"extras": extras} if extras else {})}


def _attachment(tally: Tally, at: tuple[int, Message], item: Attachment) -> dict[str, Any] | None:
    kind = "image" if item.kind == "image" else "audio" if is_audio(item) else "file"
    if not (item.data or item.reference):
        tally.add(f"{kind}_dropped", at, reason="neither its data nor its address is known")
        return None
    named = {"extras": {"filename": item.name}} if item.name else {}
    media_type = media_type_of(item)
    if item.data:
        fallback = "image/png" if kind == "image" else "application/octet-stream"
        return {"type": kind, "base64": item.data, "mime_type": media_type or fallback, **named}
    return {"type": kind, "url": item.reference, **({"mime_type": media_type} if media_type else {}), **named}
