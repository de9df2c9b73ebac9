"""An edited page of memories: what it changes, and making it so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import unquote

from mnemo_lab.errors import InvalidInput
from mnemo_lab.extraction.base import USER, Fact
from mnemo_lab.memory.consolidate import ADDITIVE, Merging, consolidate
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.guard import QUARANTINED, is_only_placeholder, orders_the_model
from mnemo_lab.memory.item import CATEGORIES, LEAST_IMPORTANCE, MOST_IMPORTANCE, MemoryItem, MessageRef
from mnemo_lab.memory.keys import content_key
from mnemo_lab.memory.stores.base import ACTIVE
from mnemo_lab.review.page import Shown, one_line, shown_of, state_of
from mnemo_lab.review.wording import PAGE
from mnemo_lab.text.language import language_of

if TYPE_CHECKING:
    from mnemo_lab.memory.stores.base import MemoryStore

EDITED: Final = "edited"
NOTE: Final = "note"
"""Attribute of a line that was written by hand."""
_HEAD: Final = re.compile(r"<!-- mnemo-memory namespace=(\S+) decision=(\d+) check=(\w+) -->")
_HEADING: Final = re.compile(r"##\s+(.*\S)\s*")
_CODE: Final = re.compile(r"`(.*)`$")
_ENTRY: Final = re.compile(r"[-*+] (.*?)\s*(?:<!--\s*(\S+) (\w+)\s*-->)?\s*")
_DETAIL: Final = re.compile(r"\s+[-*+]\s*([^:：]+?)\s*[:：]\s*(.*?)\s*")
_TITLES: Final = {words[name]: name for words in PAGE.values() for name in CATEGORIES}
_FORMER: Final = {words["former"] for words in PAGE.values()}
_VALUE, _IMPORTANCE = ({words[name] for words in PAGE.values()} for name in ("value", "importance"))
_TO_READ: Final = {re.split("[:：]", words[n])[0] for words in PAGE.values() for n in ("about", "before", "check")}


@dataclass(frozen=True, slots=True)
class Change:
    """``before`` is ``None`` for what is new, ``after`` is of status ``forgotten`` where a line was taken out."""

    kind: Literal["add", "edit", "forget"]
    line: int
    before: MemoryItem | None
    after: MemoryItem


@dataclass(slots=True)
class Plan:
    """What an edited page changes; ``problems``: lines that are not read, with their numbers."""

    changes: list[Change] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unchanged: int = 0


@dataclass(slots=True)
class _Entry:
    line: int
    content: str
    category: str
    id: str | None
    mark: str | None
    value: str | None = None
    importance: tuple[int, str] | None = None


def plan_of(store: MemoryStore, namespace: str, text: str, now: str, source: str) -> Plan:
    """What an edited page changes. ``source`` names the page in what is new on it.

    Raises ``InvalidInput`` for a page of another namespace or of other memories.
    """
    plan, items = Plan(), {item.id: item for item in store.items(namespace, ("active", "outdated", "forgotten"))}
    entries = _entries(text, plan.problems)
    told = [entry.id for entry in entries if entry.id]
    if told and not any(id in items for id in told):
        raise InvalidInput(f"{source} is a page of other memories: none of its ids is in namespace {namespace!r}")
    known = {content_key(one_line(item.content)) for item in items.values() if item.status == "active"}
    seen: set[str] = set()
    for entry in entries:
        if entry.id is None:
            _plan_new(plan, entry, namespace, now, source, known)
        elif entry.id in seen or entry.id not in items:
            why = "stands twice" if entry.id in seen else "is not there; take its comment away to add it anew"
            plan.problems.append(f"line {entry.line}: memory {entry.id!r} {why}")
        else:
            seen.add(entry.id)
            _plan_edit(plan, entry, items[entry.id])
    _plan_removals(plan, store, namespace, text, source, now, [i for i in items.values() if i.id not in seen])
    return plan


def apply(store: MemoryStore, namespace: str, plan: Plan, now: str) -> list[Decision]:
    """All changes or none. What is new is compared with what is known; the rest can be undone as ``edit``."""
    done = []
    if not plan.changes:
        return []
    with store.write(namespace) as writing:
        for change in plan.changes:
            new, old = change.after, change.before
            if old is None:
                fact = Fact(
                    new.category, new.subject, new.attribute, new.value, new.content, new.language, "",
                    new.importance, new.confidence, additive=True,
                )  # fmt: skip
                done.append(consolidate(writing, new, fact, Merging(vectors=False)))
                continue
            names = [name for name in Shown._fields if getattr(old, name) != getattr(new, name)]
            reason = "taken out in a review" if change.kind == "forget" else f"{', '.join(names)} changed in a review"
            done.append(writing.put(Decision(namespace, "edit", reason, now, (old,), (new,))))
    return done


def _entries(text: str, problems: list[str]) -> list[_Entry]:
    entries: list[_Entry] = []
    category: str | None = None
    over = False
    for number, line in enumerate(text.splitlines(), 1):
        if found := _HEADING.fullmatch(line):
            code = _CODE.search(found[1])
            over = code is None and found[1] in _FORMER
            category = code[1] if code else _TITLES.get(found[1], found[1])
        elif category is None or over or not line.strip():
            continue
        elif found := _ENTRY.fullmatch(line):
            id = unquote(found[2]) if found[2] else None
            entries.append(_Entry(number, found[1], category, id, found[3]))
        elif not (entries and _read_detail(number, line, entries[-1])):
            problems.append(f"line {number}: {line.strip()[:60]!r} is no memory (they begin with '- ')")
    return entries


def _read_detail(number: int, line: str, entry: _Entry) -> bool:
    found = _DETAIL.fullmatch(line)
    if found is None:
        return False
    if found[1] in _VALUE:
        entry.value = found[2]
    elif found[1] in _IMPORTANCE:
        entry.importance = number, found[2]
    return found[1] in _VALUE | _IMPORTANCE | _TO_READ


def _wanted(entry: _Entry, otherwise: Shown, problems: list[str]) -> Shown:
    """What an entry says; where it cannot be read, what was there."""
    importance, content = otherwise.importance, one_line(entry.content)
    if entry.importance is not None:
        line, told = entry.importance
        if told in map(str, range(LEAST_IMPORTANCE, MOST_IMPORTANCE + 1)):
            importance = int(told)
        else:
            problems.append(f"line {line}: importance {told!r}; use {LEAST_IMPORTANCE} to {MOST_IMPORTANCE}")
    if not content and (otherwise.content or entry.id is None):
        problems.append(f"line {entry.line}: a memory without a sentence; take the whole of it out to forget it")
        content = otherwise.content
    value = otherwise.value if entry.value is None else one_line(entry.value)
    return Shown(one_line(entry.category) or otherwise.category, content, value, importance)


def _plan_edit(plan: Plan, entry: _Entry, item: MemoryItem) -> None:
    now = shown_of(item)
    wanted = _wanted(entry, now, plan.problems)
    if wanted == now or wanted.mark == entry.mark:
        plan.unchanged += 1
    elif now.mark != entry.mark or item.status != "active":
        plan.problems.append(f"line {entry.line}: memory {item.id!r} changed since the page was written; export anew")
    else:
        fields: dict[str, Any] = {
            name: new for name, new, old in zip(Shown._fields, wanted, now, strict=True) if new != old
        }
        flags = dict.fromkeys((*item.flags, EDITED))
        if "content" in fields:
            fields["language"] = language_of([fields["content"]])
            flags.pop(QUARANTINED, None)
            flags |= {QUARANTINED: None} if orders_the_model(fields["content"]) else {}
        plan.changes.append(Change("edit", entry.line, item, item.with_(**fields, flags=tuple(flags))))


def _plan_new(plan: Plan, entry: _Entry, namespace: str, now: str, source: str, known: Iterable[str]) -> None:
    nothing = Shown("user_info", "", one_line(entry.content), 3)
    wanted = _wanted(entry, nothing, plan.problems)
    content = wanted.content
    if content_key(content) in known:
        plan.unchanged += 1
    elif is_only_placeholder(wanted.value):
        plan.problems.append(f"line {entry.line}: holds a secret and nothing else; it is not kept")
    elif content:
        item = MemoryItem(
            namespace, wanted.category, USER, NOTE, wanted.value, content, language_of([content]), now,
            importance=wanted.importance, valid_from=now[:10], sources=(MessageRef(source, f"line {entry.line}"),),
            flags=(ADDITIVE,),
        )  # fmt: skip
        plan.changes.append(Change("add", entry.line, None, item))


def _plan_removals(
    plan: Plan, store: MemoryStore, namespace: str, text: str, source: str, now: str, missing: Sequence[MemoryItem]
) -> None:
    """What stood on the page when it was written, is as it was, and stands there no more."""
    head, log = _HEAD.search(text), store.log(namespace)
    if head and unquote(head[1]) != namespace:
        raise InvalidInput(f"{source} is of namespace {unquote(head[1])!r} and not {namespace!r}; name it")
    if head is None or (int(head[2]) and state_of(log, int(head[2])) != head[3]):
        why = "its first comment is missing" if head is None else "it was written from another state"
        plan.problems.append(f"{source}: what was taken out cannot be told, {why}; nothing is forgotten")
        return
    last = {id: decision.id for decision in log for id in decision.items}
    for item in missing:
        if item.status in ACTIVE and last.get(item.id, 0) <= int(head[2]):
            plan.changes.append(Change("forget", 0, item, item.with_(status="forgotten", expired_at=now)))
