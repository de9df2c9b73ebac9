"""``hydrate``: the newest turns, checkpoint summaries and the best messages, in layers under one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Final, Literal

from mnemo_lab.context import Budget, Candidates, Context, Query
from mnemo_lab.embeddings.cached import NEVER
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.hydration.adaptive import enough, near_misses, nothing_fits, scores_at
from mnemo_lab.hydration.diversity import POOL, best_of, diversified
from mnemo_lab.hydration.excerpts import Excerpts
from mnemo_lab.hydration.follow_up import retrieval_query
from mnemo_lab.hydration.index import HydrationIndex
from mnemo_lab.hydration.layers import Layers
from mnemo_lab.hydration.rerank import check_tokens, max_sims
from mnemo_lab.hydration.strategies.base import HydrationCandidates, WithCheckpoints
from mnemo_lab.losses import Loss, loss
from mnemo_lab.memory.layer import Remembering
from mnemo_lab.memory.long_term import MemorySettings
from mnemo_lab.packing.builder import ContextBuilder, Entry, Layer
from mnemo_lab.packing.pack import close_context, frame_tokens, protected_tokens
from mnemo_lab.retrieval.fusion import fuse
from mnemo_lab.retrieval.ranking import check_range, moments
from mnemo_lab.retrieval.strategies.hybrid import around
from mnemo_lab.services import Services
from mnemo_lab.text.language import language_of

REMEMBERED: Final = {"en": "earlier notes; what follows wins", "zh": "以往的记录；以后文为准"}


@dataclass(frozen=True)
class Hydrate(WithCheckpoints):
    """Messages by their own signals and those of their checkpoint (see ``checkpoint``), packed in layers.

    ``recent`` and ``summaries`` are the shares (0 to 1) of the room that the newest messages and the closest
    checkpoints' summaries may take before the retrieved messages; pinned messages come first of all. What a layer
    leaves goes to the others. ``excerpt``: of a message of more tokens only the sentences the question is about (0:
    whole messages). ``minimum``: the least score; how many lie just below is said. ``adaptive``: as many messages as
    the scores and the kind of question ask for, none where none fits, in place of filling the budget. ``mmr`` (0 to
    1): how much a message of the best 100 loses for being close to one before it, see ``diversified``. ``rerank``:
    that many of the best messages are scored by late interaction too (MaxSim over vectors of tokens), brought to scale
    among themselves and added with ``rerank_weight``; all others get what the least of them does. ``order_by``: by
    time under headings of days, or ``best_last`` with a date in every line. ``memory``: the long tier, facts extracted
    while the recording runs (as ``memory`` does by default), before all else, in at most ``memory_share`` of the room.
    """

    name: ClassVar[str] = "hydrate"
    recent: float = 0.0
    summaries: float = 0.0
    excerpt: int = 0
    minimum: float | None = None
    adaptive: bool = False
    mmr: float = 0.0
    rerank: int = 0
    rerank_weight: float = 0.5
    order_by: Literal["time", "best_last"] = "time"
    memory: bool = False
    memory_share: float = 0.15

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, recent=(0, 1), summaries=(0, 1), excerpt=(0, None), mmr=(0, 1), rerank=(0, None))
        check_range(self, memory_share=(0, 1))
        if self.adaptive and self.fusion != "zscore":
            raise InvalidInput(
                f"{self.name}(adaptive=True, fusion={self.fusion!r}): adaptive counts in standard deviations; "
                "use fusion='zscore'"
            )

    def weights(self) -> dict[str, float]:
        return super().weights() | ({"rerank": self.rerank_weight} if self.rerank else {})

    def open_index(self, services: Services) -> HydrationIndex:
        if self.rerank:
            check_tokens(services.embedder)
        index = super().open_index(services)
        if self.memory:
            index.remembering = Remembering(services, MemorySettings())
        return index

    def candidates(  # type: ignore[override]
        self, index: HydrationIndex, history: History, query: Query
    ) -> HydrationCandidates:
        found = self._reranked(index, history, query) if self.rerank else super().candidates(index, history, query)
        if self.mmr:
            pool = best_of(found.fused, POOL)
            vectors = index.message_vectors(found.positions[pool].tolist())
            found = replace(found, fused=diversified(found.fused, pool, vectors, self.mmr))
        if index.remembering:
            found = replace(found, remembered=index.remembering.lines(query, MemorySettings().shape))
        return found

    def _reranked(self, index: HydrationIndex, history: History, query: Query) -> HydrationCandidates:
        import numpy as np

        query = retrieval_query(query, history, index.services, self.follow_up, self.rewrite)
        plain = replace(self, follow_up=False, rewrite=False)  # so that a model is asked once
        found = super(Hydrate, plain).candidates(index, history, query)
        best = best_of(found.fused, self.rerank)
        messages = [history.messages[position] for position in found.positions[best].tolist()]
        column, closeness = np.full(len(found.fused), np.nan), max_sims(query, messages, index.services)
        column[best] = closeness
        scores, scale = {**found.scores, "rerank": column}, {**found.moments, "rerank": moments(closeness)}
        return replace(found, scores=scores, moments=scale, fused=fuse(scores, self.weights(), self.fusion, scale))

    def order(self, candidates: Candidates) -> Sequence[int]:
        last = int(candidates.positions.max()) if len(candidates.positions) else -1
        return list(dict.fromkeys(self._with_neighbours(super().order(candidates), last)))

    def _with_neighbours(self, hits: Sequence[int], last: int) -> Iterable[int]:
        """Positions may repeat."""
        if not self.neighbours:
            return hits
        return (near for hit in hits for near in around(hit, self.neighbours, last))

    def pack(
        self, candidates: Candidates, history: History, query: Query, budget: Budget, services: Services
    ) -> Context:
        chosen, losses = self._chosen(candidates, history, query, services)
        layers = Layers(history, services, self._excerpts(searched(candidates, query), history, services))
        room = budget.tokens - protected_tokens(history.system_prompt, services) - frame_tokens(services)
        found = partial(self._with_neighbours, chosen, len(history) - 1)
        rank = None
        if self.order_by == "best_last":
            rank = {float(place): at for at, place in enumerate(dict.fromkeys(found()))}
        builder = ContextBuilder(self._layers(layers, candidates, found, query), max(room, 0), services, rank).fill()
        pieces, prompt = builder.pieces(), history.system_prompt
        return close_context(pieces, "transcript", prompt, budget, services, candidates=candidates, losses=losses)

    def _chosen(
        self, candidates: Candidates, history: History, query: Query, services: Services
    ) -> tuple[Sequence[int], list[Loss]]:
        """Hits from best to worst, and what is to be said of those that missed the threshold."""
        hits = super().order(candidates)
        if self.adaptive:
            unrelated = getattr(services.embedder, "unrelated", NEVER)
            off = nothing_fits(candidates, query, history.messages, unrelated)
            hits = [] if off else hits[: enough(candidates, query, hits)]
        missed = 0
        if self.minimum is not None and len(hits):
            hits = hits[: int((scores_at(candidates, hits) >= self.minimum).sum())]
            missed = near_misses(candidates, self.minimum)
        said = [loss("near_threshold", count=missed, minimum=self.minimum)] if missed else []
        return hits, said

    def _excerpts(self, query: Query, history: History, services: Services) -> Excerpts | None:
        return Excerpts(query.text, self.excerpt, history, services) if self.excerpt else None

    def _layers(
        self, layers: Layers, candidates: Candidates, chosen: Callable[[], Iterable[int]], query: Query
    ) -> list[Layer]:
        firm = self.adaptive or self.minimum is not None or self.k is not None  # else the newest fill what is left
        found = [Layer("pinned", lambda _: layers.messages(layers.pinned)), *self._long_term(candidates)]
        if self.recent:
            found.append(Layer("recent", lambda _: layers.newest(), most=self.recent, tier="short", firm=firm))
        if self.summaries and isinstance(candidates, HydrationCandidates):
            found.append(Layer("summaries", lambda b: layers.summaries(candidates, b), most=self.summaries, firm=firm))
        return [*found, Layer("retrieved", lambda b: layers.messages(chosen(), b))]

    def _long_term(self, candidates: Candidates) -> list[Layer]:
        """What is remembered stands at places below 0, under a heading of its own."""
        lines = candidates.remembered if isinstance(candidates, HydrationCandidates) else ()
        if not lines:
            return []
        head = REMEMBERED["zh" if language_of(line.text for line in lines) == "zh" else "en"]
        entries = [Entry(float(at - len(lines)), head, line) for at, line in enumerate(lines)]
        return [Layer("memory", lambda _: entries, most=self.memory_share, tier="long", firm=True)]


def searched(candidates: Candidates, query: Query) -> Query:
    """The question as it was searched, where that is known."""
    known = candidates.searched if isinstance(candidates, HydrationCandidates) else None
    return known or query
