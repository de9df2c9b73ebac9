"""One conversation of an export, with the tree its messages form."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.claude_ai.message import MessageReader
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.histories.fields import list_at, rest, text_at
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.histories.linking import Leaf, Node, Parents, assemble, latest_leaf, resolve
from mnemo_lab.formats.tree import ACTIVE_LEAF

NAME: Final = "claude-ai"
_ROOT: Final = re.compile(r"00000000-0000-[04]000-[08]000-000000000000")
_MADE: Final = "message_"
_LEAF: Final = "current_leaf_message_uuid"
_KNOWN: Final = ("uuid", "name", "summary", "model", "chat_messages", _LEAF)


def conversation_of(value: dict[str, Any], pointer: str, ledger: Ledger) -> Conversation:
    nodes = _nodes(value, f"{pointer}/chat_messages", ledger)
    parents = resolve(nodes, ledger)
    extensions: dict[str, Any] = {}
    leaf = _leaf(value, nodes, parents, pointer, ledger)
    if leaf:
        extensions[ACTIVE_LEAF] = leaf
    more = rest(value, _KNOWN)
    if more:
        extensions[NAME] = more
    messages = assemble(nodes, parents, NAME)
    if not _has_parents(value):
        messages = tuple(replace(item, id=_own(item.id), parent_id=None) for item in messages)
    if not messages:
        ledger.add("empty_conversation", pointer=f"{pointer}/chat_messages")
    return Conversation(
        messages=messages,
        id=text_at(value, "uuid"),
        title=text_at(value, "name") or None,
        model=text_at(value, "model") or None,
        summary=text_at(value, "summary") or None,
        extensions=extensions,
    )


def _nodes(value: dict[str, Any], pointer: str, ledger: Ledger) -> list[Node]:
    """Messages in the order of the file; ids that are missing or stand twice are made where a tree needs them."""
    items = list_at(value, "chat_messages")
    reader = MessageReader(NAME, ledger)
    nodes: list[Node] = []
    seen: dict[str, dict[str, Any]] = {}
    for index, item in enumerate(items):
        where = f"{pointer}/{index}"
        if not isinstance(item, dict):
            ledger.add("unreadable_record", pointer=where, reason=f"{shorten(item)} is no message")
            continue
        message_id = text_at(item, "uuid") or f"{_MADE}{index}"
        if message_id in seen:
            if seen[message_id] == item:
                ledger.count("duplicate_record", message_id=message_id, pointer=where)
                continue
            new = f"{message_id}_{index}"
            why = "an earlier message has it"
            ledger.add("id_renamed", message_id=message_id, pointer=where, id=message_id, new=new, reason=why)
            message_id = new
        seen[message_id] = item
        nodes.append(Node(message_id, _parent(item, nodes), where, reader.read(item, message_id, where)))
    return nodes


def _has_parents(value: dict[str, Any]) -> bool:
    """Older exports are plain lists."""
    return any(isinstance(item, dict) and "parent_message_uuid" in item for item in list_at(value, "chat_messages"))


def _own(message_id: str) -> str:
    """The id the tool gave; ``""`` where one was made to build the tree."""
    return "" if message_id.startswith(_MADE) else message_id


def _parent(item: dict[str, Any], nodes: list[Node]) -> str | None:
    """The id of the message before; where the message does not say, that of the list."""
    if "parent_message_uuid" not in item:
        return nodes[-1].id if nodes else None
    parent = text_at(item, "parent_message_uuid")
    return parent if parent and not _ROOT.fullmatch(parent) else None


def _leaf(value: dict[str, Any], nodes: list[Node], parents: Parents, pointer: str, ledger: Ledger) -> str:
    """The id to mark as active; ``""`` where there is one path only, which the list shows by itself."""
    wanted = text_at(value, _LEAF)
    named = next((node for node in nodes if node.id == wanted and node.drafts), None)
    if named is not None:
        return named.last_id
    leaf: Leaf = latest_leaf(nodes, parents)
    if leaf.paths < 2 and not wanted:
        return ""
    ledger.add("leaf_guessed", message_id=leaf.id, pointer=f"{pointer}/{_LEAF}" if wanted else pointer)
    return leaf.id
