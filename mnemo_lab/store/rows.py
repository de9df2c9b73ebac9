"""Messages, checkpoints and conversations as bytes in a row, redacted before they get there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.conversation import Conversation, ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.message_rows import from_row, to_row
from mnemo_lab.storage.values import pack, unpack

if TYPE_CHECKING:
    from mnemo_lab.privacy import Redactor

_WRITTEN: Final = ("summary", "keywords", "entities", "decisions", "task_state", "intent", "outcomes", "open_items")
"""Fields of a checkpoint that repeat what was said."""
PERSON: Final = "person"
"""The type of entity that is a name whatever it looks like."""


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
    info: ConversationInfo, messages: Sequence[Message], redactor: Redactor
) -> tuple[ConversationInfo, Sequence[Message]]:
    """Every string a person may have written (``privacy.walk``); ids, roles, times and names of tools stay."""
    whole = Conversation(tuple(messages), title=info.title, system_prompt=info.system_prompt)
    clean, _ = redactor.redact_conversation(whole)
    return replace(info, title=clean.title, system_prompt=clean.system_prompt), clean.messages


def redacted_checkpoint(checkpoint: Checkpoint, redactor: Redactor) -> Checkpoint:
    """The same of a checkpoint. Its embedding goes: it was made of the text that must not be kept."""
    written = {name: getattr(checkpoint, name) for name in _WRITTEN}
    said: list[Message] = []

    def collect(text: str, person: bool) -> str:
        said.append(Message("user", text, name=text if person else None))
        return text

    _visit(written, collect)
    clean, _ = redactor.redact_conversation(Conversation(tuple(said)))
    texts = iter([message.name or message.text for message in clean.messages])
    done = _visit(written, lambda text, person: next(texts))
    return replace(checkpoint, **done, embedding=None, embedder="")


def _visit(value: Any, visit: Callable[[str, bool], str], person: bool = False) -> Any:
    """The value with every string replaced, in one order; ``person`` says that it stands under that type."""
    if isinstance(value, str):
        return visit(value, person)
    if isinstance(value, tuple):
        return tuple(_visit(item, visit, person) for item in value)
    return {key: _visit(item, visit, key == PERSON) for key, item in value.items()}
