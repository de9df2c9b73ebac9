"""What strategies that score units share: state that grows, the newest units' share, and filling by score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from mnemo_lab.context import Budget, Piece, Query
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory
from mnemo_lab.truncation.base import HistoryMemory, Truncation
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.truncation.notes import Note

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray


class Scorer(Protocol):
    """What is known of the observed messages; it grows with them and is asked for an order of units."""

    def add(self, history: History, first: int) -> None:
        """Take in the messages from position ``first`` on (the write path)."""

    def order(self, choice: Choice, query: Query) -> Iterator[int]:
        """Units from best to worst. It may look at what has been taken since the one before."""


class ByScore(Truncation):
    """A truncation that keeps what scores best; ``keep`` without state scores everything afresh."""

    drop_code: ClassVar[str] = "scored_lower"
    note: Note

    @abstractmethod
    def open_scorer(self, services: Services) -> Any:
        """A fresh scorer for one namespace."""

    @abstractmethod
    def fill(self, choice: Choice, scorer: Any, query: Query) -> None:
        """Take units beside what is protected."""

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        scorer = self.open_scorer(services)
        scorer.add(history, 0)
        return self.choose(scorer, history, query, budget, services)

    def choose(
        self, scorer: Any, history: History, query: Query, budget: Budget, services: Services
    ) -> Sequence[Piece]:
        """The pieces to send, by a scorer that has taken in the history. A note never costs the only unit."""
        notes: list[Note] = [self.note, "off"]
        for note in dict.fromkeys(notes):
            choice = Choice(history, budget, services, note, keep_newest=is_waiting(history))
            self.fill(choice, scorer, query)
            if any(index in choice for index in range(choice.head, len(choice.units))):
                break
        return choice.pieces()

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return ScoringMemory(self, History(services), services)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        return ScoringMemory(self, History.restore(folder, services), services)


class ScoringMemory(HistoryMemory):
    """History and scorer of one namespace."""

    def __init__(self, strategy: ByScore, history: History, services: Services) -> None:
        super().__init__(strategy, history, services)
        self._by_score, self._scorer = strategy, strategy.open_scorer(services)
        if len(history):
            self._scorer.add(history, 0)

    def observe(self, messages: Sequence[Message]) -> None:
        first = len(self._history)
        super().observe(messages)
        self._scorer.add(self._history, first)

    def pieces(self, query: Query, budget: Budget) -> Sequence[Piece]:
        return self._by_score.choose(self._scorer, self._history, query, budget, self._services)


def is_waiting(history: History) -> bool:
    """Whether the newest unit waits for the assistant: anything but its own finished answer."""
    newest = next((unit for unit in history.newest_units() if unit.kind != "orphan"), None)
    if newest is None or newest.kind != "step":
        return newest is not None
    return newest.stop - newest.start > 1 or bool(history.messages[newest.start].tool_calls)


def fill_newest(choice: Choice, share: float) -> None:
    """Take the newest units without a hole, up to a share of the room; what waits for the assistant counts in it.

    The newest is cut inside where it does not fit the share.
    """
    below = range(len(choice.units) - 1, choice.head - 1, -1)
    newest = next((index for index in below if choice.units[index].kind != "orphan"), None)
    if newest is None or share <= 0:
        return
    limit = int(choice.whole * share) - (choice.cost(newest) if newest in choice else 0)
    choice.fill(below, limit, stop=True)
    choice.add_part(newest, limit)


def check_shares(strategy: Strategy, *names: str) -> None:
    """Raise ``InvalidInput`` for a parameter that is no share from 0 to 1."""
    for name in names:
        value = getattr(strategy, name)
        if not 0 <= value <= 1:
            raise InvalidInput(f"{strategy.name}({name}={value}): must be a share from 0 to 1")


def best_first(values: FloatArray) -> Iterator[int]:
    """From the highest to the lowest value; of equal ones the newer first."""
    import numpy as np

    yield from np.lexsort((-np.arange(len(values)), -values)).tolist()
