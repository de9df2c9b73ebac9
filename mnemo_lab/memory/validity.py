"""World time: from when to when a fact is true, and which of two that exclude each other gives way.

The rules are graphiti's for bitemporal edges, with two changes: what has no date falls back to the order in which it
was recorded (there it is left as it is), and only facts of one slot are compared.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, Literal

from mnemo_lab.conversation import time_of
from mnemo_lab.memory.item import MemoryItem

_EVER: Final = datetime.max.replace(tzinfo=UTC)
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
Verdict = Literal["apart", "old gives way", "new gives way"]


def begins(item: MemoryItem) -> datetime:
    """When it begins to be true: as told, else when it was recorded."""
    return time_of(item.valid_from) or time_of(item.created_at) or _NEVER


def ends(item: MemoryItem) -> datetime:
    """When it stops to be true (exclusive); far in the future where that is not known."""
    return time_of(item.valid_to) or _EVER


def true_at(item: MemoryItem, moment: datetime) -> bool:
    """Whether it was true at a moment of the world, as far as is known now.

    What is told as over without a beginning was true at any time before its end.
    """
    start = _NEVER if item.valid_from is None and item.valid_to is not None else begins(item)
    return start <= moment < ends(item)


def known_at(item: MemoryItem, moment: datetime) -> bool:
    """Whether it had been recorded at a moment, and not yet been taken back."""
    taken_back = time_of(item.expired_at)
    return (time_of(item.created_at) or _NEVER) <= moment and (taken_back is None or moment < taken_back)


def compare(old: MemoryItem, new: MemoryItem) -> Verdict:
    """Of two items of one slot: are their times apart, or which of them is over once the other is true?"""
    if min(ends(old), ends(new)) <= max(begins(old), begins(new)):  # so is what was put right on the day it was told
        return "apart"
    return "old gives way" if begins(old) <= begins(new) else "new gives way"


def day_of(moment: str | None) -> str | None:
    """The day of an ISO moment as it is written, ``2026-03-31``."""
    return moment[:10] if moment and time_of(moment) else None
