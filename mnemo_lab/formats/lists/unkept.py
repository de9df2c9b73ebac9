"""What training data cannot hold, listed in one place for all formats of that kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message
from mnemo_lab.formats.lists.prepare import (
    KNOWN,
    Tally,
    citations_of,
    note_foreign,
    own,
    reasoning_of,
    refusal_of,
    signatures_of,
)
from mnemo_lab.formats.lists.values import is_audio

_NO_PLACE: Final = "the target holds pictures of users only"


def note_unkept(tally: Tally, at: tuple[int, Message], name: str) -> None:
    """List what of a message neither Hugging Face messages nor ShareGPT keep, whatever its role.

    Calls, results, reasoning, refusals and pictures have their own functions, because these are transformed.
    """
    message = at[1]
    if message.id:
        tally.add("message_id_dropped")
    if message.timestamp:
        tally.add("timestamp_dropped")
    if message.name and message.role != "tool":
        tally.add("name_dropped", at, name=message.name)
    for call in message.tool_calls if message.role != "assistant" else ():
        tally.add("tool_call_dropped", at, name=call.name)
    _note_extensions(tally, at, name)


def _note_extensions(tally: Tally, at: tuple[int, Message], name: str) -> None:
    message = at[1]
    if message.extensions.get("is_error"):
        tally.add("tool_error_flag_dropped", at)
    if citations := citations_of(message):
        tally.add("citation_dropped", at, count=len(citations))
    for provider in dict.fromkeys(signatures_of(message)):
        tally.add("signature_dropped", at, provider=provider)
    if message.extensions.get("hidden"):
        tally.add("field_dropped", field="hidden")
    note_foreign(tally, message.extensions, {*KNOWN, name})
    for call in message.tool_calls if message.role == "assistant" else ():
        note_foreign(tally, call.extensions, {name})
    for item in message.attachments:
        note_foreign(tally, item.extensions, ())


def text_with(tally: Tally, at: tuple[int, Message], text: str) -> str:
    """The text, with a refusal behind it."""
    refusal = refusal_of(at[1])
    if not refusal:
        return text
    tally.add("refusal_as_text")
    return f"{text}\n\n{refusal}" if text else refusal


def thoughts(tally: Tally, at: tuple[int, Message]) -> str:
    """The reasoning as one text; listed where the message is not the assistant's, or has none that can be read."""
    message = at[1]
    texts = [str(item["text"]) for item in reasoning_of(message)]
    if texts and message.role != "assistant":
        tally.add("reasoning_dropped", at, reason="only the assistant's is kept")
        return ""
    if message.extensions.get("reasoning") and not texts:
        tally.add("reasoning_dropped", at, reason="it has no text")
    return "\n\n".join(texts)


def pictures(tally: Tally, at: tuple[int, Message]) -> Iterator[Attachment]:
    """The pictures that stay; everything else attached is listed."""
    for item in at[1].attachments:
        if is_audio(item):
            tally.add("audio_dropped", at, reason="the target holds text and pictures only")
        elif item.kind == "file":
            tally.add("file_dropped", at, reason="the target holds text and pictures only")
        elif at[1].role != "user":
            tally.add("image_dropped", at, reason=_NO_PLACE)
        elif not (item.data or item.reference):
            tally.add("image_dropped", at, reason="neither its data nor its address is known")
        else:
            yield item


def definitions(conversation: Conversation) -> tuple[str, list[dict[str, Any]]] | None:
    """Definitions of tools that a format left in its extensions, as ``name, description, parameters``; and which."""
    for name in conversation.extensions:
        found = own(conversation.extensions, name).get("tools")
        flat = [_flat(item) for item in found] if isinstance(found, list) else []
        if flat and all(flat):
            return name, [item for item in flat if item]
    return None


def _flat(item: Any) -> dict[str, Any] | None:
    found = item.get("function", item) if isinstance(item, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        return None
    return {key: value for key, value in found.items() if key not in ("type", "input_schema")} | (
        {"parameters": found["input_schema"]} if "input_schema" in found else {}
    )
