"""What strategies with checkpoints share: messages scored by themselves and by the checkpoint they fall into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from mnemo_lab.context import Budget, Candidates, Piece, Query
from mnemo_lab.conversation import Message
from mnemo_lab.describers import open_describer
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.hydration.follow_up import retrieval_query
from mnemo_lab.hydration.index import HydrationIndex, Stretch, VectorOf
from mnemo_lab.hydration.memory import HydratingMemory, restore_memory
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.retrieval.fusion import Method, fuse
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.retrieval.ranking import Ranked, check_range, moments
from mnemo_lab.retrieval.strategies.hybrid import AS_IT_IS
from mnemo_lab.services import Services
from mnemo_lab.strategy import WorkingMemory

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray
    from mnemo_lab.embeddings.base import Vectors
    from mnemo_lab.hydration.passages import Passages

TRIGGER: Final = "every(n=2) and topic_shift() or every(n=4) or gap(hours=6)"
CHEAP: Final = 100
"""Tokens; a message well below costs next to nothing in the order of messages, one of ten times that 2.4 ``length``."""
SIGNALS: Final = ("keyword", "context", "dense", "pair", "session", "speaker", "answers", "asks", "asker", "checkpoint",
                  "checkpoint_words", "names", "time", "length")  # fmt: skip


@dataclass(frozen=True)
class HydrationCandidates(Candidates):
    """Candidates with the checkpoints there were, and what each scores by its own description."""

    stretches: Sequence[Stretch] = ()
    closeness: Sequence[float] = ()
    searched: Query | None = None
    """The question as it was searched: with the turn it follows up, or rewritten."""
    remembered: Sequence[Piece] = ()
    """Lines of what is remembered across conversations, from the most wanted on."""

    @cached_property
    def score_of(self) -> dict[int, float]:
        """The final score by position, of what was searched."""
        return dict(zip(self.positions.tolist(), self.fused.tolist(), strict=True))


@dataclass(frozen=True)
class WithCheckpoints(Ranked):
    """Messages by a weighted sum of signals; a weight of 0 switches a signal off.

    By the message: ``keyword``, ``context`` (BM25, alone and with its neighbours' words), ``dense``, ``pair`` (cosine
    of the message, and with the one before it), ``session`` (the best BM25 in its session), ``speaker`` (the question
    names who said it), ``asker`` (in a chat with an assistant, the user said it), ``asks`` and ``answers``
    (among named people: it is a question, it follows one), ``time`` (the question names its day), ``length``
    (less ln(1 + tokens / 100), to 3 at most: what is long keeps much else out). By the checkpoint it falls into:
    ``checkpoint`` (its cosine), ``checkpoint_words`` (BM25 of its description and messages), ``names`` (those the
    question shares).

    ``scope``: only messages of that many closest checkpoints are searched, and those no checkpoint covers (0: all).
    ``trigger`` cuts checkpoints, ``delay`` turns late; ``describer`` describes them, ``vector`` is what their
    vector is made of: the mean of the ``messages``, or the ``description``, embedded. ``follow_up``: a question that
    refers to what was just said is searched together with the user's last message; ``rewrite`` has the language model
    put it into words of its own instead. ``neighbours``: messages on each side of a hit that are packed with it.
    The weights were rounded by hand on LoCoMo 1-5 and BEAM 1-5, with a look at the bilingual development recordings;
    how they stand to fitted ones there: ``evals/tune_hydrate.py``, ``reports/tune_hydrate.md``.
    """

    name: ClassVar[str] = ""
    k: int | None = None
    neighbours: int = 0
    fusion: Method = "zscore"
    keyword: float = 0.0
    context: float = 1.0
    dense: float = 0.8
    pair: float = 0.6
    session: float = 0.3
    speaker: float = 2.5
    answers: float = 0.7
    asks: float = -0.8
    asker: float = 1.5
    checkpoint: float = 0.2
    checkpoint_words: float = 0.2
    names: float = 0.0
    time: float = 1.0
    length: float = 2.0
    scope: int = 0
    reach: int = 4
    trigger: str = TRIGGER
    delay: int = 0
    describer: Literal["extractive", "model"] = "extractive"
    vector: VectorOf = "messages"
    follow_up: bool = True
    rewrite: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, neighbours=(0, None), scope=(0, None), reach=(0, None), delay=(0, None))
        if not any(weight for name, weight in self.weights().items() if name != "length"):
            raise InvalidInput(f"{self.name}: every weight is 0; give at least one of context, dense, checkpoint one")
        parse_trigger(self.trigger)

    @property
    def needs(self) -> frozenset[str]:
        asks = self.describer == "model" or self.rewrite
        return parse_trigger(self.trigger).needs | {"embedder"} | ({"language_model"} if asks else set())

    def weights(self) -> dict[str, float]:
        """Signals with their weights."""
        return {name: getattr(self, name) for name in SIGNALS}

    def open_index(self, services: Services) -> HydrationIndex:
        describer = open_describer(self.describer, services)
        return HydrationIndex(parse_trigger(self.trigger), describer, services, self.delay, self.reach, self.vector)

    def texts_to_embed(self, messages: Sequence[Message]) -> list[str]:
        return [part for message in messages for part in index_passages(message, prefix=True)]

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return HydratingMemory(self, History(services), services)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        return restore_memory(self, folder, services)

    def candidates(  # type: ignore[override]
        self, index: HydrationIndex, history: History, query: Query
    ) -> HydrationCandidates:
        import numpy as np

        asked, query = query, retrieval_query(query, history, index.services, self.follow_up, self.rewrite)
        vector = index.passages.query_vector(query)
        own = {"checkpoint": index.cosine(vector), "checkpoint_words": index.keyword(query)}
        closeness = closeness_of(own)
        at = self._searched(index, closeness)
        scores, scale = self._signals(index, asked, query, vector, own, at)
        fused = fuse(scores, self.weights(), self.fusion, scale)
        positions = np.arange(len(history)) if at is None else at
        return HydrationCandidates(positions, scores, fused, scale, tuple(index.stretches), closeness.tolist(), query)

    def _searched(self, index: HydrationIndex, closeness: FloatArray) -> IntArray | None:
        """The positions that are scored; ``None`` for all."""
        if not self.scope or len(index.stretches) <= self.scope:
            return None
        return index.within(closeness, self.scope)

    def _signals(
        self,
        index: HydrationIndex,
        asked: Query,
        query: Query,
        vector: Vectors,
        own: dict[str, FloatArray],
        at: IntArray | None,
    ) -> tuple[dict[str, FloatArray], dict[str, tuple[float, float]]]:
        """Signals in use by message, and the moments that bring them to scale. Days are those that the question as it
        was ``asked`` names: "last Tuesday" of the turn before is seen from another day."""
        passages, columns = index.passages, index.columns
        makers: dict[str, Callable[[], FloatArray]] = {
            "keyword": lambda: passages.keyword(query, at=at),
            "context": lambda: passages.keyword(query, spread=True, at=at),
            "dense": lambda: passages.dense(vector, at),
            "pair": lambda: pair_of(passages, vector, scores, at),
            "session": lambda: passages.session(query, at),
        }
        scores: dict[str, FloatArray] = {}
        for name, make in makers.items():
            if getattr(self, name):
                scores[name] = make()
        scale = {name: moments(column) for name, column in scores.items()}
        own = own | ({"names": index.named(query)} if self.names else {})
        for name in own:
            if getattr(self, name):
                scores[name], scale[name] = filled(index.spread(own[name], at))
        flags: dict[str, Callable[[], FloatArray]] = {
            "speaker": lambda: columns.speaker(query),
            "answers": lambda: columns.array("answers"),
            "asks": lambda: columns.array("asks"),
            "asker": lambda: columns.asker(query),
            "time": lambda: columns.dated(asked),
            "length": lambda: priced(columns.array("tokens")),
        }
        used = {name: make() if at is None else make()[at] for name, make in flags.items() if getattr(self, name)}
        return scores | used, scale | dict.fromkeys(used, AS_IT_IS)


def pair_of(passages: Passages, vector: Vectors, scores: dict[str, FloatArray], at: IntArray | None) -> FloatArray:
    """The cosine with message and predecessor, from the cosines of single messages. A predecessor that is not searched
    is not looked up for this: the message then counts alone."""
    import numpy as np

    dense = scores["dense"] if "dense" in scores else passages.dense(vector, at)
    before = np.append(dense[:1], dense[:-1])
    if at is not None and len(at):
        before[np.append(True, np.diff(at) != 1)] = np.nan
    return passages.pair(dense, before, at)


def closeness_of(own: dict[str, FloatArray]) -> FloatArray:
    """Cosine and BM25 of checkpoints as one z-score, the sum of both."""
    parts = [own["checkpoint"], own["checkpoint_words"]]
    scaled = [(part - mean) / max(std, 1e-6) for part in parts for mean, std in (moments(part),)]
    total: FloatArray = scaled[0] + scaled[1]
    return total


def filled(column: FloatArray) -> tuple[FloatArray, tuple[float, float]]:
    """What no checkpoint covers yet (NaN) scores as the mean of what is covered; with the moments of the latter."""
    import numpy as np

    known = column[~np.isnan(column)]
    mean, std = moments(known)
    return np.where(np.isnan(column), mean, column), (mean, std)


def priced(tokens: FloatArray) -> FloatArray:
    """Less the logarithm of what a message costs, in ``CHEAP``."""
    import numpy as np

    price: FloatArray = -np.log1p(tokens / CHEAP)
    return price
