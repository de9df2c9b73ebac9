"""Whether a sample is a Claude.ai export."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from mnemo_lab.formats.base import Detection, Sample
from mnemo_lab.formats.histories.fields import list_at, object_at

_BESIDE: Final = frozenset({"users.json", "projects.json"})


def detect(sample: Sample) -> Detection | None:
    """Judge by ``chat_messages``, which no other tool has; else by the names in the archive."""
    first = sample.first
    if isinstance(first, dict) and isinstance(first.get("conversations"), list):
        first = next(iter(first["conversations"]), None)
    if isinstance(first, dict) and isinstance(first.get("chat_messages"), list):
        speaks = any(isinstance(item, dict) and "sender" in item for item in list_at(first, "chat_messages"))
        return Detection(0.95 if speaks else 0.8, "has chat_messages" + (" with senders" if speaks else ""))
    names = {PurePosixPath(member).name for member in sample.members}
    if (
        "conversations.json" in names
        and names >= _BESIDE
        and not (isinstance(first, dict) and object_at(first, "mapping"))
    ):
        return Detection(0.4, "has conversations.json beside users.json and projects.json")
    return None
