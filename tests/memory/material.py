"""What the tests of long-term memory share: facts as an extractor gives them, and taking them in."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from mnemo_lab.extraction.base import Fact
from mnemo_lab.memory.consolidate import Merging
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem, Status
from mnemo_lab.memory.long_term import LongTermMemory, MemorySettings
from mnemo_lab.memory.stores import ACTIVE, MemoryStore, open_store

ALL: tuple[Status, ...] = ("active", "outdated", "forgotten")
NOW = "2026-06-01T09:00:00+00:00"


def fact(attribute: str, value: str, content: str = "", **fields: Any) -> Fact:
    """Of the user, a preference, in English, where nothing else is said."""
    values: dict[str, Any] = {"category": "preference", "subject": "user", "language": "en", "message": "", **fields}
    return Fact(attribute=attribute, value=value, content=content or f"The {attribute} is {value}.", **values)


def item(id: str = "a", **fields: Any) -> MemoryItem:
    values: dict[str, Any] = {
        "namespace": "anna",
        "category": "preference",
        "subject": "user",
        "attribute": "drink",
        "value": "tea",
        "content": "The user drinks tea.",
        "language": "en",
        "created_at": "2026-01-01",
        **fields,
    }
    return MemoryItem(id=id, **values)


def memory_of(store: MemoryStore | None = None, **settings: Any) -> LongTermMemory:
    """Ids are m1, m2 …; the clock stands at ``NOW``."""
    numbers = count(1)
    options = {key: settings.pop(key) for key in ("extractor",) if key in settings}
    return LongTermMemory(
        store or open_store(":memory:"), "anna", settings=MemorySettings(**settings),
        now=lambda: NOW, ids=lambda: f"m{next(numbers)}", **options,
    )  # fmt: skip


def told(*facts: tuple[Fact, str], store: MemoryStore | None = None, merging: Merging | None = None) -> LongTermMemory:
    """A memory that took these facts in, each at its time."""
    memory = memory_of(store, merging=merging or Merging())
    for one, at in facts:
        memory.remember(one, at)
    return memory


def everything(memory: LongTermMemory) -> list[MemoryItem]:
    return memory.store.items("anna", ALL)


def by_value(memory: LongTermMemory) -> dict[str, MemoryItem]:
    return {one.value: one for one in everything(memory)}


def active(memory: LongTermMemory) -> list[str]:
    return [one.value for one in memory.store.items("anna", ACTIVE)]


def timeline(memory: LongTermMemory) -> set[tuple[str, str | None, str | None, str]]:
    return {(one.value, one.valid_from, one.valid_to, one.status) for one in everything(memory)}


def actions(decisions: Iterable[Decision]) -> list[str]:
    return [decision.action for decision in decisions]
