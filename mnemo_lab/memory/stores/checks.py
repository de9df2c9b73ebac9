"""What every store checks and reads the same way: names, statuses, what a decision may say, what is searched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Final, get_args

from mnemo_lab.conversation import time_of
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.extraction.base import USER
from mnemo_lab.memory.decision import Action, Decision
from mnemo_lab.memory.item import MemoryItem, Status
from mnemo_lab.memory.stores.base import Signal
from mnemo_lab.storage.values import name_of

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
SIGNALS: Final[tuple[Signal, ...]] = get_args(Signal)
KNOWN: Final = 20
"""Names an error lists at most."""
NO_EMBEDDER: Final = "this store was opened without an embedder; give it one to search by vector"


def check_namespace(namespace: str) -> str:
    return name_of(namespace, "the namespace")


def check_status(status: Collection[Status]) -> tuple[Status, ...]:
    """Raises ``UnknownName``; a lone text is taken for what it is, no collection of letters."""
    for one in [status] if isinstance(status, str) else status:
        if one not in STATUSES or isinstance(status, str):
            raise UnknownName("status of memories (give a tuple)", str(one), STATUSES)
    return tuple(status)


def check_signal(by: Signal) -> None:
    if by not in SIGNALS:
        raise UnknownName("signal", by, SIGNALS)


def check_time(at: str) -> None:
    if time_of(at) is None:
        raise InvalidInput(f"at={at!r} is no date; write it like 2026-03-31 or 2026-03-31T09:30:00+00:00")


def unknown_item(namespace: str, id: str, known: Iterable[str]) -> UnknownName:
    return UnknownName(f"memory of namespace {namespace!r}", id, known)


def unknown_decision(namespace: str, id: int, known: Iterable[int]) -> UnknownName:
    return UnknownName(f"decision of namespace {namespace!r}", str(id), map(str, known))


def searched_text(item: MemoryItem) -> str:
    """Where keywords are looked for: the sentence, and what its slot is called."""
    return " ".join((item.content, "" if item.subject == USER else item.subject, item.attribute))


def embedded_text(item: MemoryItem) -> str:
    """What a vector is made of: the slot and the sentence. Lone surrogates are no characters."""
    head = f"{item.attribute}: {item.value}. " if item.attribute and item.value else ""
    return f"{head}{item.content}".encode("utf-8", "replace").decode()


def texts_of(item: MemoryItem) -> tuple[str, str]:
    """What words and vector are made of: where it stays, they do."""
    return searched_text(item), embedded_text(item)


def with_access(item: MemoryItem, of: MemoryItem) -> MemoryItem:
    """The item with the other's access, which only ``touch`` changes."""
    return item.with_(last_accessed_at=of.last_accessed_at, access_count=of.access_count)


def touched(item: MemoryItem, at: str) -> MemoryItem:
    """The item used once more."""
    last, now = time_of(item.last_accessed_at), time_of(at)
    later = item.last_accessed_at if last and now and last > now else at
    return item.with_(last_accessed_at=later, access_count=item.access_count + 1)


def settled(namespace: str, decision: Decision, get: Callable[[str], MemoryItem | None]) -> Decision:
    """A decision as it may be written: without id, items that are there with the access they have.

    Raises ``InvalidInput`` where it is of another namespace, names an item twice, or was made on items that are not as
    ``before`` says (``get`` gives them as they are): undoing it would then put back what never was.
    """
    _check(namespace, decision)
    before = {item.id: item for item in decision.before}
    after = []
    for id, item in before.items():
        now = get(id)
        if now is None or (item != now and with_access(item, now) != now):
            raise InvalidInput(
                f"memory {id!r} is {'gone' if now is None else 'not as the decision says it was'}; "
                "read it inside write() and decide again"
            )
        before[id] = now
    for item in decision.after:
        if item.id not in before and get(item.id) is not None:
            raise InvalidInput(f"memory {item.id!r} is there already; name it in before to change it")
        after.append(with_access(item, before[item.id]) if item.id in before else item)
    return replace(decision, before=tuple(before.values()), after=tuple(after), id=0, undone_by=None)


def _check(namespace: str, decision: Decision) -> None:
    check_time(decision.at)
    if decision.action not in get_args(Action):
        raise UnknownName("action", decision.action, get_args(Action))
    for told in (decision.namespace, *(item.namespace for item in (*decision.before, *decision.after))):
        if told != namespace:
            raise InvalidInput(f"this write is of namespace {namespace!r}, and the decision of {told!r}")
    for items in (decision.before, decision.after):
        names = [name_of(item.id, "a memory's id") for item in items]
        if len(set(names)) < len(names):
            raise InvalidInput(f"the decision names a memory twice: {', '.join(names)}")
