"""A message as one plain JSON object and back: how working memories save what they observed.

Not an exchange format (that is ``mnemo_lab.formats.portable``): fields at their defaults are left out.
"""

from __future__ import annotations

from dataclasses import MISSING as NO_DEFAULT
from dataclasses import fields
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Attachment, Message, ToolCall

_CONTENT_MISSING: Final = "content_missing"
_PARTS: Final = {"tool_calls": ToolCall, "attachments": Attachment}


def to_row(message: Message) -> dict[str, Any]:
    """Every field that is not at its default, parts as objects of their own."""
    row = _plain(message)
    if row.get("content") is MISSING:
        del row["content"]
        row[_CONTENT_MISSING] = True
    return row | {name: [_plain(part) for part in row[name]] for name in _PARTS if name in row}


def from_row(row: dict[str, Any]) -> Message:
    """The message ``to_row`` was given."""
    values = {key: value for key, value in row.items() if key != _CONTENT_MISSING}
    if row.get(_CONTENT_MISSING):
        values["content"] = MISSING
    for name, kind in _PARTS.items():
        if name in values:
            values[name] = tuple(kind(**part) for part in values[name])
    return Message(**values)


def _plain(item: Message | ToolCall | Attachment) -> dict[str, Any]:
    """Fields with a value other than their default, in declared order."""
    found = {}
    for field in fields(item):
        value = getattr(item, field.name)
        default = field.default_factory() if field.default_factory is not NO_DEFAULT else field.default
        if value != default:
            found[field.name] = dict(value) if field.name == "extensions" else value
    return found
