"""Strategies that watch, count, fail or lie, and how to give them a name in the registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from mnemo_lab.context import Budget, Candidates, Context, Piece, Query, Source
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory

CALLS: list[tuple[Any, ...]] = []
"""What happened to every spy, in order; a test clears it."""


class SpyMemory:
    """Notes every call; recalls its newest message. Costs one token a message to write, two a recall."""

    def __init__(self, strategy: Strategy, services: Services, budget: Budget | None) -> None:
        self.strategy, self.services, self.budget = strategy, services, budget
        self.messages: list[Message] = []

    def begin(self, conversation: ConversationInfo) -> None:
        CALLS.append(("begin", conversation))

    def observe(self, messages: Sequence[Message]) -> None:
        CALLS.append(("observe", list(messages)))
        self.messages += messages
        self.services.ledger.add("language_model", len(messages))

    def end(self) -> None:
        CALLS.append(("end",))
        self.services.ledger.add("language_model", 100)

    def recall(self, query: Query, budget: Budget) -> Context:
        CALLS.append(("recall", query, budget, len(self.messages)))
        self.services.ledger.add("language_model", 2)
        return self.context(budget)

    def context(self, budget: Budget) -> Context:
        pieces = [Piece(m.text, 1, (Source(m.id, ((0, len(m.text)),)),), m) for m in self.messages[-1:]]
        return Context(tuple(pieces), "chat", len(pieces), budget)

    def used(self, context: Context) -> None:
        CALLS.append(("used",))

    def save(self, folder: Path) -> None:
        raise NotImplementedError

    def close(self) -> None:
        CALLS.append(("close",))


@dataclass(frozen=True)
class Spy(Strategy):
    """Watches."""

    name: ClassVar[str] = "spy"
    mark: int = 0

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        CALLS.append(("start", services, namespace, budget))
        return SpyMemory(self, services, budget)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        raise NotImplementedError


@dataclass(frozen=True)
class BoundSpy(Spy):
    """Watches, and depends on the budget."""

    name: ClassVar[str] = "bound_spy"
    budget_bound: ClassVar[bool] = True


@dataclass(frozen=True)
class Broken(Spy):
    """Fails at its ``at``-th recall while ``HEALED`` is empty; at 0 it does not even start."""

    name: ClassVar[str] = "broken"
    at: int = 3

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        if not self.at and not HEALED:
            raise RuntimeError("no start")
        return BrokenMemory(self, services, budget)


HEALED: list[bool] = []


class BrokenMemory(SpyMemory):
    recalls = 0

    def context(self, budget: Budget) -> Context:
        self.recalls += 1
        assert isinstance(self.strategy, Broken)
        if self.recalls >= self.strategy.at and not HEALED:
            raise RuntimeError("lone \ud800 surrogate")
        return super().context(budget)


@dataclass(frozen=True)
class Liar(Spy):
    """Names a message it cannot have seen: ``future``, ``unknown`` or, in its candidates, ``ranked``."""

    name: ClassVar[str] = "liar"
    how: str = "future"

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return LiarMemory(self, services, budget)


class LiarMemory(SpyMemory):
    def context(self, budget: Budget) -> Context:
        from mnemo_lab.replay.view import _opaque

        assert isinstance(self.strategy, Liar)
        if self.strategy.how == "ranked":
            beyond = np.array([len(self.messages)])
            return Context((), "chat", 0, budget, candidates=Candidates(beyond, {}, np.ones(1)))
        name = _opaque(len(self.messages)) if self.strategy.how == "future" else "m0"
        return Context((Piece("lie", 1, (Source(name, ((0, 3),)),)),), "chat", 1, budget)


NAMES = {cls.name: f"{__name__}:{cls.__name__}" for cls in (Spy, BoundSpy, Broken, Liar)}
