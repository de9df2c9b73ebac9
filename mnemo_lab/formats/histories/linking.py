"""Records that name the one before them, to messages with parents: phantoms bridged, cycles cut, leaves found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

from mnemo_lab.conversation import Message, time_of
from mnemo_lab.formats.histories.drafts import Draft
from mnemo_lab.formats.histories.ledger import Ledger

Parents = dict[str, str | None]
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True, eq=False)
class Node:
    """A record of a tool. Without drafts it is no message, and its children belong to its parent."""

    id: str
    parent: str | None
    pointer: str
    drafts: Sequence[Draft] = ()

    @property
    def when(self) -> datetime:
        """The time of its last message; long ago where it has none."""
        return time_of(self.drafts[-1].timestamp if self.drafts else None) or _LONG_AGO

    @property
    def last_id(self) -> str:
        return _id(self, len(self.drafts))


def _id(node: Node, number: int) -> str:
    """The id of the n-th message of a node."""
    return node.id if number == 1 else f"{node.id}#{number}"


class _Phantom(NamedTuple):
    id: str


class _Walk:
    """Where a parent pointer leads, past the records that are no messages."""

    def __init__(self, nodes: Iterable[Node], aliases: Mapping[str, str]) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._aliases = aliases
        self._known: dict[str, str | _Phantom | None] = {}

    def end(self, start: str) -> str | _Phantom | None:
        passed: list[str] = []
        here: str | None = start
        found: str | _Phantom | None = None
        seen: set[str] = set()
        while here is not None:
            here = self._aliases.get(here, here)
            node = self._nodes.get(here)
            if here in self._known or node is None or node.drafts:
                found = self._known.get(here, here if node else _Phantom(here))
                break
            if here in seen:
                break
            seen.add(here)
            passed.append(here)
            here = node.parent
        for name in passed:
            self._known[name] = found
        return found


def resolve(nodes: Sequence[Node], ledger: Ledger, aliases: Mapping[str, str] | None = None) -> Parents:
    """The parent of every node that has messages. One that does not exist is the message before, and a loss."""
    walk = _Walk(nodes, aliases or {})
    parents: Parents = {}
    before: str | None = None
    for node in nodes:
        if not node.drafts:
            continue
        found = walk.end(node.parent) if node.parent is not None else None
        if isinstance(found, _Phantom):
            ledger.add("parent_missing", message_id=node.id, pointer=node.pointer, id=found.id)
            found = _author(node, parents) or before
        parents[node.id] = found
        before = node.id
    _cut_cycles(parents, ledger)
    return parents


def _author(node: Node, parents: Parents) -> str | None:
    """The message whose call a result answers: a better guess than the message before."""
    made = node.drafts[0].answers
    return made.owner.id if made and made.owner.id in parents else None


def _cut_cycles(parents: Parents, ledger: Ledger) -> None:
    done: set[str] = set()
    order = {name: place for place, name in enumerate(parents)}
    for start in list(parents):
        trail: dict[str, None] = {}
        here: str | None = start
        while here is not None and here not in done:
            if here in trail:
                passed = list(trail)
                first = min(passed[passed.index(here) :], key=order.__getitem__)
                parents[first] = None
                ledger.add("cycle_cut", message_id=first)
                break
            trail[here] = None
            here = parents.get(here)
        done.update(trail)


def assemble(nodes: Sequence[Node], parents: Parents, format_name: str) -> tuple[Message, ...]:
    """Messages in the order of the nodes; the drafts of one node follow each other."""
    messages: list[Message] = []
    last = {node.id: node.last_id for node in nodes if node.drafts}
    for node in nodes:
        above = parents.get(node.id)
        parent = last[above] if above is not None else None
        for number, draft in enumerate(node.drafts, 1):
            messages.append(draft.message(format_name, _id(node, number), parent))
            parent = messages[-1].id
    return tuple(messages)


class Leaf(NamedTuple):
    """The id of the last message of a path, and how many paths there are to choose from."""

    id: str
    paths: int


def latest_leaf(nodes: Sequence[Node], parents: Parents) -> Leaf:
    """The leaf with the latest time, of equal ones the last in order; ``""`` where there are no messages."""
    inner = {parent for parent in parents.values() if parent is not None}
    leaves = [node for node in nodes if node.drafts and node.id not in inner]
    if not leaves:
        return Leaf("", 0)
    return Leaf(max(reversed(leaves), key=lambda node: node.when).last_id, len(leaves))
