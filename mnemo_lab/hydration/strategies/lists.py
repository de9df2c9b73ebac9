"""``seed_hydration``: fixed numbers from separate lists, as the tool this workbench grew from had them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mnemo_lab.context import Budget, Candidates, Context, Query
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.hydration.layers import Layers
from mnemo_lab.hydration.strategies.base import HydrationCandidates, WithCheckpoints
from mnemo_lab.packing.builder import ContextBuilder, Layer
from mnemo_lab.packing.pack import close_context, frame_tokens, protected_tokens
from mnemo_lab.retrieval.ranking import check_range
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray


@dataclass(frozen=True)
class Lists(WithCheckpoints):
    """The newest ``recent`` messages, the ``similar`` closest by cosine, the summaries of the ``checkpoints`` closest
    and the ``words`` best by BM25: lists kept apart, each with a number of its own. Nothing else fills the budget but
    pinned messages, which come first. ``k``: at most that many messages of all lists together.
    """

    name: ClassVar[str] = "lists"
    keyword: float = 1.0
    trigger: str = "every(n=5)"
    recent: int = 3
    similar: int = 2
    checkpoints: int = 2
    words: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, recent=(0, None), similar=(0, None), checkpoints=(0, None), words=(0, None))
        for count, signal in (("similar", "dense"), ("words", "keyword")):
            if getattr(self, count) and not getattr(self, signal):
                raise InvalidInput(
                    f"lists({count}={getattr(self, count)}, {signal}=0.0): a weight of 0 switches the signal off that "
                    f"this list is ranked by; give {signal} a weight, or take {count}=0"
                )

    def order(self, candidates: Candidates) -> Sequence[int]:
        newest = [int(p) for p in candidates.positions[::-1][: self.recent]]
        picked = [*newest, *self._best(candidates, "dense", self.similar)]
        return list(dict.fromkeys([*picked, *self._best(candidates, "keyword", self.words)]))[: self.k]

    def _best(self, candidates: Candidates, signal: str, count: int) -> Iterator[int]:
        import numpy as np

        column: FloatArray | None = candidates.scores.get(signal)
        if column is None:
            return iter(())
        ranked = np.lexsort((candidates.positions, -column))[:count]
        return (int(candidates.positions[i]) for i in ranked if signal != "keyword" or column[i] > 0)

    def pack(
        self, candidates: Candidates, history: History, query: Query, budget: Budget, services: Services
    ) -> Context:
        room = budget.tokens - protected_tokens(history.system_prompt, services) - frame_tokens(services)
        layers, chosen = Layers(history, services), self.order(candidates)
        found = [Layer("pinned", lambda _: layers.messages(layers.pinned))]
        found.append(Layer("messages", lambda _: layers.messages(chosen)))
        if isinstance(candidates, HydrationCandidates):
            found.append(Layer("summaries", lambda b: layers.summaries(candidates, b, self.checkpoints)))
        pieces = ContextBuilder(found, max(room, 0), services).fill().pieces()
        return close_context(pieces, "transcript", history.system_prompt, budget, services, candidates=candidates)
