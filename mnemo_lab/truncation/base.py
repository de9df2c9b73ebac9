"""What every stateless way of cutting shares: it implements ``keep`` and nothing else."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mnemo_lab.context import Budget, Context, Piece, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.history import History
from mnemo_lab.losses import loss
from mnemo_lab.packing.pack import close_context
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory


class Truncation(Strategy):
    """A strategy whose context is chosen from the history alone, as native chat messages by unit."""

    uses_query = False

    @property
    def drop_code(self) -> str:
        """The loss code that says why a message is not sent; a class attribute will do."""
        return "left_out"

    @abstractmethod
    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        """The pieces to send beside the system prompt, in order."""

    def system_prompt(self, history: History) -> str | None:
        """The system prompt to send; a strategy may drop it."""
        return history.system_prompt

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return HistoryMemory(self, History(services), services)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        return HistoryMemory(self, History.restore(folder, services), services)


class HistoryMemory:
    """A working memory that is nothing but the history."""

    def __init__(self, strategy: Truncation, history: History, services: Services) -> None:
        self._strategy, self._history, self._services = strategy, history, services

    def begin(self, conversation: ConversationInfo) -> None:
        self._history.begin(conversation)

    def observe(self, messages: Sequence[Message]) -> None:
        self._history.extend(messages)

    def end(self) -> None:
        """Nothing is left to do at the end of a conversation."""

    def recall(self, query: Query, budget: Budget) -> Context:
        pieces = self.pieces(query, budget)
        prompt = self._strategy.system_prompt(self._history)
        context = close_context(pieces, "chat", prompt, budget, self._services)
        sendable = any(unit.kind != "orphan" for unit in self._history.newest_units())
        nothing = not pieces and sendable and not context.over_budget
        losses = (*context.losses, loss("nothing_fits", budget=budget.tokens)) if nothing else context.losses
        return replace(context, losses=losses, drop_code=self._strategy.drop_code)

    def pieces(self, query: Query, budget: Budget) -> Sequence[Piece]:
        """What is sent beside the system prompt; a memory that knows more than the history overrides it."""
        return self._strategy.keep(self._history, query, budget, self._services)

    def used(self, context: Context) -> None:
        """Access changes nothing here."""

    def save(self, folder: Path) -> None:
        self._history.save(folder)

    def close(self) -> None:
        """Nothing is held open."""
