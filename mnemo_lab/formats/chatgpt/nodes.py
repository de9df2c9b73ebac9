"""The mapping of an export as a sound tree: parent pointers are the truth, whatever is wrong with them is mended."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from mnemo_lab.formats.faults import pointer, shorten
from mnemo_lab.losses import Loss, loss

_ABSENT: Final = object()
Time = Callable[[Mapping[str, Any]], float | None]


class Tree(NamedTuple):
    """Nodes by id. ``order`` has every node once, parents before children, siblings by time where all have one.

    ``messages`` has the nodes that carry a message; ``children`` of ``None`` are the roots.
    """

    messages: dict[str, dict[str, Any]]
    parents: dict[str, str | None]
    children: dict[str | None, list[str]]
    order: list[str]

    @property
    def branches(self) -> bool:
        return any(len(siblings) > 1 for siblings in self.children.values())

    def path(self, leaf: str) -> list[str]:
        """Node ids from the root to ``leaf``."""
        found: list[str] = []
        here: str | None = leaf
        while here is not None:
            found.append(here)
            here = self.parents[here]
        return found[::-1]


def grow(mapping: dict[str, Any], current: str | None, time: Time, where: str, losses: list[Loss]) -> Tree:
    """The tree of a mapping. ``where`` is the JSON pointer of the conversation, ``time`` that of a message."""
    messages: dict[str, dict[str, Any]] = {}
    for key, node in mapping.items():
        message = node.get("message") if isinstance(node, dict) else None
        if isinstance(message, dict):
            messages[key] = message
        elif message is not None or not isinstance(node, dict):
            kind = "null" if node is None else type(node if message is None else message).__name__
            losses.append(_lost("unknown_record", where, key, type=f"{kind} where a node was expected"))
    parents = _parents(mapping, where, losses)
    children: dict[str | None, list[str]] = {}
    for key, parent in parents.items():
        children.setdefault(parent, []).append(key)
    for siblings in children.values():
        if len(siblings) > 1:
            _by_time(siblings, messages, time)
    tree = Tree(messages, parents, children, [])
    tree.order.extend(_below(tree, children.get(None, ())))
    if len(tree.order) < len(mapping):
        _cut_cycles(tree, current, where, losses)
    return tree


def number_of(value: Any) -> float | None:
    """A time that can be compared; ``None`` for NaN, text and what is absent."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _parents(mapping: dict[str, Any], where: str, losses: list[Loss]) -> dict[str, str | None]:
    parents: dict[str, str | None] = {}
    listed: dict[str, str] | None = None
    before: str | None = None
    for key, node in mapping.items():
        parent = node.get("parent", _ABSENT) if isinstance(node, dict) else _ABSENT
        if parent is _ABSENT:
            listed = _listed(mapping) if listed is None else listed
            parent = listed.get(key)
        if parent is not None and not (isinstance(parent, str) and parent in mapping):
            shown = parent if isinstance(parent, str) else shorten(parent)
            losses.append(_lost("parent_missing", where, key, "parent", message_id=key, id=shown))
            parent = before
        parents[key] = parent
        before = key
    return parents


def _listed(mapping: dict[str, Any]) -> dict[str, str]:
    """Parents as the lists of children say it, for nodes without a pointer of their own."""
    found: dict[str, str] = {}
    for key, node in mapping.items():
        children = node.get("children") if isinstance(node, dict) else None
        for child in children if isinstance(children, list) else ():
            if isinstance(child, str) and child in mapping:
                found.setdefault(child, key)
    return found


def _by_time(siblings: list[str], messages: dict[str, dict[str, Any]], time: Time) -> None:
    times = {key: time(messages[key]) if key in messages else None for key in siblings}
    if None not in times.values():
        siblings.sort(key=lambda key: times[key] or 0.0)


def _below(tree: Tree, roots: Iterable[str]) -> Iterator[str]:
    stack = list(roots)[::-1]
    while stack:
        key = stack.pop()
        yield key
        stack.extend(reversed(tree.children.get(key, ())))


def _cut_cycles(tree: Tree, current: str | None, where: str, losses: list[Loss]) -> None:
    """Make a root of the node at which each cycle closes, seen from the current node, else from the last one."""
    left = dict.fromkeys(key for key in tree.parents if key not in set(tree.order))
    while left:
        seen: set[str] = set()
        key = current if current in left and current is not None else next(reversed(left))
        while (parent := tree.parents[key]) is not None and parent not in seen:
            seen.add(key)
            if parent == key:
                break
            key = parent
        losses.append(_lost("cycle_cut", where, key, "parent", message_id=key))
        tree.children[parent].remove(key)
        tree.parents[key] = None
        tree.children.setdefault(None, []).append(key)
        for done in _below(tree, (key,)):
            tree.order.append(done)
            del left[done]


def _lost(code: str, where: str, *parts: str, message_id: str | None = None, **values: object) -> Loss:
    return loss(code, message_id=message_id, pointer=where + pointer(("mapping", *parts)), **values)
