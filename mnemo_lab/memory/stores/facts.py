"""What is in a store of memories, and what may be wrong with it."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.storage.files import PRIVATE


@dataclass(frozen=True, slots=True)
class NamespaceFacts:
    """``items`` by status; ``pending``: items that have no vectors yet. ``model`` is empty before the first vector."""

    name: str
    items: dict[str, int]
    decisions: int
    vectors: int
    pending: int
    model: str = ""
    dimension: int = 0


@dataclass(frozen=True, slots=True)
class MemoryFacts:
    """``kind``: in memory, JSON, SQLite or SQLCipher; ``bytes`` of the file, 0 in memory."""

    kind: str
    path: Path | None
    version: int
    bytes: int
    namespaces: tuple[NamespaceFacts, ...]


def by_status(items: Iterable[MemoryItem]) -> dict[str, int]:
    return dict(Counter(item.status for item in items))


def dangling(namespace: str, items: Sequence[MemoryItem]) -> list[str]:
    """Items that name a successor which is not there."""
    known = {item.id for item in items}
    return [
        f"namespace {namespace!r}: memory {item.id} is superseded by {item.superseded_by}, which is not there"
        for item in items
        if item.superseded_by and item.superseded_by not in known
    ]


def open_to_others(paths: Iterable[Path]) -> list[str]:
    """Files that not only their owner may read."""
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in paths if path.exists()}
    return [
        f"{path.name} has mode {mode:o}, others may read it; close it to them with: chmod 600 {path}"
        for path, mode in modes.items()
        if mode & ~PRIVATE
    ]
