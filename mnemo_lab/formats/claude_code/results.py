"""Parallel calls: each result names the line of its own call, and so they lie side by side instead of in a row.

Left so, the path to the next message would pass one result only, and the other calls would be unanswered.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mnemo_lab.formats.histories.linking import Node, Parents


def chain_results(nodes: Sequence[Node], parents: Parents) -> list[Node]:
    """Put the results of one message behind each other, in ``parents`` and in the list that is returned.

    What came after one of them comes after the last. A second result of one call stays the branch it is.
    """
    groups = [group for group in _groups(nodes, parents) if len(group) > 1]
    last = {node.id: group[-1].id for group in groups for node in group[:-1]}
    moved = {id(node) for group in groups for node in group[1:]}
    for name, parent in parents.items():
        if parent in last:
            parents[name] = last[parent]
    behind = {}
    for group in groups:
        behind[group[0].id] = group[1:]
        parents[group[0].id] = _author(group[0])
        for before, node in pairwise(group):
            parents[node.id] = before.id
    order: list[Node] = []
    for node in nodes:
        if id(node) not in moved:
            order += [node, *behind.get(node.id, ())]
    return order


def _groups(nodes: Sequence[Node], parents: Parents) -> list[list[Node]]:
    """Result nodes by the message they answer: its children, or children of each other, one for each call."""
    results: dict[str, list[Node]] = {}
    for node in nodes:
        if node.drafts and node.drafts[0].answers is not None:
            results.setdefault(_author(node), []).append(node)
    return [_of_one(author, group, parents) for author, group in results.items()]


def _of_one(author: str, group: list[Node], parents: Parents) -> list[Node]:
    beside = {node.id for node in group} | {author}
    answered: set[str | None] = set()
    kept: list[Node] = []
    for node in group:
        calls = {draft.call_id for draft in node.drafts if draft.role == "tool"}
        if parents[node.id] in beside and answered.isdisjoint(calls):
            answered |= calls
            kept.append(node)
    return kept


def _author(node: Node) -> str:
    made = node.drafts[0].answers
    return made.owner.id if made else ""
