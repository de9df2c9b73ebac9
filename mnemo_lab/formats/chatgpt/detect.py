"""Whether a file is ChatGPT's export: conversations with a ``mapping`` whose times are not DeepSeek's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Final

from mnemo_lab.formats.base import Detection, Sample

SHARD: Final = re.compile(r"conversations-(\d+)\.json")
_LOOKED_AT: Final = 20
_OWN: Final = ("current_node", "default_model_slug", "conversation_id", "gizmo_id", "moderation_results")


def detect(sample: Sample) -> Detection | None:
    """Judge by the first conversation that has a mapping, else by the names of the members."""
    trees = [item for item in conversations_in(sample.value) if isinstance(item.get("mapping"), dict)]
    if any(is_deepseek(tree) for tree in trees):
        return None
    for tree in trees:
        known = [key for key in _OWN if key in tree]
        if known:
            return Detection(0.97, f"conversations with mapping, {', '.join(known)}")
        if _has_authors(tree["mapping"].values()):
            return Detection(0.9, "conversations with a mapping of nodes whose messages have an author")
    if trees:
        return Detection(0.6, "conversations with a mapping")
    files = {PurePosixPath(member).name for member in sample.members}
    if any(map(SHARD.fullmatch, files)):
        return Detection(0.7, "files named conversations-NNN.json")
    if {"conversations.json", "chat.html"} <= files:
        return Detection(0.5, "conversations.json beside chat.html")
    return None


def conversations_in(value: Any) -> Iterator[dict[str, Any]]:
    """The objects among the first elements of an array, of ``{"conversations": […]}``, or the object itself."""
    if isinstance(value, dict):
        inner = value.get("conversations")
        value = inner if isinstance(inner, list) else [value]
    for item in islice(value if isinstance(value, list) else (), _LOOKED_AT):
        if isinstance(item, dict):
            yield item


def is_deepseek(conversation: dict[str, Any]) -> bool:
    """DeepSeek's export has the same outline; its times are ``inserted_at`` and its messages ``fragments``."""
    if "inserted_at" in conversation:
        return True
    nodes = islice(conversation["mapping"].values(), _LOOKED_AT)
    messages = (node.get("message") for node in nodes if isinstance(node, dict))
    return any(isinstance(m, dict) and ("fragments" in m or "inserted_at" in m) for m in messages)


def _has_authors(nodes: Iterable[Any]) -> bool:
    messages = (node.get("message") for node in islice(nodes, _LOOKED_AT) if isinstance(node, dict))
    return any(isinstance(m, dict) and "author" in m for m in messages)
