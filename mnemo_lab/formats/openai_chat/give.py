"""What the writers of request bodies share: the system prompt, what no body holds, attachments, kept material."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.lists.prepare import KNOWN, Tally, line, own, prepared, rendered
from mnemo_lab.formats.lists.values import is_audio, is_base64
from mnemo_lab.formats.tree import ACTIVE_LEAF
from mnemo_lab.units import validate_messages

Spot = tuple[int, Message]
"""A message and its position in the conversation, which losses name."""
WriteOne = Callable[[Conversation, WriteOptions, Tally], dict[str, Any]]
_PAIRING: Final = frozenset(
    {"orphan_tool_result", "unanswered_tool_call", "late_tool_result", "result_without_call_id"}
)

_SIGNED: Final = ("gemini", "thoughtSignature")
"""Where Gemini's reader keeps signatures that stand on calls and text instead of reasoning."""


def write_bodies(conversations: Sequence[Conversation], options: WriteOptions, write_one: WriteOne) -> Written:
    """One body, or an array of them; with ``extra={"jsonl": True}`` one a line."""
    bodies, losses = [], []
    for conversation, tally in prepared(conversations):
        bodies.append(write_one(conversation, options, tally))
        losses += tally.losses
    if options.extra.get("jsonl"):
        text = "".join(map(line, bodies))
    else:
        text = rendered(bodies[0] if len(bodies) == 1 else bodies)
    return Written(text.encode(), tuple(losses))


def spots_of(conversation: Conversation, tally: Tally) -> list[Spot]:
    """The messages to write; a first one that repeats the system prompt is left to it."""
    spots = list(enumerate(conversation.messages))
    prompt = conversation.system_prompt
    if prompt is not None and spots and _is_plain_system(spots[0][1]) and spots[0][1].content == prompt:
        tally.add("roles_merged", count=2, role="system")
        return spots[1:]
    return spots


def _is_plain_system(message: Message) -> bool:
    return message.role == "system" and isinstance(message.content, str) and not message.attachments


def prompt_and_spots(conversation: Conversation, tally: Tally) -> tuple[str | None, list[Spot]]:
    """The prompt for a target that keeps it apart, and the messages without it."""
    spots = spots_of(conversation, tally)
    if conversation.system_prompt is None and spots and _is_plain_system(spots[0][1]):
        return spoken(spots[0][1]), spots[1:]
    return conversation.system_prompt, spots


def note_common(tally: Tally, conversation: Conversation, own_format: str, holds: Collection[str] = ()) -> None:
    """List what a body cannot hold; ``holds`` names what this one can: name, error, citations, refusal, signature."""
    for field in ("id", "title", "summary"):
        if getattr(conversation, field):
            tally.add("field_dropped", field=f"conversation.{field}")
    _note_extensions(tally, conversation.extensions, own_format)
    for spot in enumerate(conversation.messages):
        _note_message(tally, spot, own_format, holds)
    _note_pairing(tally, conversation.messages)


def _note_message(tally: Tally, spot: Spot, own_format: str, holds: Collection[str]) -> None:
    message = spot[1]
    if message.id:
        tally.add("message_id_dropped")
    if message.timestamp is not None:
        tally.add("timestamp_dropped")
    if message.name and "name" not in holds and message.role != "tool":
        tally.add("name_dropped", spot, name=message.name)
    holds = holds if message.role == "assistant" else set(holds) - {"citations", "refusal"}
    if message.extensions.get("is_error") is True and not ("error" in holds and message.role == "tool"):
        tally.add("tool_error_flag_dropped", spot)
    if message.extensions.get("hidden"):
        tally.add("field_dropped", field="extensions.hidden")
    if citations_of(message) and "citations" not in holds:
        tally.add("citation_dropped", spot, count=len(citations_of(message)))
    if refusal_of(message) and "refusal" not in holds:
        tally.add("refusal_as_text")
    _note_misplaced(tally, spot)
    calls = [call.extensions for call in message.tool_calls]
    if own_format != _SIGNED[0] and any(_SIGNED[1] in own(kept, _SIGNED[0]) for kept in (message.extensions, *calls)):
        tally.add("signature_dropped", spot, provider="google")
    for extensions in (message.extensions, *calls, *(item.extensions for item in message.attachments)):
        _note_extensions(tally, extensions, own_format)


def _note_misplaced(tally: Tally, spot: Spot) -> None:
    """List what stands on a message of a role that cannot have it."""
    message = spot[1]
    if message.role != "assistant":
        for call in message.tool_calls:
            tally.add("tool_call_dropped", spot, name=call.name)
        if reasoning_of(message):
            tally.add("reasoning_dropped", spot, reason="only an assistant reasons")
    if message.role != "tool" and message.tool_call_id is not None:
        tally.add("field_dropped", field=f"tool_call_id of role {message.role}")


def _note_extensions(tally: Tally, extensions: Mapping[str, Any], own_format: str) -> None:
    for name in extensions:
        if name not in KNOWN and name not in (own_format, ACTIVE_LEAF):
            tally.add("field_dropped", field=f"extensions.{name}")
    if "broken" in own(extensions, own_format):
        tally.add("field_dropped", field=f"extensions.{own_format}.broken")


def _note_pairing(tally: Tally, messages: Sequence[Message]) -> None:
    """List calls and results that do not meet; they are written as they are, and an API would refuse them."""
    for found in validate_messages(messages):
        if found.code in _PAIRING:
            index = int((found.pointer or "/messages/0").rsplit("/", 1)[1])
            tally.add(found.code, (index, messages[index]), **dict(found.values))


def text_of(message: Message, tally: Tally) -> str:
    """The text with a refusal behind it, where a target has no null; that it was none is listed."""
    note_empty(message, tally, '""')
    return spoken(message)


def note_empty(message: Message, tally: Tally, written: str) -> None:
    if message.content is None or message.content is MISSING:
        tally.add("content_filled", found="missing" if message.content is MISSING else "null", written=written)


def note_null(message: Message, tally: Tally) -> None:
    """List that an assistant's content which was no text, yet not null either, is nothing in the target."""
    if message.content is not None:
        tally.add("content_filled", found="missing" if message.content is MISSING else '""', written="null")


def spoken(message: Message) -> str:
    """The text with the refusal behind it, for targets that have no place for a refusal."""
    return "\n\n".join(filter(None, (message.text, refusal_of(message))))


def refusal_of(message: Message) -> str:
    found = message.extensions.get("refusal")
    return found if isinstance(found, str) else ""


def reasoning_of(message: Message) -> list[Mapping[str, Any]]:
    return _objects(message.extensions.get("reasoning"))


def citations_of(message: Message) -> list[Mapping[str, Any]]:
    return _objects(message.extensions.get("citations"))


def reasoning_text(entry: Mapping[str, Any]) -> str:
    found = entry.get("text")
    return found if isinstance(found, str) else ""


def _objects(found: Any) -> list[Mapping[str, Any]]:
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list | tuple) else []


def opaque(entry: Mapping[str, Any], key: str = "signature") -> str:
    """A signature as it came; ``""`` where there is none."""
    found = entry.get(key)
    return found if isinstance(found, str) else ""


def is_own(entry: Mapping[str, Any], providers: Collection[str], model: str | None) -> bool:
    """Whether reasoning comes from the target's provider and, where both are known, from the same model."""
    provider, made_by = entry.get("provider"), entry.get("model")
    if not isinstance(provider, str) or provider.lower() not in providers:
        return False
    return made_by is None or model is None or made_by == model


def note_signature(tally: Tally, spot: Spot, entry: Mapping[str, Any]) -> None:
    """List the signature of reasoning that was not written."""
    if opaque(entry) or opaque(entry, "data"):
        provider = entry.get("provider") if isinstance(entry.get("provider"), str) else "its provider"
        made_by = entry.get("model")
        tally.add("signature_dropped", spot, provider=f"{provider} ({made_by})" if made_by else provider)


def dropped(tally: Tally, spot: Spot, attachment: Attachment, reason: str) -> None:
    """List an attachment that was not written."""
    if is_audio(attachment):
        code = "audio_dropped"
    else:
        code = "image_dropped" if attachment.kind == "image" else "file_dropped"
    tally.add(code, spot, reason=reason)


def drop_all(tally: Tally, spot: Spot, reason: str) -> None:
    for attachment in spot[1].attachments:
        dropped(tally, spot, attachment, reason)


def fault_of(attachment: Attachment) -> str:
    """Why no target can take an attachment; ``""`` where one may."""
    if attachment.data is not None:
        return "" if is_base64(attachment.data) else "its data is not base64"
    return "" if attachment.reference else "neither its data nor its address is known"


def is_web(reference: str | None) -> bool:
    return bool(reference) and str(reference).lower().startswith(("http://", "https://"))


def put_back(written: list[Any], extensions: Mapping[str, Any], own_format: str) -> list[Any]:
    """With the parts in it that the format's own reader did not understand, each in its place."""
    kept = _objects(own(extensions, own_format).get("parts"))
    for item in sorted(kept, key=_at):
        if isinstance(item.get("part"), Mapping) and isinstance(item["part"].get("type", ""), str):
            written.insert(_at(item), item["part"])
    return written


def _at(item: Mapping[str, Any]) -> int:
    place = item.get("at")
    return place if isinstance(place, int) and place >= 0 else 10**9


def note_not_put_back(tally: Tally, message: Message, own_format: str) -> None:
    """List the parts that were kept, where the message that is written has no place for them."""
    if "parts" in own(message.extensions, own_format):
        tally.add("field_dropped", field=f"extensions.{own_format}.parts")


def fields_back(written: dict[str, Any], extensions: Mapping[str, Any], own_format: str) -> dict[str, Any]:
    """With the fields of this level that the format's own reader kept, behind those that are written."""
    fields = own(own(extensions, own_format), "fields")
    return written | {key: value for key, value in fields.items() if key not in written}


def body(conversation: Conversation, options: WriteOptions, own_format: str) -> dict[str, Any]:
    """The start of a request body: the model, and the fields that the format's own reader kept."""
    model = options.model or conversation.model
    return fields_back({"model": model} if model else {}, conversation.extensions, own_format)


def target_model(conversation: Conversation, options: WriteOptions) -> str | None:
    return options.model or conversation.model


def filler(options: WriteOptions) -> str:
    """The text of a user turn to put before a leading assistant; ``""`` where none is asked for."""
    text = options.extra.get("filler")
    return text if isinstance(text, str) and text.strip() else ""
