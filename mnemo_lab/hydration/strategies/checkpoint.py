"""``checkpoint``: the checkpoints closest to the question, as summaries and as the messages they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.context import Candidates
from mnemo_lab.hydration.strategies.base import WithCheckpoints


@dataclass(frozen=True)
class CheckpointRetrieval(WithCheckpoints):
    """Whole checkpoints by their own scores; inside one its messages from best to worst.

    The weights of ``hybrid`` order the messages inside a checkpoint; which checkpoint comes first is decided by
    ``checkpoint`` (cosine of its description) and ``checkpoint_words`` (BM25 of it) alone.
    """

    name: ClassVar[str] = "checkpoint"

    def order(self, candidates: Candidates) -> Sequence[int]:
        import numpy as np

        scores = candidates.scores
        names = [name for name in ("checkpoint", "checkpoint_words") if name in scores]
        if not names:
            return super().order(candidates)
        first = np.zeros(len(candidates.positions))
        for name in names:
            mean, std = candidates.moments[name]
            first += getattr(self, name) * (scores[name] - mean) / max(std, 1e-6)
        ranked = candidates.positions[np.lexsort((candidates.positions, -candidates.fused, -first))]
        return [int(position) for position in ranked[: self.k]]
