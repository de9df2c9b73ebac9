"""Takes a new fact into what is known: said again, in place of another, or new.

The ladder (exact, near, slot) is that of ``reference`` systems with their known faults mended: nothing is taken away
without something that takes its place being kept; facts exclude each other only within a slot, or where the speaker
names what is replaced; both sides of a change stay, with the time in which each was true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mnemo_lab.extraction.base import Fact
from mnemo_lab.memory.decision import Action, Decision
from mnemo_lab.memory.guard import QUARANTINED, orders_the_model
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.keys import content_key, slot_key
from mnemo_lab.memory.same import decides, mentions, names_differ, overlap, same_value
from mnemo_lab.memory.stores.base import Writing
from mnemo_lab.memory.validity import begins, compare, ends

ADDITIVE: Final = "additive"
LOW_CONFIDENCE: Final = "low_confidence"
CLOSE: Final = 0.9
"""Cosine from which on two sentences with some words in common say the same."""
SOME_OVERLAP: Final = 0.3
POOL: Final = 20
"""Items with words in common that are looked at."""


@dataclass(frozen=True)
class Merging:
    """``overlap``: least share of common words (Jaccard) of two sentences that say the same; between 0.3 and it,
    ``vectors`` decide (cosine 0.9) where the store has an embedder."""

    overlap: float = 0.6
    vectors: bool = True


def consolidate(writing: Writing, item: MemoryItem, fact: Fact, merging: Merging | None = None) -> Decision:
    """Compare an item with what is known, write what follows, and say what it was."""
    if orders_the_model(item.content):
        kept = item.with_(flags=(*item.flags, QUARANTINED))
        return _put(writing, "quarantine", "reads like an instruction to the model; never injected", (), (kept,))
    known = _Known(writing, item, merging or Merging())
    again = next((old for old in known.same if _is_said_again(old, item, fact)), None)
    if again is not None:
        return _put(writing, "merge", f"says the same as {again.id}", (again,), (_merged(again, item, fact),))
    rivals = [old for old in known.items if _excludes(old, item, fact)]
    return _settle(writing, item, fact, rivals)


class _Known:
    """What may be the same or a rival: items of the slot, and items with words in common; those of quarantine apart."""

    def __init__(self, writing: Writing, item: MemoryItem, merging: Merging) -> None:
        self._writing, self._item, self._merging = writing, item, merging
        slot = writing.slot(item.subject, item.attribute)
        near = [hit.item for hit in writing.search(f"{item.content} {item.value}", POOL, "keyword")]
        found = {old.id: old for old in (*slot, *writing.same_words(item.content), *near)}
        self.items = [old for old in found.values() if QUARANTINED not in old.flags]
        self._cosines: dict[str, float] | None = None

    @property
    def same(self) -> list[MemoryItem]:
        """Those that say the same, active ones first."""
        found = [old for old in self.items if self._says_the_same(old)]
        return sorted(found, key=lambda old: old.status != "active")

    def _says_the_same(self, old: MemoryItem) -> bool:
        new = self._item
        if old.polarity != new.polarity or not _same_subject(old, new):
            return False
        if content_key(old.content) == content_key(new.content):  # one sentence may hold several facts
            return same_value(old.value, new.value)
        if _same_slot(old, new):
            return same_value(old.value, new.value)
        return self._is_near(old)

    def _is_near(self, old: MemoryItem) -> bool:
        """Another attribute, and yet the same: the value is, and so are most words or the meaning of the whole."""
        new = self._item
        if not same_value(old.value, new.value) or decides(old.content) != decides(new.content):
            return False
        if names_differ(old.content, new.content):
            return False
        common = overlap(old.content, new.content)
        if common >= self._merging.overlap:
            return True
        return self._merging.vectors and common >= SOME_OVERLAP and self._cosine(old) >= CLOSE

    def _cosine(self, old: MemoryItem) -> float:
        if self._cosines is None:
            hits = self._writing.search(self._item.content, POOL, "vector")
            self._cosines = {hit.item.id: hit.score for hit in hits}
        return self._cosines.get(old.id, 0.0)


def _same_subject(old: MemoryItem, new: MemoryItem) -> bool:
    return slot_key(old.subject, "") == slot_key(new.subject, "")


def _same_slot(old: MemoryItem, new: MemoryItem) -> bool:
    return slot_key(old.subject, old.attribute) == slot_key(new.subject, new.attribute)


def _is_said_again(old: MemoryItem, new: MemoryItem, fact: Fact) -> bool:
    """Not where the known one was over before the new one begins: the same in another period is another fact."""
    if fact.past:
        return old.status != "active"
    return old.status == "active" or begins(new) < ends(old)


def _excludes(old: MemoryItem, new: MemoryItem, fact: Fact) -> bool:
    """Whether both cannot be true at the same time."""
    if fact.former and old.polarity == "positive" and _names(fact.former, old):
        return _same_subject(old, new) or (_is_of_work(old) and _is_of_work(new))
    if not _same_subject(old, new):
        return False
    if same_value(old.value, new.value):
        return old.polarity != new.polarity or (fact.past and old.status == "active" and _same_slot(old, new))
    if not _same_slot(old, new) or "negative" in (old.polarity, new.polarity):
        return False
    return not fact.additive and (ADDITIVE not in old.flags or fact.changes)


def _names(former: str, old: MemoryItem) -> bool:
    return same_value(former, old.value) or mentions(former, old.value)


def _is_of_work(item: MemoryItem) -> bool:
    """A project has many names ("we", "the API", its own): a replaced value that is named counts in all of them."""
    return item.category in ("project_fact", "decision")


def _settle(writing: Writing, new: MemoryItem, fact: Fact, rivals: Sequence[MemoryItem]) -> Decision:
    """Of every rival: is it over from when the new one begins, or is the new one over, or are their times apart?"""
    if fact.past:
        return _told_as_over(writing, new, rivals)
    over = [old for old in rivals if compare(old, new) == "old gives way"]
    later = [old for old in rivals if compare(old, new) == "new gives way"]
    if over or later:
        new = _marked_unsure(new, [*over, *later])
    if later:
        first = min(later, key=begins)
        new = new.with_(status="outdated", valid_to=_start(first), superseded_by=first.id, expired_at=new.created_at)
    retired = tuple(_retired(old, new) for old in over)
    reason = "; ".join(
        [*(f"{_said(old)} gives way to {new.value!r} from {_start(new)}" for old in over),
         *(f"{_said(old)} is true later, from {_start(old)}" for old in later)]
    )  # fmt: skip
    action: Action = "supersede" if over else "retire" if later else "add"
    return _put(writing, action, reason or "nothing known says or excludes it", tuple(over), (*retired, new))


def _told_as_over(writing: Writing, new: MemoryItem, rivals: Sequence[MemoryItem]) -> Decision:
    """What is told as over ends before what is known to be true now; of the same value, it ends that."""
    now = [old for old in rivals if old.status == "active"]
    ended = [old for old in now if same_value(old.value, new.value) and old.polarity == new.polarity]
    others = [old for old in now if old not in ended]
    next_one = min(others, key=begins, default=None)
    if new.valid_to is None:
        end = _start(next_one) if next_one else new.created_at[:10]
        new = new.with_(valid_to=end, flags=(*new.flags, LOW_CONFIDENCE))
    new = new.with_(status="outdated", superseded_by=next_one.id if next_one else None, expired_at=new.created_at)
    retired = tuple(
        old.with_(status="outdated", valid_to=new.valid_to, superseded_by=new.id, expired_at=new.created_at)
        for old in ended
    )
    reason = "told as over" + "".join(f"; {_said(old)} is over" for old in ended)
    return _put(writing, "supersede" if ended else "retire", reason, tuple(ended), (*retired, new))


def _retired(old: MemoryItem, new: MemoryItem) -> MemoryItem:
    """What was over before keeps its end where that is earlier."""
    if old.status != "active" and ends(old) <= begins(new):
        return old
    expired = old.expired_at or new.created_at
    return old.with_(status="outdated", valid_to=_start(new), superseded_by=new.id, expired_at=expired)


def _marked_unsure(new: MemoryItem, rivals: Iterable[MemoryItem]) -> MemoryItem:
    """Where a date is not known, the order in which things were recorded decided."""
    unknown = new.valid_from is None or any(old.valid_from is None for old in rivals)
    return new.with_(flags=tuple(dict.fromkeys((*new.flags, LOW_CONFIDENCE)))) if unknown else new


def _merged(old: MemoryItem, new: MemoryItem, fact: Fact) -> MemoryItem:
    """The known sentence stays as it is shown; it gains a source, and what the new one is surer of."""
    told = fact.valid_from is not None and begins(new) < begins(old)
    return old.with_(
        sources=tuple(dict.fromkeys((*old.sources, *new.sources))),
        importance=max(old.importance, new.importance),
        confidence=round(min(1 - (1 - old.confidence) * (1 - new.confidence), 0.99), 4),
        valid_from=new.valid_from if told else old.valid_from,
    )


def _start(item: MemoryItem) -> str:
    return item.valid_from or item.created_at


def _said(old: MemoryItem) -> str:
    return f"{old.id} ({old.subject}, {old.attribute}: {old.value!r})"


def _put(
    writing: Writing, action: Action, reason: str, before: tuple[MemoryItem, ...], after: tuple[MemoryItem, ...]
) -> Decision:
    new = after[-1]
    return writing.put(Decision(new.namespace, action, reason, new.created_at, before, after))
