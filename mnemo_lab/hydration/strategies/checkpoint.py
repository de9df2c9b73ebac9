"""``checkpoint``: the checkpoints closest to the question, as their messages or, where these do not fit, summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from mnemo_lab.context import Budget, Candidates, Context, Query
from mnemo_lab.history import History
from mnemo_lab.hydration.layers import Layers
from mnemo_lab.hydration.strategies.base import HydrationCandidates, WithCheckpoints
from mnemo_lab.packing.builder import ContextBuilder, Entry, Layer
from mnemo_lab.packing.pack import close_context, frame_tokens, protected_tokens
from mnemo_lab.services import Services

Expand = Literal["auto", "range", "messages", "summary"]


@dataclass(frozen=True)
class CheckpointRetrieval(WithCheckpoints):
    """Checkpoints by the closeness of their description alone; messages inside one by all signals.

    ``expand`` says what a checkpoint becomes: its whole ``range``, its ``messages`` from the best on, its ``summary``,
    or ``auto``: the range where it fits the room that is left, else the best messages, else the summary. ``k``: at
    most that many checkpoints. Messages after the last checkpoint stand behind all, from the newest back; pinned ones
    come first of all.
    """

    name: ClassVar[str] = "checkpoint"
    expand: Expand = "auto"

    def pack(
        self, candidates: Candidates, history: History, query: Query, budget: Budget, services: Services
    ) -> Context:
        room = budget.tokens - protected_tokens(history.system_prompt, services) - frame_tokens(services)
        layers = Layers(history, services)
        found = [
            Layer("pinned", lambda _: layers.messages(layers.pinned)),
            Layer("checkpoints", lambda b: self._entries(b, layers, candidates)),
        ]
        pieces = ContextBuilder(found, max(room, 0), services).fill().pieces()
        return close_context(pieces, "transcript", history.system_prompt, budget, services, candidates=candidates)

    def order(self, candidates: Candidates) -> Sequence[int]:
        """Positions by checkpoint, then by score; behind them what no checkpoint covers yet, from the newest back."""
        if not isinstance(candidates, HydrationCandidates):
            return list(super().order(candidates))
        inside = [self._inside(candidates, number) for number in self._closest(candidates)]
        tail = (int(p) for p in candidates.positions[::-1] if p >= _covered(candidates))
        return [*(position for positions in inside for position in positions), *tail]

    def _closest(self, found: HydrationCandidates) -> list[int]:
        return sorted(range(len(found.stretches)), key=lambda i: (-found.closeness[i], i))[: self.k]

    def _inside(self, found: HydrationCandidates, number: int) -> list[int]:
        """A checkpoint's positions from best to worst."""
        stretch = found.stretches[number]
        searched = [position for position in range(stretch.start, stretch.stop) if position in found.score_of]
        return sorted(searched, key=lambda position: (-found.score_of[position], position))

    def _entries(self, builder: ContextBuilder, layers: Layers, candidates: Candidates) -> Iterator[Entry]:
        if not isinstance(candidates, HydrationCandidates):
            yield from layers.messages(self.order(candidates))
            return
        for number in self._closest(candidates):
            stretch = candidates.stretches[number]
            if self.expand != "summary":
                messages = [layers.message(position) for position in self._inside(candidates, number)]
                if self.expand != "range" or builder.fits(messages):
                    yield from messages
            if self.expand == "summary" or (self.expand == "auto" and not builder.covered(stretch.start, stretch.stop)):
                yield layers.summary(stretch)
        yield from layers.newest(_covered(candidates))


def _covered(found: HydrationCandidates) -> int:
    """The first position that no checkpoint covers yet."""
    return found.stretches[-1].stop if found.stretches else 0
