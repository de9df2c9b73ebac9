"""Branches: parent pointers are the truth, and one path through them is active."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.losses import Loss, loss

ACTIVE_LEAF: Final = "active_leaf"
"""Conversation extension: the id of the last message of the path the user last saw."""


class Linear(NamedTuple):
    """A conversation without branches, and what was left out."""

    conversation: Conversation
    losses: tuple[Loss, ...]


def has_branches(conversation: Conversation) -> bool:
    """Whether any message has two children, or a root has a sibling."""
    if not any(message.parent_id for message in conversation.messages):
        return False
    parents = [message.parent_id for message in conversation.messages]
    return len(set(parents)) < len(parents)


def active_path(conversation: Conversation) -> Linear:
    """The path from the root to the active leaf, without parent ids; messages off it are a listed loss.

    The leaf is ``extensions["active_leaf"]``, else the last message of the list. A parent that does not exist or that
    closes a cycle ends the walk there.
    """
    messages = conversation.messages
    if not any(message.parent_id for message in messages):
        return Linear(conversation, ())
    path = path_to(messages, str(conversation.extensions.get(ACTIVE_LEAF) or messages[-1].id))
    kept = {id(message) for message in path}  # not by message id: two messages may share one
    dropped = [message for message in messages if id(message) not in kept]
    losses = (loss("branch_dropped", count=len(dropped)),) if dropped else ()
    return Linear(_linear(conversation, path), losses)


def path_to(messages: Sequence[Message], leaf: str) -> list[Message]:
    """Messages from the root to ``leaf``, in that order; the whole list where there is no such message."""
    by_id = {message.id: message for message in messages if message.id}
    if leaf not in by_id:
        return list(messages)
    path: list[Message] = []
    seen: set[str] = set()
    here: str | None = leaf
    while here is not None and here in by_id and here not in seen:
        seen.add(here)
        path.append(by_id[here])
        here = by_id[here].parent_id
    return path[::-1]


def all_paths(conversation: Conversation) -> Iterator[Conversation]:
    """Every branch as a linear conversation of its own, the active one first; ids get ``#2``, ``#3`` …"""
    messages = conversation.messages
    parents = {message.parent_id for message in messages if message.parent_id}
    leaves = [message.id for message in messages if message.id not in parents]
    active = str(conversation.extensions.get(ACTIVE_LEAF) or (messages[-1].id if messages else ""))
    leaves.sort(key=lambda leaf: leaf != active)
    for number, leaf in enumerate(leaves or [active], 1):
        branch = _linear(conversation, path_to(messages, leaf))
        yield branch if number == 1 else replace(branch, id=f"{conversation.id}#{number}")


def _linear(conversation: Conversation, path: Sequence[Message]) -> Conversation:
    extensions = {key: value for key, value in conversation.extensions.items() if key != ACTIVE_LEAF}
    return replace(conversation, messages=tuple(replace(m, parent_id=None) for m in path), extensions=extensions)
