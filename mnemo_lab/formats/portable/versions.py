"""What version 1.1.0 added, found in a tree, and a tree taken back to 1.0.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from mnemo_lab.formats.faults import pointer
from mnemo_lab.formats.portable import models
from mnemo_lab.formats.portable.models import VERSION_1_0
from mnemo_lab.losses import Loss, loss


class Newer(NamedTuple):
    """A use of version 1.1.0: the object it stands in, the field, and where that is."""

    level: dict[str, Any]
    field: str
    pointer: str
    message_id: str | None


def newer_fields(tree: dict[str, Any]) -> Iterator[Newer]:
    """Every use of version 1.1.0 in a tree from ``document_of``."""
    conversation = tree["conversation"]
    yield from _at(models.ConversationContext, tree)
    yield from _at(models.Meta, tree["meta"], "meta")
    yield from _at(models.Conversation, conversation, "conversation")
    for index, message in enumerate(conversation["messages"]):
        place = ("conversation", "messages", index)
        yield from _at(models.Message, message, *place, message_id=message.get("id"))
        if not isinstance(message.get("content"), str):
            yield Newer(message, "content", pointer((*place, "content")), message.get("id"))
        for number, call in enumerate(message.get("tool_calls", ())):
            yield from _at(models.ToolCall, call, *place, "tool_calls", number, message_id=message.get("id"))


def take_back(uses: list[Newer]) -> Iterator[Loss]:
    """Remove each use; content, which 1.0.0 requires, becomes the empty string."""
    for level, field, where, message_id in uses:
        if field == "content":
            found = "null" if field in level else "missing"
            yield loss("content_not_in_version", message_id=message_id, pointer=where, found=found, version=VERSION_1_0)
            _set_content(level)
        else:
            yield loss("field_not_in_version", message_id=message_id, pointer=where, field=field, version=VERSION_1_0)
            del level[field]


def _at(
    model: type[models.Level], level: dict[str, Any], *place: str | int, message_id: str | None = None
) -> Iterator[Newer]:
    for field in level:
        if field in models.ADDED_IN_1_1[model]:
            yield Newer(level, field, pointer((*place, field)), message_id)


def _set_content(message: dict[str, Any]) -> None:
    rest = {key: value for key, value in message.items() if key not in ("id", "role", "content")}
    ordered = {key: message[key] for key in ("id", "role") if key in message} | {"content": ""} | rest
    message.clear()
    message.update(ordered)
