"""Memories as one JSON document, to move them from one store to another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.decision import Action, Decision
from mnemo_lab.memory.guard import QUARANTINED, SecretFilter, is_only_placeholder, orders_the_model
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.keys import content_key, slot_key
from mnemo_lab.review.edits import Change, Plan

if TYPE_CHECKING:
    from mnemo_lab.memory.stores.base import MemoryStore

FORMAT: Final = "mnemo-lab memories"
VERSION: Final = 1
_ALL: Final = ("active", "outdated", "forgotten")
_TEXTS: Final = ("subject", "attribute", "value", "content")


def document_of(store: MemoryStore, namespace: str, now: str) -> tuple[str, dict[str, int]]:
    """What is active or outdated, without secrets; and how many of those were taken out, by kind."""
    secrets = SecretFilter()
    items = [_clean(item, secrets).to_json() for item in store.items(namespace)]
    whole = {"format": FORMAT, "version": VERSION, "namespace": namespace, "exported_at": now, "items": items}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n", dict(secrets.found)


def plan_of_document(store: MemoryStore, namespace: str, text: str, source: str) -> Plan:
    """What the memories of a document change: new ones and others under an id that is there; nothing is taken out.

    What a namespace knows under another id is passed over. Raises ``InvalidInput`` for another kind of document.
    """
    plan = Plan()
    there = {item.id: item for item in store.items(namespace, _ALL)}
    known = {_key(item): item.id for item in there.values() if item.status == "active"}
    read = [item for item in _items(text, namespace, source, plan.problems) if item is not None]
    same = {item.id: known[_key(item)] for item in read if item.id not in there and _key(item) in known}
    links = there.keys() | {item.id for item in read}
    for place, item in enumerate(read, 1):
        old = there.get(item.id)
        if item.superseded_by is not None:
            item = item.with_(superseded_by=same.get(item.superseded_by, item.superseded_by))
        if item.superseded_by is not None and item.superseded_by not in links:
            plan.problems.append(f"memory {item.id}: {item.superseded_by} that took its place is not there")
            item = item.with_(superseded_by=None)
        if item.id in same or (old is not None and _access_apart(old) == _access_apart(item)):
            plan.unchanged += 1
        else:
            plan.changes.append(Change("edit" if old else "add", place, old, item))
    return plan


def take_in(store: MemoryStore, namespace: str, plan: Plan, now: str, source: str) -> list[Decision]:
    """All changes as they are, or none."""
    if not plan.changes:
        return []
    done = []
    with store.write(namespace) as writing:
        for change in plan.changes:
            before = (change.before,) if change.before else ()
            action: Action = "edit" if before else "add"
            reason = f"imported from {source}"
            done.append(writing.put(Decision(namespace, action, reason, now, before, (change.after,))))
    return done


def _items(text: str, namespace: str, source: str, problems: list[str]) -> list[MemoryItem | None]:
    try:
        whole = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{source} is no JSON ({error}); restore it from a copy") from error
    if not isinstance(whole, dict) or whole.get("format") != FORMAT or not isinstance(whole.get("items"), list):
        raise InvalidInput(f"{source} lacks the format {FORMAT!r}; make one with: mnemo memory export FILE.json")
    if not isinstance(whole.get("version"), int) or whole["version"] > VERSION:
        raise InvalidInput(
            f"{source} has version {whole.get('version')!r} and this mnemo-lab knows versions up to {VERSION}; "
            "upgrade with: pip install -U mnemo-lab"
        )
    seen: set[str] = set()
    return [_item(number, row, namespace, seen, problems) for number, row in enumerate(whole["items"], 1)]


def _item(number: int, row: Any, namespace: str, seen: set[str], problems: list[str]) -> MemoryItem | None:
    try:
        if not isinstance(row, dict):
            raise InvalidInput("no object")
        item = MemoryItem.from_json({**row, "namespace": namespace})
        clean = _clean(item, SecretFilter())
    except (InvalidInput, TypeError, ValueError, AttributeError) as error:
        problems.append(f"item {number}: {error}")
        return None
    if item.id in seen or (item.value and is_only_placeholder(clean.value)):
        problems.append(f"item {number}: {'stands twice' if item.id in seen else 'holds a secret and nothing else'}")
        return None
    seen.add(item.id)
    if orders_the_model(clean.content) and QUARANTINED not in clean.flags:
        clean = clean.with_(flags=(*clean.flags, QUARANTINED))
    return clean


def _clean(item: MemoryItem, secrets: SecretFilter) -> MemoryItem:
    return item.with_(**{name: secrets.clean(getattr(item, name)) for name in _TEXTS})


def _key(item: MemoryItem) -> tuple[str, str, str]:
    return slot_key(item.subject, item.attribute), content_key(item.content), item.status


def _access_apart(item: MemoryItem) -> MemoryItem:
    return item.with_(last_accessed_at=None, access_count=0)
