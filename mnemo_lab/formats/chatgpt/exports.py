"""What exports with a ``mapping`` share: their files, one conversation at a time, and the active leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.chatgpt.clean import clean
from mnemo_lab.formats.chatgpt.detect import SHARD
from mnemo_lab.formats.chatgpt.nodes import Time, Tree
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.json_text import Part
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.streaming import elements
from mnemo_lab.formats.tree import ACTIVE_LEAF
from mnemo_lab.losses import Loss, loss

Convert = Callable[[dict[str, Any], str, list[Loss]], Conversation]
"""From a conversation's object and its JSON pointer; losses are added to the list."""


def read_export(source: Source, convert: Convert) -> Iterator[Reading]:
    """The conversations of every file. One broken conversation, or one broken file of many, costs itself."""
    members = members_of(source)
    for member in members:
        place, empty = source.place(member), True
        try:
            with source.open(member) as stream:
                for part in elements(stream, place):
                    if part.fault and not part.pointer:
                        raise part.fault
                    for inner in _unwrapped(part):
                        yield _reading(inner, convert)
                        empty = False
        except InvalidInput as error:
            if empty and len(members) == 1:
                raise
            yield _unreadable(place, None, error)


def members_of(source: Source) -> list[str]:
    """``conversations.json`` or its shards by number; of a plain file, the file."""
    if source.members == (source.path.name,) and source.path.is_file():
        return list(source.members)
    shards = [(int(found[1]), m) for m in source.members if (found := SHARD.fullmatch(PurePosixPath(m).name))]
    members = source.named("conversations.json") or [member for _, member in sorted(shards)]
    if not members:
        raise InvalidInput(
            f"{source.path}: no conversations.json or conversations-000.json inside; choose the export as downloaded"
        )
    return members


def _unwrapped(part: Part) -> Iterator[Part]:
    """A whole file that is one object: a conversation, or conversations that are not its first member."""
    value = part.value
    if part.fault or part.pointer:
        yield part
    elif isinstance(value, dict) and isinstance(value.get("conversations"), list):
        for index, item in enumerate(value["conversations"]):
            yield Part(f"{part.place}#/conversations/{index}", f"/conversations/{index}", item)
    elif isinstance(value, dict) and "mapping" in value:
        yield part
    else:
        found = shorten(value)
        raise Refused(part.place, [f"expected an array of conversations, or one with a mapping; found {found}"])


def _reading(part: Part, convert: Convert) -> Reading:
    """The one place where an unforeseen fault in one conversation is kept from costing the others."""
    if part.fault:
        return _unreadable(part.place, part.pointer, part.fault)
    if not isinstance(part.value, dict):
        fault = Refused(part.place, [f"expected an object, found {shorten(part.value)}"])
        return _unreadable(part.place, part.pointer, fault)
    where = part.pointer or ""
    try:
        value, losses = clean(part.value, where)
        conversation = convert(value, where, losses)
    except Exception as error:
        return _unreadable(part.place, part.pointer, error)
    return Reading(conversation, tuple(losses), None, part.place)


def _unreadable(place: str, where: str | None, error: Exception) -> Reading:
    reason = error.reason if isinstance(error, Refused) else str(error)
    if not isinstance(error, InvalidInput):
        reason = f"{type(error).__name__}: {reason}"
    return Reading(None, (loss("unreadable_conversation", pointer=where, reason=reason),), None, place)


def mapping_of(value: dict[str, Any]) -> dict[str, Any]:
    """The nodes of a conversation; none where it is an empty shell."""
    mapping = value.get("mapping")
    if mapping is not None and not isinstance(mapping, dict):
        raise InvalidInput(f"mapping must be an object, found {shorten(mapping)}")
    return mapping or {}


def latest_leaf(messages: Sequence[Message], tree: Tree, time: Time, where: str, losses: list[Loss]) -> str | None:
    """The latest message that nothing follows, by time, else by order; a loss where there were several of them."""
    if not messages:
        return None
    if not tree.branches:
        return messages[-1].id
    parents = {message.parent_id for message in messages}
    leaves = [message.id for message in messages if message.id not in parents]
    if len(leaves) > 1:
        losses.append(loss("leaf_guessed", pointer=where))
    times = [time(tree.messages[leaf]) or 0.0 for leaf in leaves]
    return leaves[max(range(len(leaves)), key=lambda index: (times[index], index))]


def with_leaf(conversation: Conversation, leaf: str | None, tree: Tree) -> Conversation:
    """Say which path is active, unless the messages are one path that ends with it and need no pointers."""
    messages = conversation.messages
    if not messages or (not tree.branches and leaf == messages[-1].id):
        return conversation
    if not tree.branches:
        before = (None, *(message.id for message in messages))
        messages = tuple(replace(m, parent_id=parent) for m, parent in zip(messages, before, strict=False))
    return replace(conversation, messages=messages, extensions={**conversation.extensions, ACTIVE_LEAF: leaf})


def text_or_none(value: Any) -> str | None:
    """Text that says something."""
    return value if isinstance(value, str) and value else None
