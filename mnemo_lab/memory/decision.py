"""What was done to a memory and why, so that it can be shown and taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mnemo_lab.memory.item import MemoryItem

Action = Literal["add", "merge", "supersede", "retire", "quarantine", "edit", "prune", "forget", "undo"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One step of a memory's history.

    ``add``: a new item. ``merge``: said again; the known item gains a source. ``supersede``: the new item takes the
    place of others, which become outdated. ``retire``: the new item is itself outdated on arrival, an item that is
    true later was known already. ``before`` and ``after`` are the items touched, as they were and as they are
    (an item that is only in ``after`` is new, one only in ``before`` is gone). ``at``: record time. ``id`` grows by
    one within a store. ``undone_by``: the id of the decision that took it back.
    """

    namespace: str
    action: Action
    reason: str
    at: str
    before: tuple[MemoryItem, ...] = ()
    after: tuple[MemoryItem, ...] = ()
    id: int = 0
    undone_by: int | None = None

    @property
    def items(self) -> frozenset[str]:
        """Ids of the items it touched."""
        return frozenset(item.id for item in (*self.before, *self.after))
