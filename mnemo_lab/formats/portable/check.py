"""Validation against the models, with every fault in words: pointer, value, what is allowed, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from mnemo_lab.formats.faults import Refused, pointer, shorten
from mnemo_lab.formats.portable.extensions import fold
from mnemo_lab.formats.portable.models import ADDED_IN_1_1, ConversationContext

_MUST: Final = {
    "string_type": "must be a string",
    "list_type": "must be an array",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}
_TIME: Final = 'write ISO 8601 text such as "2026-03-01T12:00:00Z"'
_NEXT: Final = {
    "version": "add the version of the format",
    "role": "map the role to one of these",
    "content": "join the text parts into one string, and move images and files to attachments",
    "timestamp": f"{_TIME}, or leave it out",
    "exported_at": _TIME,
    "arguments": "write the arguments as JSON text in a string",
    "messages": "give the list of messages, [] for none",
    "kind": 'use "image" for pictures and "file" for all else',
    "extensions": "put the value into an object under a name of its own",
}
_ADDED: Final = frozenset().union(*ADDED_IN_1_1.values())
_LIKELY: Final = "correct it in the tool that wrote the document"


def validate(tree: dict[str, Any], place: str, *, as_1_0: bool = False) -> ConversationContext:
    """The tree as models; raises ``Refused`` with every fault.

    ``as_1_0`` holds the tree to version 1.0.0: content must be a string, and a field that only 1.1.0 knows
    is an unknown field where it does not fit (the tree is changed then).
    """
    faults = _contents(tree) if as_1_0 else []
    try:
        model = _model(tree, shelve=as_1_0)
    except ValidationError as error:
        faults = [_fault(item["loc"], item) for item in error.errors(include_url=False)] + faults
        raise Refused(place, faults) from None
    if faults:
        raise Refused(place, faults)
    return model


def _model(tree: dict[str, Any], shelve: bool) -> ConversationContext:
    try:
        return ConversationContext.model_validate(tree)
    except ValidationError as error:
        if not (shelve and _shelve(tree, [item["loc"] for item in error.errors(include_url=False)])):
            raise
        return ConversationContext.model_validate(tree)


def _shelve(tree: dict[str, Any], places: Sequence[tuple[str | int, ...]]) -> bool:
    """Move the 1.1.0 fields that do not fit to the unknown fields of their level; whether there were any."""
    misfits = {place[: index + 1] for place in places for index, part in enumerate(place) if part in _ADDED}
    # Extensions first: the others are moved into them.
    for place in sorted(misfits, key=lambda found: (found[-1] != "extensions", str(found))):
        level: Any = tree
        for part in place[:-1]:
            level = level[part]
        if (name := str(place[-1])) in level:
            value = level.pop(name)
            level["extensions"] = fold(level.get("extensions"), {name: value})
    return bool(misfits)


def _contents(tree: dict[str, Any]) -> list[str]:
    conversation = tree.get("conversation")
    messages = conversation.get("messages") if isinstance(conversation, dict) else None
    return [
        f"/conversation/messages/{index}/content: {'null' if 'content' in message else 'missing'}, but version 1.0.0 "
        'needs a string; write "", or declare version "1.1.0", which tells null, missing and empty apart'
        for index, message in enumerate(messages if isinstance(messages, list) else ())
        if isinstance(message, dict) and message.get("content") is None
    ]


def _fault(place: tuple[str | int, ...], item: Any) -> str:
    kind = item["type"]
    where = pointer(place) or "(document)"
    next_step = _NEXT.get(str(place[-1]) if place else "", _LIKELY)
    if kind == "missing":
        return f"{where}: missing; {next_step}"
    must = _MUST.get(kind) or f"must be {item.get('ctx', {}).get('expected', item['msg'])}"
    return f"{where}: {shorten(item['input'])} {must}; {next_step}"
