"""What a retriever is, and what every retrieving strategy shares: recall = pack(candidates)."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mnemo_lab.context import Budget, Candidates, Context, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.history import History
from mnemo_lab.packing.pack import pack_lines
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory
from mnemo_lab.vectors.base import Hits

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray


class Retriever(Protocol):
    """Texts under integer ids. An index belongs to one namespace; ``allowed`` narrows a search further."""

    def add(self, ids: Sequence[int], texts: Sequence[str]) -> None:
        """Index texts under ids from 0 on; raises ``InvalidInput`` for one that is negative or already there."""

    def remove(self, ids: Sequence[int]) -> None:
        """Forget ids; they are never found again. Unknown ids are ignored."""

    def search(self, queries: Sequence[str], k: int, allowed: Sequence[int] | None = None) -> list[Hits]:
        """The ``k`` closest of each query, fewer where there are fewer."""

    def score(self, query: str, ids: Sequence[int]) -> FloatArray:
        """One score per id; raises ``KeyError`` for an unknown id."""


class Index(Protocol):
    """What a retrieving strategy builds while messages arrive."""

    def add(self, history: History, first: int) -> None:
        """Take in the messages from position ``first`` on (the write path)."""


class Retrieving(Strategy):
    """A strategy that scores messages for a query and packs the best under the budget."""

    @abstractmethod
    def open_index(self, services: Services) -> Index:
        """A fresh index for one namespace."""

    @abstractmethod
    def candidates(self, index: Index, history: History, query: Query) -> Candidates:
        """Every observed message with one score per signal. Needs no budget."""

    def order(self, candidates: Candidates) -> Sequence[int]:
        """Positions in the order in which packing takes them."""
        ranking: Sequence[int] = candidates.ranking.tolist()
        return ranking

    def pack(
        self, candidates: Candidates, history: History, query: Query, budget: Budget, services: Services
    ) -> Context:
        """Pure: no search and no model; what a slider calls."""
        return pack_lines(self.order(candidates), history, budget, services, candidates)

    def texts_to_embed(self, messages: Sequence[Message]) -> list[str]:
        """What the write path will embed, so that a replay can embed a recording in one batch."""
        return []

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return RetrievingMemory(self, History(services), services)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        return RetrievingMemory(self, History.restore(folder, services), services)


class RetrievingMemory:
    """History and index of one namespace, with the last query's candidates kept for the next budget."""

    def __init__(self, strategy: Retrieving, history: History, services: Services, index: Index | None = None) -> None:
        self.strategy, self.history, self._services = strategy, history, services
        self.index = index or strategy.open_index(services)
        self._last: tuple[int, Query, Candidates] | None = None
        self._cost: Counter[tuple[str, str]] = Counter()
        if len(history):
            self.index.add(history, 0)

    def begin(self, conversation: ConversationInfo) -> None:
        self.history.begin(conversation)

    def observe(self, messages: Sequence[Message]) -> None:
        first = len(self.history)
        self.history.extend(messages)
        self.index.add(self.history, first)

    def end(self) -> None:
        """Nothing is left to do at the end of a conversation."""

    def candidates(self, query: Query) -> Candidates:
        """Scored once per query and history; every budget packs from the same scores and is charged for them."""
        spent = self._services.ledger.spent
        if self._last is None or self._last[:2] != (len(self.history), query):
            before = spent.copy()
            found = self.strategy.candidates(self.index, self.history, query)
            self._last, self._cost = (len(self.history), query, found), spent - before
        else:
            spent.update(self._cost)
        return self._last[2]

    def recall(self, query: Query, budget: Budget) -> Context:
        candidates = self.candidates(query)
        return self.strategy.pack(candidates, self.history, query, budget, self._services)

    def used(self, context: Context) -> None:
        """Access changes nothing here."""

    def save(self, folder: Path) -> None:
        self.history.save(folder)

    def close(self) -> None:
        """Nothing is held open."""
