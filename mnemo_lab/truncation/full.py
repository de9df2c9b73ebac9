"""``full``: everything, whatever the budget; flagged where it does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.context import Budget, Piece, Query
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.truncation.base import Truncation


@dataclass(frozen=True)
class Full(Truncation):
    """Send the whole history. The upper end of every comparison; its context is flagged when over budget."""

    name: ClassVar[str] = "full"

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        return [history.chat(position) for position in range(len(history))]
