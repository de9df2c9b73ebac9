"""Taking a decision back: what it changed is put as it was, unless something later was built on it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.stores.checks import unknown_decision, with_access


class Undoing(Protocol):
    """What a writer of any store can do beside what it shows: read the log, and mark in it."""

    def get(self, id: str) -> MemoryItem | None: ...

    def put(self, decision: Decision) -> Decision: ...

    def decision(self, id: int) -> Decision | None: ...

    def decision_ids(self) -> Sequence[int]:
        """The latest."""

    def told_of(self, items: frozenset[str]) -> list[Decision]:
        """Decisions that touched one of these items, in order."""

    def linked(self, to: Collection[str]) -> list[MemoryItem]:
        """Items that name one of these as their successor."""

    def mark_undone(self, decision: int, by: int) -> None: ...


def undo(writing: Undoing, namespace: str, number: int, at: str) -> Decision:
    """Take back a decision. Raises ``UnknownName``, and ``InvalidInput`` where that is not possible."""
    taken_back = writing.decision(number)
    if taken_back is None:
        raise unknown_decision(namespace, number, writing.decision_ids())
    _refuse(taken_back, writing.told_of(taken_back.items))
    now = {id: item for id in sorted(taken_back.items) if (item := writing.get(id)) is not None}
    restored = tuple(with_access(old, now.get(old.id, old)) for old in taken_back.before)
    taken_out = now.keys() - {item.id for item in restored}
    for item in writing.linked(taken_out) if taken_out else ():
        if item.id not in now:
            raise InvalidInput(
                f"decision {number} cannot be undone: memory {item.id!r} says that {item.superseded_by!r} took its "
                f"place; undo decision {writing.told_of(frozenset([item.id]))[-1].id} first"
            )
    reason = f"takes back decision {number} ({taken_back.action})"
    done = writing.put(Decision(namespace, "undo", reason, at, tuple(now.values()), restored))
    writing.mark_undone(number, done.id)
    return done


def _refuse(wanted: Decision, log: Sequence[Decision]) -> None:
    by_id = {decision.id: decision for decision in log}
    taken_back_by = {decision.undone_by: decision.id for decision in log if decision.undone_by}

    def holds(decision: Decision) -> bool:
        """Not taken back, or what took it back was itself."""
        undone_by = by_id.get(decision.undone_by or 0)
        return undone_by is None or not holds(undone_by)

    if wanted.undone_by:
        last = by_id.get(wanted.undone_by)
        while last and last.undone_by:
            last = by_id.get(last.undone_by)
        hint = f"; decision {last.id} put it back, undo that one" if last and holds(wanted) else ""
        raise InvalidInput(f"decision {wanted.id} was undone by decision {wanted.undone_by} already{hint}")
    for later in log:
        cancels = taken_back_by.get(later.id, 0) > wanted.id
        if later.id > wanted.id and holds(later) and not cancels:
            raise InvalidInput(
                f"decision {wanted.id} cannot be undone: decision {later.id} ({later.action}) changed the same "
                "memories later; undo that one first"
            )
