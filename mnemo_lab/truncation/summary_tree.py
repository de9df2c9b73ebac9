"""``summary_tree``: the newest messages as they are, and before them a tree of summaries, coarser with age."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from mnemo_lab.context import Budget, Context, Piece, Query
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory
from mnemo_lab.summaries.base import Summary, SummaryLine
from mnemo_lab.summaries.folding import Writer, from_row, to_row
from mnemo_lab.summaries.pieces import without
from mnemo_lab.truncation.choice import Choice, leading_systems
from mnemo_lab.truncation.summarising import SummarisingMemory, newest_sendable, read_state
from mnemo_lab.truncation.summary_block import apart, block, fitted_block


@dataclass(frozen=True)
class SummaryTree(Strategy):
    """Summarise windows of units, then ``fanout`` summaries into one, and so on; send the finest that fit.

    The tree follows time, as in recursive summarising of books (Wu et al. 2021); that a context takes nodes of any
    level is RAPTOR's idea (Sarthi et al. 2024), whose tree groups by meaning. A window is closed at ``leaf`` tokens of
    messages, every node takes at most ``node`` tokens, and an inner node is closed as soon as its children are. A
    context holds the newest units in 1 - ``share`` of the room; of the nodes before them it starts with the coarsest
    and opens them from the newest on while they fit, so that what is older is told more coarsely. ``writer``:
    ``extractive`` takes sentences of the messages themselves at every level; ``model`` asks the language model to
    summarise messages, then summaries. Sizes and share are chosen on development recordings.
    """

    name: ClassVar[str] = "summary_tree"
    uses_query: ClassVar[bool] = False
    writer: Writer = "extractive"
    fanout: int = 4
    leaf: int = 512
    node: int = 128
    share: float = 0.8

    def __post_init__(self) -> None:
        if self.fanout < 2:
            raise InvalidInput(f"summary_tree(fanout={self.fanout}): a node needs 2 children or more")
        if not 0 < self.node < self.leaf:
            raise InvalidInput(f"summary_tree(leaf={self.leaf}, node={self.node}): tokens, node from 1 to below leaf")
        if not 0 < self.share < 1:
            raise InvalidInput(f"summary_tree(share={self.share}): must be a share of the room, above 0 and below 1")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"language_model"} if self.writer == "model" else ())

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return TreeMemory(self, services, History(services))

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        memory = TreeMemory(self, services, History.restore(folder, services))
        memory.load(read_state(folder))
        return memory


@dataclass(frozen=True, slots=True)
class Node:
    """Messages ``start`` to ``stop - 1`` in a few lines; no ``summary`` where none is shorter than they are."""

    level: int
    start: int
    stop: int
    summary: Summary | None
    children: tuple[Node, ...] = ()


class TreeMemory(SummarisingMemory):
    """A history, and the closed nodes that have no parent yet: at most ``fanout - 1`` of every level, oldest first."""

    def __init__(self, settings: SummaryTree, services: Services, history: History) -> None:
        super().__init__(services, settings.writer, history)
        self._settings = settings
        self.roots: list[Node] = []

    @property
    def open_from(self) -> int:
        """Where the window begins that is not closed yet."""
        return self.roots[-1].stop if self.roots else leading_systems(self.history)

    def recall(self, query: Query, budget: Budget) -> Context:
        choice, sums = Choice(self.history, budget, self._services), self.history.chat_sums
        first = newest_sendable(choice.units)
        if first is None or first not in choice:
            return self._context(choice, [], 0, budget)
        limit = max(int(choice.room * (1 - self._settings.share)), sums[-1] - sums[self.open_from])
        if sums[choice.units[first].start] - sums[choice.head] <= choice.room:
            limit = choice.room
        first = _reach_back(choice, first, limit)
        while first > choice.head:
            front, lost = self._front(choice.units[first].start, choice.room)
            reached = _reach_back(choice, first, choice.room - (front.tokens if front else 0))
            if reached == first:
                return self._context(choice, [front] if front else [], lost, budget)
            first = reached
        return self._context(choice, [], 0, budget)

    def _settle(self) -> None:
        """Close the window that is full, and every inner node whose children are; the newest unit may still grow."""
        history, units = self.history, self.history.units
        start, stop = self.open_from, units[-1].start if units else 0
        if stop <= start or history.chat_sums[stop] - history.chat_sums[start] < self._settings.leaf:
            return
        summary = self._fold(None, history.messages[start:stop], self._settings.node)
        self.roots.append(Node(0, start, stop, summary))
        while len(family := self._family()) == self._settings.fanout:
            self.roots[-len(family) :] = [self._parent(family)]

    def _family(self) -> tuple[Node, ...]:
        """The newest nodes of one level, at most ``fanout``."""
        newest = self.roots[-self._settings.fanout :]
        return tuple(node for node in newest if node.level == newest[-1].level)

    def _parent(self, family: tuple[Node, ...]) -> Node:
        start, stop, tokens = family[0].start, family[-1].stop, self._settings.node
        if self._writer == "extractive":  # from the messages: their spans stay true
            summary = self._fold(None, self.history.messages[start:stop], tokens)
        else:
            told = [node.summary for node in family if node.summary]
            notes = [Message("user", item.text, str(i), name="summary") for i, item in enumerate(told)]
            made = self._fold(None, notes, tokens)
            covered = tuple(name for item in told for name in item.covered)
            lines = tuple(SummaryLine(line.text) for line in made.lines) if made else ()
            summary = made and replace(made, lines=lines, covered=covered)
        return Node(family[0].level + 1, start, stop, summary, family)

    def _front(self, before: int, room: int) -> tuple[Piece | None, int]:
        """Nodes for what is before a position in at most ``room`` tokens, and how many messages none stands for."""
        place, head = self.history.position_of, leading_systems(self.history)
        nodes = self._opened([node for node in self.roots if node.start < before], before, room)
        covered = [i for node in nodes if node.summary for i in node.summary.covered if place[i] < before]
        lines = [line for node in nodes for line in self._lines(node, before)]
        front = fitted_block(lines, covered, room, self._services)
        return front, before - head - (len(covered) if front else 0)

    def _opened(self, nodes: list[Node], before: int, room: int) -> list[Node]:
        """The nodes that fit, without the oldest where need be, opened from the newest on while they still fit."""
        left = room - block((), (), self._services).tokens - sum(self._cost(node, before) for node in nodes)
        while nodes and left < 0:
            left += self._cost(nodes.pop(0), before)
        finest: list[Node] = []
        while nodes:
            inside = [child for child in nodes[-1].children if child.start < before]
            more = sum(self._cost(child, before) for child in inside) - self._cost(nodes[-1], before)
            if not inside:
                finest.insert(0, nodes.pop())
            elif more > left:
                break
            else:
                nodes[-1:] = inside
                left -= more
        return nodes + finest

    def _cost(self, node: Node, before: int) -> int:
        return sum(self._services.count(f"{line.text}\n") for line in self._lines(node, before))

    def _lines(self, node: Node, before: int) -> Sequence[SummaryLine]:
        """The node's lines, without what they quote of messages that are sent as they are."""
        lines = node.summary.lines if node.summary else ()
        if node.stop <= before:
            return lines
        told, quoting = apart(lines)
        return [*told, *without(quoting, {message.id for message in self.history.messages[before : node.stop]})]

    def _state(self) -> dict[str, Any]:
        return {"roots": [_to_row(node) for node in self.roots]}

    def _load(self, state: dict[str, Any]) -> None:
        self.roots = [_from_row(row) for row in state["roots"]]


def _reach_back(choice: Choice, first: int, limit: int) -> int:
    """Take the units before ``first`` while they fit ``limit`` tokens; the first unit of what is sent as it is."""
    choice.fill(range(first - 1, choice.head - 1, -1), limit, stop=True)
    for index in range(first - 1, choice.head - 1, -1):
        if index in choice:
            first = index
        elif choice.units[index].kind != "orphan":
            break
    return first


def _to_row(node: Node) -> dict[str, Any]:
    summary = to_row(node.summary) if node.summary else None
    children = [_to_row(child) for child in node.children]
    return {"level": node.level, "start": node.start, "stop": node.stop, "summary": summary, "children": children}


def _from_row(row: dict[str, Any]) -> Node:
    summary = from_row(row["summary"]) if row["summary"] else None
    return Node(row["level"], row["start"], row["stop"], summary, tuple(_from_row(child) for child in row["children"]))
