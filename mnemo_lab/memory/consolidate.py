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
from mnemo_lab.memory.item import MOST_IMPORTANCE, MemoryItem
from mnemo_lab.memory.keys import content_key, names_rules, normal, slot_key
from mnemo_lab.memory.same import (
    decides,
    mentions,
    names_differ,
    other_number,
    overlap,
    restates,
    same_value,
    shares,
    undenied,
)
from mnemo_lab.memory.stores.base import Writing
from mnemo_lab.memory.validity import begins, compare, ends, true_at

ADDITIVE: Final = "additive"
LOW_CONFIDENCE: Final = "low_confidence"
CLOSE: Final = 0.9
"""Cosine from which on two sentences with some words in common say the same."""
SOME_OVERLAP: Final = 0.3
UNNAMED: Final = frozenset(("project", "项目", "we", "our project", "the project", "我们"))
"""Subjects that name nothing: whatever is spoken of."""
HALF: Final = 0.5
"""Share of the words of a denial in one's slot from which on it is that which is denied."""
POOL: Final = 20
"""Items with words in common that are looked at."""
_Items = tuple[MemoryItem, ...]


@dataclass(frozen=True)
class Merging:
    """``overlap``: least share of common words (Jaccard) of two sentences that say the same; between 0.3 and it,
    ``vectors`` decide (cosine 0.9) where the store has an embedder."""

    overlap: float = 0.6
    vectors: bool = True


def consolidate(writing: Writing, item: MemoryItem, fact: Fact, merging: Merging | None = None) -> Decision:
    """Compare an item with what is known, write what follows, and say what it was."""
    if any(map(orders_the_model, (item.content, item.value, item.subject, item.attribute))):
        kept = item.with_(flags=(*item.flags, QUARANTINED))
        return _put(writing, "quarantine", "reads like an instruction to the model; never injected", (), (kept,))
    known = _Known(writing, item, fact, merging or Merging())
    item = known.item
    rivals = [old for old in known.items if begins(old) < ends(old) and _excludes(old, item, fact)]
    again = next((old for old in known.same if _is_said_again(old, item, fact, rivals)), None)
    if again is None:
        return _settle(writing, item, fact, rivals)
    over = [old for old in rivals if not fact.past and compare(old, item) == "old gives way"]
    over = [old for old in over if again.status == "active" or old.status != "active"]
    reason = "; ".join([f"says the same as {again.id}", *(f"{_said(old)} gives way to it" for old in over)])
    retired = (_retired(old, item, again.id) for old in over)
    return _put(writing, "merge", reason, (*over, again), (*retired, _merged(again, item, fact)))


class _Known:
    """What may be the same or a rival: items of the slot, and items with words in common; those of quarantine apart."""

    def __init__(self, writing: Writing, item: MemoryItem, fact: Fact, merging: Merging) -> None:
        self._writing, self._merging, self._fact = writing, merging, fact
        self.item = item
        slot = writing.slot(item.subject, item.attribute)
        texts = [f"{item.content} {item.value}", item.attribute, fact.former or ""]
        near = [hit.item for text in texts if text for hit in writing.search(text, POOL, "keyword")]
        found = {old.id: old for old in (*slot, *writing.same_words(item.content), *near)}
        self.items = [old for old in found.values() if QUARANTINED not in old.flags]
        if fact.changes and not slot and _is_of_work(item):
            self.item = self._as_it_is_called()

    def _as_it_is_called(self) -> MemoryItem:
        """A change of what was never told under this name, where one thing alone has such an attribute: it is meant
        ("the launch moved to May" after "the app launches in April")."""
        new = self.item
        slot = slot_key("", new.attribute)
        others = [
            old for old in self.items
            if old.status == "active" and _is_of_work(old) and slot_key("", old.attribute) == slot
            and (UNNAMED & {normal(old.subject), normal(new.subject)} or _within(old.subject, new.subject))
        ]  # fmt: skip
        names = {slot_key(old.subject, "") for old in others}
        return new.with_(subject=others[0].subject) if len(names) == 1 else new

    @property
    def same(self) -> list[MemoryItem]:
        """Those that say the same, the one that was true when the new one begins first."""
        start = begins(self.item)
        return sorted(filter(self._says_the_same, self.items), key=lambda old: (not true_at(old, start), begins(old)))

    def _says_the_same(self, old: MemoryItem) -> bool:
        new = self.item
        if old.polarity != new.polarity or not _same_subject(old, new):
            return False
        if not _says_again(old, new, self._fact):  # one sentence may hold several facts
            return False
        return _same_slot(old, new) or content_key(old.content) == content_key(new.content) or self._is_near(old)

    def _is_near(self, old: MemoryItem) -> bool:
        """Another attribute, and yet the same: the value is, and so are most words or the meaning of the whole."""
        new = self.item
        if decides(old.content) != decides(new.content) or names_differ(old.content, new.content):
            return False
        common = overlap(old.content, new.content)
        if common >= self._merging.overlap:
            return True
        may = self._merging.vectors and common >= SOME_OVERLAP
        return may and self._writing.cosine(new, old) >= CLOSE


def _says_again(old: MemoryItem, new: MemoryItem, fact: Fact) -> bool:
    """Whether the values are one: in a slot also where one is told more fully, unless it is said to be new."""
    close = restates if _same_slot(old, new) and not fact.changes else same_value
    return close(old.value, new.value)


def _within(one: str, other: str) -> bool:
    """Whether one name is a part of the other ("订单中心", "周日夜里订单中心")."""
    return mentions(one, other) or mentions(other, one)


def _same_subject(old: MemoryItem, new: MemoryItem) -> bool:
    return slot_key(old.subject, "") == slot_key(new.subject, "")


def _same_slot(old: MemoryItem, new: MemoryItem) -> bool:
    return slot_key(old.subject, old.attribute) == slot_key(new.subject, new.attribute)


def _is_said_again(old: MemoryItem, new: MemoryItem, fact: Fact, rivals: Iterable[MemoryItem]) -> bool:
    """Not where the known one was over before the new one begins, nor where what excludes it was true between: the
    same in another period is another fact."""
    if fact.past:
        return old.status != "active" and not (new.valid_from and begins(new) >= ends(old))
    return begins(new) < ends(old) and not any(begins(new) < begins(rival) < begins(old) for rival in rivals)


def _excludes(old: MemoryItem, new: MemoryItem, fact: Fact) -> bool:
    """Whether both cannot be true at the same time."""
    again = _says_again(old, new, fact)
    if fact.former and old.polarity == "positive" and not again and _names(fact.former, old):
        return _same_subject(old, new) or (_is_of_work(old) and _is_of_work(new))
    if not _same_subject(old, new):
        return False
    if old.polarity != new.polarity and _denies(old, new):  # what one is allergic to may also be disliked
        return _same_slot(old, new) or max(old.importance, new.importance) < MOST_IMPORTANCE
    if again:
        return fact.past and old.status == "active" and _same_slot(old, new)
    if not _same_slot(old, new) or "negative" in (old.polarity, new.polarity):
        return False
    if content_key(old.content) == content_key(new.content):  # said in one breath
        return fact.changes
    rules = names_rules(old.attribute) and not other_number(old.value, new.value)
    if fact.additive or ADDITIVE in old.flags or rules:
        return fact.changes and not fact.additive and not fact.former  # what is named was looked at above
    return True


def _denies(old: MemoryItem, new: MemoryItem) -> bool:
    """Whether one says that the other is not so: of its value, told more or less fully, or of the whole slot ("coffee
    consumption: no coffee")."""
    denial, claim = (new, old) if new.polarity == "negative" else (old, new)
    value = undenied(denial.value)
    if restates(claim.value, value):
        return True
    return _same_slot(old, new) and (mentions(denial.attribute, value) or shares(claim.value, value) >= HALF)


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
    later = [old for old in later if old.status == "active" or old.superseded_by]  # what is over and done is no end
    if later:  # what is itself over ends nothing that is true now
        over = [old for old in over if old.status != "active"]
    if over or later:
        new = _marked_unsure(new, [*over, *later])
    if later:
        first = min(later, key=begins)
        new = new.with_(status="outdated", valid_to=_start(first), superseded_by=first.id, expired_at=new.created_at)
    retired = tuple(_retired(old, new) for old in over)
    said = [f"{_said(old)} gives way to {new.value!r} from {_start(new)}" for old in over]
    said += [f"{_said(old)} is true later, from {_start(old)}" for old in later]
    action: Action = "supersede" if over else "retire" if later else "add"
    return _put(writing, action, "; ".join(said) or "nothing known says or excludes it", tuple(over), (*retired, new))


def _told_as_over(writing: Writing, new: MemoryItem, rivals: Sequence[MemoryItem]) -> Decision:
    """What is told as over ends before what is known to be true now; of the same value, it ends that."""
    now = [old for old in rivals if old.status == "active"]
    same = [old for old in now if same_value(old.value, new.value) and old.polarity == new.polarity]
    ended = [old for old in same if begins(old) < ends(new)]
    later = (old for old in now if old not in same and (not new.valid_from or begins(old) > begins(new)))
    next_one = min(later, key=begins, default=None)
    if new.valid_to is None:
        end = _start(next_one) if next_one else new.created_at[:10]
        new = new.with_(valid_to=end, flags=(*new.flags, LOW_CONFIDENCE))
    new = new.with_(status="outdated", superseded_by=next_one.id if next_one else None, expired_at=new.created_at)
    over = new.valid_to or ""
    retired = tuple(_retired(old, new, end=max(over, _start(old))) for old in ended)  # nothing ends before it begins
    reason = "told as over" + "".join(f"; {_said(old)} is over" for old in ended)
    return _put(writing, "supersede" if ended else "retire", reason, tuple(ended), (*retired, new))


def _retired(old: MemoryItem, new: MemoryItem, by: str | None = None, end: str | None = None) -> MemoryItem:
    gone = {"valid_to": end or _start(new), "expired_at": old.expired_at or new.created_at}
    return old.with_(status="outdated", superseded_by=by or new.id, **gone)


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


def _put(writing: Writing, action: Action, reason: str, before: _Items, after: _Items) -> Decision:
    new = after[-1]
    return writing.put(Decision(new.namespace, action, reason, new.created_at, before, after))
