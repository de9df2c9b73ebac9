"""``mnemo memory doctor``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from mnemo_lab.cli.memory.opening import KNOWN, now_of, path_of
from mnemo_lab.cli.memory.printing import Saying

if TYPE_CHECKING:
    from datetime import datetime

    from mnemo_lab.memory.item import MemoryItem

_STEPS = {
    "duplicate": "step_forget",
    "conflict": "step_why",
    "secret": "step_forget",
    "quarantined": "step_forget",
    "stale": "step_prune",
}


class Complaint(NamedTuple):
    namespace: str
    id: str
    kind: str
    detail: str = ""
    other: str = ""


def run_doctor(options: argparse.Namespace) -> int:
    """Of every namespace, unless one is named: whoever looks after a file has it whole."""
    from mnemo_lab.conversation import time_of
    from mnemo_lab.errors import UnknownName
    from mnemo_lab.memory.stores import open_store

    saying, now = Saying(options), time_of(now_of(options))
    with open_store(path_of(options), encrypted=options.encrypted or None) as store:
        facts, broken, known = store.facts(), store.check(), store.namespaces()
        if options.namespace and options.namespace not in known:
            raise UnknownName("namespace", options.namespace, known[:KNOWN])
        wanted = [options.namespace] if options.namespace else known
        items = {name: store.items(name) for name in wanted}
    found = [complaint for name, some in items.items() if now for complaint in _complaints(name, some, now)]
    status = 1 if broken or found else 0
    listed = [complaint._asdict() for complaint in found]
    if saying.document(facts=asdict(facts), store=broken, memories=listed):
        return status
    saying.say("place", path=facts.path, kind=facts.kind, version=facts.version, size=facts.bytes / 1e6)
    saying.table(
        "spaces",
        (
            (
                space.name, *(str(space.items.get(name, 0)) for name in ("active", "outdated", "forgotten")),
                str(space.decisions), str(space.vectors), space.model or saying.words["none"],
            )
            for space in facts.namespaces
        ),
    )  # fmt: skip
    for told in broken:
        saying.say("failed", what=told)
    for one in found:
        what = saying.words[one.kind].format(detail=one.detail, other=one.other, value=one.detail)
        step = saying.words[_STEPS[one.kind]].format(id=one.id)
        saying.say("complaint", namespace=one.namespace, id=one.id, what=what, step=step)
    saying.say("complaints" if status else "healthy", count=len(broken) + len(found))
    return status


def _complaints(namespace: str, items: Sequence[MemoryItem], now: datetime) -> Iterator[Complaint]:
    from mnemo_lab.memory.decay import prunable
    from mnemo_lab.review import concerns_of

    yield from _doubles(namespace, items)
    for item in items:
        concerns = concerns_of(item, now)
        for kind in ("secret", "quarantined"):
            if kind in concerns:
                yield Complaint(namespace, item.id, kind, concerns[kind])
        if prunable(item, now):
            yield Complaint(namespace, item.id, "stale", concerns["stale"])


def _doubles(namespace: str, items: Sequence[MemoryItem]) -> Iterator[Complaint]:
    """Active memories of one sentence, and those of one slot with two values, where it holds one at a time."""
    from mnemo_lab.memory.consolidate import ADDITIVE
    from mnemo_lab.memory.keys import content_key, slot_key
    from mnemo_lab.memory.same import same_value

    sentences: dict[str, MemoryItem] = {}
    slots: dict[str, MemoryItem] = {}
    for item in items:
        if item.status != "active":
            continue
        slot = slot_key(item.subject, item.attribute)
        twin = sentences.setdefault(f"{slot}\n{content_key(item.content)}", item)
        rival = slots.setdefault(slot, item)
        if twin is not item:
            yield Complaint(namespace, item.id, "duplicate", other=twin.id)
        elif rival is not item and not item.valid_to and ADDITIVE not in (*item.flags, *rival.flags):
            is_same = same_value(item.value, rival.value)
            if is_same and item.polarity == rival.polarity:
                yield Complaint(namespace, item.id, "duplicate", other=rival.id)
            elif is_same or "negative" not in (item.polarity, rival.polarity):
                yield Complaint(namespace, item.id, "conflict", rival.value, rival.id)
