"""Messages, checkpoints and conversations as bytes in a row, redacted before they get there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from mnemo_lab.conversation import Conversation, ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.message_rows import from_row, to_row

Redact = Callable[[str], str]
_WRITTEN: Final = ("summary", "keywords", "entities", "decisions", "task_state", "intent", "outcomes", "open_items")
"""Fields of a checkpoint that repeat what was said."""


def name_of(value: str, what: str) -> str:
    """The value itself; raises ``InvalidInput`` where it cannot name something."""
    try:
        known = bool(value) and bool(value.encode())
    except UnicodeEncodeError:
        known = False
    if not known:
        raise InvalidInput(f"{what} is {value!r}; it must be a text of at least one character")
    return value


def pack(value: Any) -> bytes:
    """Compact JSON. Not escaped: two escaped lone surrogates side by side would be read as one character."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpack(body: bytes) -> Any:
    return json.loads(body.decode("utf-8", "surrogatepass"))


def pack_message(message: Message) -> bytes:
    try:
        return pack(to_row(message))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"message {message.id!r} cannot be stored as JSON: {error}") from None


def unpack_message(body: bytes) -> Message:
    return from_row(unpack(body))


def pack_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Without its embedding, which stands with the other vectors."""
    return pack(replace(checkpoint, embedding=None, embedder="").to_json())


def unpack_checkpoint(body: bytes) -> Checkpoint:
    return Checkpoint.from_json(unpack(body))


def pack_info(info: ConversationInfo) -> bytes:
    return pack(asdict(info))


def unpack_info(body: bytes) -> ConversationInfo:
    return ConversationInfo(**unpack(body))


def redacted(
    info: ConversationInfo, messages: Sequence[Message], redact: Redact
) -> tuple[ConversationInfo, Sequence[Message]]:
    """Every string a person may have written; ids, roles, times and names of tools stay."""
    from mnemo_lab.privacy.walk import rewrite

    whole = Conversation(tuple(messages), title=info.title, system_prompt=info.system_prompt)
    clean = rewrite(whole, lambda slot: redact(slot.text))
    return replace(info, title=clean.title, system_prompt=clean.system_prompt), clean.messages


def redacted_checkpoint(checkpoint: Checkpoint, redact: Redact) -> Checkpoint:
    """The same of a checkpoint. Its embedding goes: it was made of the text that must not be kept."""
    clean = {name: _mapped(getattr(checkpoint, name), redact) for name in _WRITTEN}
    return replace(checkpoint, **clean, embedding=None, embedder="")


def _mapped(value: Any, redact: Redact) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, tuple):
        return tuple(_mapped(item, redact) for item in value)
    return {key: _mapped(item, redact) for key, item in value.items()}
