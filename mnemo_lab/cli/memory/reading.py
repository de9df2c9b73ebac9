"""``mnemo memory list``, ``search``, ``why`` and ``history``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mnemo_lab.cli.memory.opening import EVERY, KNOWN, moment_of, now_of, opened
from mnemo_lab.cli.memory.printing import Saying, day, told

if TYPE_CHECKING:
    from mnemo_lab.memory.item import MemoryItem
    from mnemo_lab.memory.ranking import Recalled
    from mnemo_lab.memory.stores import MemoryStore


def run_list(options: argparse.Namespace) -> int:
    from mnemo_lab.conversation import time_of
    from mnemo_lab.errors import UnknownName
    from mnemo_lab.memory.validity import known_at, true_at

    saying = Saying(options)
    as_of = time_of(moment_of(options.as_of, "--as-of"))
    recorded = time_of(moment_of(options.known_at, "--known-at"))
    with opened(options) as here:
        everything = here.store.items(here.namespace, EVERY)
    dated = as_of is not None or recorded is not None
    wanted = options.status or ("living" if dated else "active")
    statuses = {"all": EVERY, "living": EVERY[:2]}.get(wanted, (wanted,))
    categories = {item.category for item in everything}
    if options.category and options.category not in categories:
        raise UnknownName("category of memories", options.category, categories)
    items = [
        item
        for item in everything
        if item.status in statuses
        and options.category in (None, item.category)
        and (as_of is None or true_at(item, as_of))
        and (recorded is None or known_at(item, recorded))
    ]
    if not saying.document(namespace=here.namespace, items=[item.to_json() for item in items]):
        saying.items(items)
        saying.say("total", namespace=here.namespace, count=len(items))
    return 0


def run_search(options: argparse.Namespace) -> int:
    from mnemo_lab.errors import InvalidInput

    saying, now = Saying(options), now_of(options)
    as_of, known_at = moment_of(options.as_of, "--as-of"), moment_of(options.known_at, "--known-at")
    if options.k < 1:
        raise InvalidInput(f"-k {options.k}: use 1 or more")
    with opened(options) as here:
        found = here.memory().search(options.query, now, options.k, as_of=as_of, known_at=known_at)
    rows = {"hits": list(map(_hit, found.hits)), "hidden": list(map(_hit, found.hidden))}
    if saying.document(namespace=here.namespace, query=options.query, now=now, **rows):
        return 0
    saying.table("hits", map(_row, found.hits))
    if found.hidden:
        saying.say("hidden", count=len(found.hidden))
        saying.table("hits", map(_row, found.hidden))
    if not found.hits:
        saying.say("nothing")
    return 0


def _hit(hit: Recalled) -> dict[str, Any]:
    return {
        "score": hit.score, "relevance": hit.relevance, "share": hit.share, "signals": dict(hit.signals),
        "item": hit.item.to_json(),
    }  # fmt: skip


def _row(hit: Recalled) -> Sequence[str]:
    item = hit.item
    numbers = (f"{hit.score:.3f}", f"{hit.relevance:.3f}", f"{hit.share:.0%}")
    return item.id, *numbers, item.content, day(item.valid_from), day(item.valid_to)


def run_why(options: argparse.Namespace) -> int:
    saying = Saying(options)
    with opened(options) as here:
        item = here.store.get(here.namespace, options.id)
        log = here.store.log(here.namespace, options.id)
    if saying.document(namespace=here.namespace, item=item.to_json(), decisions=list(map(told, log))):
        return 0
    none = saying.words["none"]
    names = {name: getattr(item, name) for name in ("id", "content", "subject", "attribute", "value", "importance")}
    saying.say("why", **names)
    saying.say(
        "facts", **names, category=saying.name(item.category), status=saying.name(item.status),
        confidence=item.confidence,
    )  # fmt: skip
    saying.say(
        "times", start=day(item.valid_from) or "?", end=day(item.valid_to) or saying.words["open"],
        created=item.created_at, count=item.access_count, used=day(item.last_accessed_at) or none,
    )  # fmt: skip
    if item.flags:
        saying.say("flags", flags=", ".join(item.flags))
    for source in item.sources:
        saying.say("source", conversation=source.conversation, message=source.message)
    if not item.sources:
        saying.say("unsaid")
    rows = []
    for decision in log:
        back, reason = decision.undone_by, decision.reason
        why = saying.words["taken_back"].format(reason=reason, by=back) if back else reason
        rows.append((str(decision.id), decision.at, saying.name(decision.action), why))
    saying.table("log", rows)
    return 0


def run_history(options: argparse.Namespace) -> int:
    saying = Saying(options)
    with opened(options) as here:
        slots = _slots(here.store, here.namespace, options.of)
    lines = [[item.to_json() for item in items] for items in slots]
    if saying.document(namespace=here.namespace, histories=lines):
        return 0
    for items in slots:
        saying.say("slot", subject=items[-1].subject, attribute=items[-1].attribute)
        for item in items:
            saying.say(
                "interval", start=day(item.valid_from) or "?", end=day(item.valid_to) or saying.words["open"],
                value=item.value or item.content, status=saying.name(item.status), id=item.id,
            )  # fmt: skip
    return 0


def _slots(store: MemoryStore, namespace: str, of: str) -> list[list[MemoryItem]]:
    """Histories of a memory, or of every attribute of a subject (or of an attribute of that name): oldest first.

    One history is what shares a slot, and what took its place or gave way under another name.
    """
    from mnemo_lab.errors import UnknownName
    from mnemo_lab.memory.keys import slot_key
    from mnemo_lab.memory.validity import begins

    items = store.items(namespace, EVERY)
    groups = _linked(items)
    wanted = slot_key(of, "")
    found = [
        sorted(group, key=begins)
        for group in groups
        if any(of == item.id or wanted in (slot_key(item.subject, ""), slot_key(item.attribute, "")) for item in group)
    ]
    if not found:
        known = [item.id for item in items][-KNOWN:] + sorted({item.subject for item in items})[:KNOWN]
        raise UnknownName(f"memory or subject of namespace {namespace!r}", of, known)
    return found


def _linked(items: Sequence[MemoryItem]) -> list[list[MemoryItem]]:
    from mnemo_lab.memory.keys import slot_key

    group_of: dict[str, int] = {}
    slots: dict[str, int] = {}
    groups: dict[int, list[MemoryItem]] = {}
    for number, item in enumerate(items):
        names = [slots.get(slot_key(item.subject, item.attribute)), group_of.get(item.id)]
        names += [group_of.get(item.superseded_by)] if item.superseded_by else []
        known = sorted({name for name in names if name is not None})
        into = known[0] if known else number
        for other in known[1:]:
            groups[into] = groups.get(into, []) + groups.pop(other, [])
            for table in (group_of, slots):
                table.update({key: into for key, value in table.items() if value == other})
        groups.setdefault(into, []).append(item)
        slots[slot_key(item.subject, item.attribute)] = group_of[item.id] = into
        if item.superseded_by:
            group_of[item.superseded_by] = into
    return list(groups.values())
