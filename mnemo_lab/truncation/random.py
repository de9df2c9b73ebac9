"""``random``: units drawn by a seed until the budget is full; the chance level of every comparison."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.context import Budget, Piece, Query
from mnemo_lab.history import History
from mnemo_lab.packing.pack import protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.truncation.base import Truncation


@dataclass(frozen=True)
class Random(Truncation):
    """Keep units in an order drawn from ``seed``, the question and the unit's place, in time order.

    The draw depends on nothing but those three, so equal prefixes give equal contexts and no id matters.
    """

    name: ClassVar[str] = "random"
    uses_query: ClassVar[bool] = True
    seed: int = 0

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        room = budget.tokens - protected_tokens(history.system_prompt, services)
        sums, units, taken = history.chat_sums, history.units, []
        for index in sorted(range(len(units)), key=lambda i: self._draw(query, i)):
            unit = units[index]
            cost = sums[unit.stop] - sums[unit.start]
            if unit.kind != "orphan" and cost <= room:
                taken.append(index)
                room -= cost
        return [history.chat(p) for index in sorted(taken) for p in units[index].positions]

    def _draw(self, query: Query, index: int) -> bytes:
        return hashlib.blake2b(f"{self.seed}\0{index}\0{query.text}".encode(errors="replace"), digest_size=8).digest()
