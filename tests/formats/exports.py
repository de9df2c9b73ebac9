"""Exports for tests: made in a few words, read through a file; and where the shared samples are, if they are."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.formats import chatgpt
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.source import Source

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077 53de0000000c49444154789c6370683800000284018126"
    "797a b80000000049454e44ae426082".replace(" ", "")
)


def sample(name: str) -> Path:
    """A shared sample; the test is skipped where there is none."""
    root = os.environ.get("MNEMO_SAMPLES_DIR")
    folder = Path(root) if root else Path(__file__).resolve().parents[3] / "shared" / "samples" / "formats"
    if not (folder / name).exists():
        pytest.skip(f"no shared sample {folder / name}; set MNEMO_SAMPLES_DIR")
    return folder / name


def readings(path: Path, reader: Any = chatgpt) -> list[Reading]:
    with Source(path) as source:
        return list(reader.read(source))


def read_value(folder: Path, value: Any, reader: Any = chatgpt) -> list[Reading]:
    """What is read of a value saved as ``conversations.json``."""
    path = folder / "conversations.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return readings(path, reader)


def one(folder: Path, value: dict[str, Any], reader: Any = chatgpt) -> tuple[Conversation, Reading]:
    """The only conversation of an export, and its reading."""
    (reading,) = read_value(folder, [value], reader)
    assert reading.conversation is not None, reading.losses[0].sentence()
    return reading.conversation, reading


def codes(reading: Reading) -> Counter[str]:
    return Counter(item.code for item in reading.losses)


def node(key: str, parent: str | None, role: str, content: Any = "", **message: Any) -> dict[str, Any]:
    """A node; content that is text becomes content of that type. ``name`` is the author's."""
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    author = {"role": role, "name": message.pop("name", None), "metadata": {}}
    return {"id": key, "parent": parent, "message": {"id": key, "author": author, "content": content, **message}}


def export(*nodes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A conversation of nodes; the last one is current unless said otherwise (``current_node=None``)."""
    mapping = {item["id"]: item for item in nodes}
    return {"id": "c", "title": "t", "mapping": mapping, "current_node": nodes[-1]["id"] if nodes else None} | fields


def ids(messages: Sequence[Message]) -> list[str]:
    return [message.id for message in messages]


def by_id(conversation: Conversation) -> dict[str, Message]:
    return {message.id: message for message in conversation.messages}
