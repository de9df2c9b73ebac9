"""What the tests of the stores of memories share."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest

from mnemo_lab.embeddings.hashing import HashingEmbedder
from mnemo_lab.memory.decision import Action, Decision
from mnemo_lab.memory.item import MemoryItem, Status
from mnemo_lab.memory.stores import MemoryStore, open_store

EMBEDDER: Final = HashingEmbedder()
ALL: Final[tuple[Status, ...]] = ("active", "outdated", "forgotten")
KEY: Final = "it's a 钥匙"
AT: Final = "2026-03-01"
needs_cipher: Final = pytest.mark.skipif(
    find_spec("sqlcipher3") is None, reason="sqlcipher3 is not installed: pip install 'mnemo-lab[encrypted]'"
)
FILES: Final = {"memory": ":memory:", "json": "m.json", "sqlite": "m.db", "encrypted": "e.db"}
KINDS: Final = [pytest.param(kind, marks=needs_cipher if kind == "encrypted" else ()) for kind in FILES]
ON_DISK: Final = KINDS[1:]

NOTES: Final = (
    "We deploy from main every Friday",
    "error E-4417 means stale lock",
    "今天讨论了部署方案",
    "我喜欢用深色主题",
    "The staging database listens on port 5433",
    "The production database listens on port 5432",
)


class Counting(HashingEmbedder):
    """Notes the passages it embeds."""

    def __init__(self) -> None:
        self.passages: list[str] = []

    def encode(self, texts: Any, kind: Any = "passage") -> Any:
        self.passages += texts if kind == "passage" else []
        return super().encode(texts, kind)


def open_kind(kind: str, folder: Path, embedder: Any = EMBEDDER, **options: Any) -> MemoryStore:
    name = FILES[kind]
    if kind == "encrypted":
        options["key"] = KEY
    return open_store(name if kind == "memory" else folder / name, embedder, **options)


def item(id: str, content: str, namespace: str = "anna", **fields: Any) -> MemoryItem:
    values: dict[str, Any] = {
        "category": "preference",
        "subject": "user",
        "attribute": "note",
        "value": content.split()[-1],
        "language": "en",
        "created_at": "2026-01-01",
        **fields,
    }
    return MemoryItem(namespace, content=content, id=id, **values)


def decide(
    store: MemoryStore,
    before: tuple[MemoryItem, ...] = (),
    after: tuple[MemoryItem, ...] = (),
    action: Action = "add",
    reason: str = "said",
    at: str = AT,
) -> Decision:
    """One decision in a write of its own."""
    namespace = (*before, *after)[0].namespace
    with store.write(namespace) as writing:
        return writing.put(Decision(namespace, action, reason, at, before, after))


def add(store: MemoryStore, *items: MemoryItem) -> list[Decision]:
    return [decide(store, after=(one,)) for one in items]


def ids(found: list[Any]) -> list[str]:
    """Of items or hits."""
    return [getattr(one, "item", one).id for one in found]
