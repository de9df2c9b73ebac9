"""The conversation while it is judged and repaired: entries that remember where they came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.formats.targets.rules import Target
from mnemo_lab.losses import Loss, loss

Policy = Literal["placeholder", "drop", "error"]

ORIGINAL_ID: Final = "original_id"
"""Extension of a call or a result: the id it had before it was renamed for a target."""


class Entry(NamedTuple):
    """A message and its position in the conversation that was given; ``None`` for a placeholder."""

    message: Message
    origin: int | None

    def with_message(self, **changes: Any) -> Entry:
        return Entry(replace(self.message, **changes), self.origin)


@dataclass(slots=True)
class Draft:
    """One linear conversation on its way to a target; ``losses`` are the repairs done so far."""

    target: Target
    model: str | None
    policy: Policy
    system_prompt: str | None
    entries: list[Entry]
    extensions: Mapping[str, Any]
    """Of the conversation."""
    losses: list[Loss] = field(default_factory=list)

    def loss(self, entry: Entry, code: str, **values: object) -> Loss:
        """A loss at the place of an entry."""
        pointer = None if entry.origin is None else f"/messages/{entry.origin}"
        return loss(code, message_id=entry.message.id or None, pointer=pointer, **values)

    def note(self, entry: Entry, code: str, **values: object) -> None:
        """Record a repair."""
        self.losses.append(self.loss(entry, code, **values))

    def change(self, mend: Callable[[Entry], Entry | None]) -> None:
        """Replace every entry by what ``mend`` makes of it; ``None`` removes it."""
        self.entries = [new for entry in self.entries if (new := mend(entry)) is not None]


def is_bare(message: Message) -> bool:
    """Whether nothing is left to send: no text but white space, no calls, no attachments, no refusal."""
    return not (message.text.strip() or message.tool_calls or message.attachments or has_refusal(message))


def has_refusal(message: Message) -> bool:
    """Whether the assistant refused; writers send the refusal in place of content."""
    return message.role == "assistant" and bool(message.extensions.get("refusal"))


def with_original(extensions: Mapping[str, Any], original: str) -> dict[str, Any]:
    """Extensions that keep the first id of a call or result, however often it is renamed."""
    return {ORIGINAL_ID: original, **extensions}
