"""Attachments that a target refuses, left out before repair: what is empty without them is then seen and mended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mnemo_lab.conversation import Attachment, Conversation, Message
from mnemo_lab.formats.targets import find_target, validate_for
from mnemo_lab.losses import Loss, loss

REFUSED: Final = frozenset({"attachment_refused", "missing_asset"})


def without_refused(conversation: Conversation, target: str) -> tuple[Conversation, tuple[Loss, ...]]:
    """The conversation, linear, without what the target refuses; one loss for each attachment left out."""
    flagged = _positions(validate_for(conversation, target))
    if not flagged:
        return conversation, ()
    messages, losses = list(conversation.messages), []
    for position in flagged:
        message = messages[position]
        kept = []
        for item in message.attachments:
            if _takes(message, item, target):
                kept.append(item)
            else:
                losses.append(_left_out(message, item, position, target))
        messages[position] = replace(message, attachments=tuple(kept))
    return replace(conversation, messages=tuple(messages)), tuple(losses)


def _positions(losses: Iterable[Loss]) -> list[int]:
    """The messages at which the target refuses an attachment, in order."""
    places = {item.pointer for item in losses if item.code in REFUSED and item.pointer}
    return sorted(int(place.removeprefix("/messages/")) for place in places)


def _takes(message: Message, item: Attachment, target: str) -> bool:
    alone = Conversation((replace(message, attachments=(item,)),))
    return not any(lost.code in REFUSED for lost in validate_for(alone, target))


def _left_out(message: Message, item: Attachment, position: int, target: str) -> Loss:
    kind = "audio" if (item.media_type or "").startswith("audio/") else item.kind
    where = "data" if item.data else "address" if item.reference else "name only"
    reason = f"{find_target(target).title}: {item.media_type or item.kind} ({where}, {message.role})"
    return loss(f"{kind}_dropped", message_id=message.id or None, pointer=f"/messages/{position}", reason=reason)
