"""The centre: what a strategy is, what it builds, and how it prints.

A strategy is frozen settings; it prints as what you would type, and that text, defaults included, is its
identity. The state it builds while one recording is replayed is a ``WorkingMemory``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.services import Services


@runtime_checkable
class WorkingMemory(Protocol):
    """The state of one namespace, over one or many conversations; owns its stores."""

    def begin(self, conversation: ConversationInfo) -> None:
        """A conversation starts; later ``observe`` calls belong to it."""

    def observe(self, messages: Sequence[Message]) -> None:
        """The write path: take messages in, in order. Any chunking gives the same later contexts."""

    def end(self) -> None:
        """The conversation is over; work that belongs there is done and metered."""

    def recall(self, query: Query, budget: Budget) -> Context:
        """The read path: the context for one query. Changes no later context."""

    def used(self, context: Context) -> None:
        """Record that a context was used (for decay); the replay decides whether to call it."""

    def save(self, folder: Path) -> None:
        """Write the state as plain files; ``Strategy.restore`` reads them."""

    def close(self) -> None:
        """Release what is held open."""


class Strategy(ABC):
    """Frozen settings of one way to choose context. Subclasses are frozen dataclasses."""

    name: ClassVar[str]
    budget_bound: ClassVar[bool] = False
    """True where the state depends on the budget (a rolling summary): ingested, and charged, per budget."""
    uses_query: ClassVar[bool] = True
    fitted_on: ClassVar[tuple[str, ...]] = ()
    """Data set and recording ("locomo conv-26") that its settings were fitted on: no report claims anything there."""

    @property
    def needs(self) -> frozenset[str]:
        """Services it uses beyond the counter: ``embedder``, ``language_model``. Part of what a run records."""
        return frozenset()

    @abstractmethod
    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        """A fresh working memory for one namespace; ``budget`` is given where ``budget_bound``."""

    @abstractmethod
    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        """The working memory that ``save`` wrote into ``folder``."""

    def settings(self) -> dict[str, Any]:
        """Every parameter with its value, defaults included, in declared order."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.settings().items())})"
