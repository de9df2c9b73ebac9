"""What is left of a log and of other items when some items are forgotten for good."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem

REASON: Final = "it told of a memory that was forgotten"
SHORTEST: Final = 2
"""Characters of a value that is looked for in reasons: a shorter one stands in any sentence."""


def telling(versions: Collection[MemoryItem]) -> set[str]:
    """By what a reason tells of items: their ids, sentences and values, in all their versions."""
    found = {text for item in versions for text in (item.id, item.content, item.value)}
    return {text for text in found if len(text) >= SHORTEST} | {item.id for item in versions}


def detached(item: MemoryItem, gone: Collection[str]) -> MemoryItem:
    """The item without its link to what is gone; it stays outdated."""
    return item.with_(superseded_by=None) if item.superseded_by in gone else item


def without(decision: Decision, gone: Collection[str], told: Collection[str]) -> Decision | None:
    """The decision without anything that tells of items that are gone; ``None`` where it only told of them.

    ``told`` are the words by which a reason tells of them.
    """
    items = decision.items
    if items and items <= set(gone):
        return None
    before, after = (
        tuple(detached(item, gone) for item in side if item.id not in gone)
        for side in (decision.before, decision.after)
    )
    tells = not items.isdisjoint(gone) or (before, after) != (decision.before, decision.after)
    reason = REASON if tells or any(text in decision.reason for text in told) else decision.reason
    return replace(decision, before=before, after=after, reason=reason)
