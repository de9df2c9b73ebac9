"""``hybrid``: several views of each message, fused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from mnemo_lab.context import Candidates, Query
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.retrieval.fusion import Method, fuse
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.retrieval.passage_index import (
    IndexSettings,
    PassageIndex,
    after_question,
    named_speaker,
    session_best,
)
from mnemo_lab.retrieval.ranking import Ranked, check_range, moments
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray

AS_IT_IS: Final = (0.0, 1.0)
"""Moments that leave a 0/1 signal as it is under z-score fusion."""
WINDOW: Final = 2


@dataclass(frozen=True)
class Hybrid(Ranked):
    """Messages by a weighted sum of signals; a weight of 0 switches a signal off.

    ``keyword``: BM25 of the message. ``context``: BM25 over word counts that fade into the neighbours
    (``decay ** distance`` up to ``reach`` messages away, same session). ``dense``: cosine of the message.
    ``window``: cosine of the mean vector of the message and two neighbours on each side. ``session``: the best
    BM25 score in the message's session. ``speaker``: the message's speaker is the one the question names.
    ``answers``: the message follows another speaker's question. ``role_weight``: the message is of ``role``.
    ``fusion`` brings the signals to one scale. ``neighbours``: messages on each side of a hit that are packed
    with it. The weights were chosen on LoCoMo's recordings 1-5 alone
    (``evals/tune_hybrid.py``).
    """

    name: ClassVar[str] = "hybrid"
    k: int | None = None
    neighbours: int = 0
    fusion: Method = "zscore"
    keyword: float = 0.0
    context: float = 1.0
    dense: float = 0.8
    window: float = 0.0
    session: float = 0.4
    speaker: float = 1.5
    answers: float = 0.0
    role: Literal["user", "assistant", "tool"] = "user"
    role_weight: float = 0.0
    reach: int = 4
    decay: float = 0.5
    k1: float = 0.9
    b: float = 0.4
    prefix: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, neighbours=(0, None), reach=(0, None), decay=(0, 1), k1=(0, None), b=(0, 1))
        if not any(self.weights().values()):
            raise InvalidInput("hybrid: every weight is 0; give at least one of keyword, context, dense a weight")

    def weights(self) -> dict[str, float]:
        """Signals with their weights."""
        names = ("keyword", "context", "dense", "window", "session", "speaker", "answers")
        return {**{name: getattr(self, name) for name in names}, "role": self.role_weight}

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"})

    def open_index(self, services: Services) -> PassageIndex:
        embed = bool(self.dense or self.window)
        settings = IndexSettings(self.prefix, self.k1, self.b, self.reach, self.decay, WINDOW, embed)
        return PassageIndex(settings, services)

    def texts_to_embed(self, messages: Sequence[Message]) -> list[str]:
        if not (self.dense or self.window):
            return []
        return [part for message in messages for part in index_passages(message, self.prefix)]

    def candidates(self, index: PassageIndex, history: History, query: Query) -> Candidates:  # type: ignore[override]
        import numpy as np

        scores, scale = self._signals(index, history, query)
        fused = fuse(scores, self.weights(), self.fusion, scale)
        return Candidates(np.arange(len(history)), scores, fused, scale)

    def _signals(
        self, index: PassageIndex, history: History, query: Query
    ) -> tuple[dict[str, FloatArray], dict[str, tuple[float, float]]]:
        """Every signal in use by message, with the moments that bring it to scale."""
        import numpy as np

        scores: dict[str, FloatArray] = {}
        if self.keyword or self.session:
            scores["keyword"] = index.keyword(query)
        if self.context:
            scores["context"] = index.keyword(query, smoothed=True)
        if self.dense or self.window:
            vector = index.query_vector(query)
            views = {"dense": index.dense, "window": index.window}
            scores |= {name: view(vector) for name, view in views.items() if getattr(self, name)}
        if self.session:
            scores["session"] = session_best(scores["keyword"], history.session_of)
        scale = {signal: moments(column) for signal, column in scores.items()}
        flags: dict[str, FloatArray] = {}
        if self.speaker:
            flags["speaker"] = named_speaker(query, history)
        if self.answers:
            flags["answers"] = after_question(history)
        if self.role_weight:
            flags["role"] = np.array([float(m.role == self.role) for m in history.messages])
        return scores | flags, scale | dict.fromkeys(flags, AS_IT_IS)

    def order(self, candidates: Candidates) -> Sequence[int]:
        hits = super().order(candidates)
        if not self.neighbours:
            return hits
        last = int(candidates.positions.max()) if len(candidates.positions) else -1
        return [near for hit in hits for near in around(hit, self.neighbours, last)]


def around(hit: int, neighbours: int, last: int) -> list[int]:
    """The hit, then its neighbours from near to far, earlier first, within 0 and ``last``."""
    near = [hit + sign * step for step in range(1, neighbours + 1) for sign in (-1, 1)]
    return [hit, *(position for position in near if 0 <= position <= last)]
