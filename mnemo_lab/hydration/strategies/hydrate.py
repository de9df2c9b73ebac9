"""``hydrate``: the newest turns, checkpoint summaries and the best messages, in layers under one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from mnemo_lab.context import Budget, Candidates, Context, Query
from mnemo_lab.history import History
from mnemo_lab.hydration.adaptive import enough, near_misses
from mnemo_lab.hydration.builder import ContextBuilder, Layer
from mnemo_lab.hydration.excerpts import Excerpts
from mnemo_lab.hydration.layers import Layers
from mnemo_lab.hydration.strategies.base import HydrationCandidates, WithCheckpoints
from mnemo_lab.losses import Loss, loss
from mnemo_lab.packing.pack import close_context, frame_tokens, protected_tokens
from mnemo_lab.retrieval.ranking import check_range
from mnemo_lab.retrieval.strategies.hybrid import around
from mnemo_lab.services import Services


@dataclass(frozen=True)
class Hydrate(WithCheckpoints):
    """Messages by their own signals and those of their checkpoint (see ``checkpoint``), packed in layers.

    ``recent`` and ``summaries`` are the shares (0 to 1) of the room that the newest messages and the closest
    checkpoints' summaries may take before the retrieved messages; pinned messages come first of all. What a layer
    leaves goes to the others. ``excerpt``: of a message of more tokens only the sentences the question is about (0:
    whole messages). ``minimum``: the least score; how many lie just below is said. ``adaptive``: as many messages as
    the scores and the kind of question ask for, none where none fits, in place of filling the budget. ``order``:
    by time under headings of days, or ``best_last`` with a date in every line.
    """

    name: ClassVar[str] = "hydrate"
    recent: float = 0.0
    summaries: float = 0.0
    excerpt: int = 0
    minimum: float | None = None
    adaptive: bool = False
    order_by: Literal["time", "best_last"] = "time"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, recent=(0, 1), summaries=(0, 1), excerpt=(0, None))

    def order(self, candidates: Candidates) -> Sequence[int]:
        hits = list(super().order(candidates))
        if not self.neighbours:
            return hits
        last = len(candidates.positions) - 1
        return list(dict.fromkeys(near for hit in hits for near in around(hit, self.neighbours, last)))

    def pack(
        self, candidates: Candidates, history: History, query: Query, budget: Budget, services: Services
    ) -> Context:
        chosen, losses = self._chosen(candidates, query)
        layers = Layers(history, services, self._excerpts(query, history, services))
        room = budget.tokens - protected_tokens(history.system_prompt, services) - frame_tokens(services)
        rank = {float(place): at for at, place in enumerate(chosen)} if self.order_by == "best_last" else None
        builder = ContextBuilder(self._layers(layers, candidates, chosen), max(room, 0), services, rank).fill()
        pieces, prompt = builder.pieces(), history.system_prompt
        return close_context(pieces, "transcript", prompt, budget, services, candidates=candidates, losses=losses)

    def _chosen(self, candidates: Candidates, query: Query) -> tuple[list[int], list[Loss]]:
        """Positions from best to worst, and what is to be said of those that missed the threshold."""
        hits = list(self.order(candidates))
        if self.adaptive:
            hits = hits[: enough(candidates, query, hits)]
        if self.minimum is None:
            return hits, []
        above = {int(p) for p, s in zip(candidates.positions, candidates.fused, strict=True) if s >= self.minimum}
        missed = near_misses(candidates, self.minimum)
        said = [loss("near_threshold", count=missed, minimum=self.minimum)] if missed else []
        return [position for position in hits if position in above], said

    def _excerpts(self, query: Query, history: History, services: Services) -> Excerpts | None:
        return Excerpts(query.text, self.excerpt, history, services) if self.excerpt else None

    def _layers(self, layers: Layers, candidates: Candidates, chosen: Sequence[int]) -> list[Layer]:
        found = [Layer("pinned", lambda _: layers.messages(layers.pinned()))]
        if self.recent:
            found.append(Layer("recent", lambda _: layers.newest(), most=self.recent))
        if self.summaries and isinstance(candidates, HydrationCandidates):
            found.append(Layer("summaries", lambda b: layers.summaries(candidates, b), most=self.summaries))
        return [*found, Layer("retrieved", lambda _: layers.messages(chosen))]
