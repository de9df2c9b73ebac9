"""``similarity``: what is closest to the question, or to the last messages, in meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from mnemo_lab.context import Query
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.retrieval.passage_index import IndexSettings, PassageIndex
from mnemo_lab.retrieval.strategies.hybrid import around
from mnemo_lab.services import Services
from mnemo_lab.truncation.by_score import ByScore, best_first, check_shares, fill_newest
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.truncation.notes import Note

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray
    from mnemo_lab.embeddings.base import Vectors

To = Literal["query", "recent"]


@dataclass(frozen=True)
class Similarity(ByScore):
    """Keep the units closest to the question or to the last messages, by the cosine of their best passage.

    ``to``: ``query`` compares with the question, or with the last messages where it is empty; ``recent`` with the mean
    of the ``last`` newest messages. ``mmr`` (0 to 1): maximal marginal relevance (Carbonell and Goldstein 1998): a
    unit scores (1 - mmr) of its closeness less mmr of its greatest cosine to a unit that is kept; 0 is closeness
    alone. ``neighbours``: units on each side of a hit that are taken with it. ``recent``: the share of the room for
    the newest units; there the newest is cut inside where it does not fit. What waits for an answer is kept in any
    case. ``note``: say at every gap how many messages were omitted, in English or Chinese.
    """

    name: ClassVar[str] = "similarity"
    uses_query: ClassVar[bool] = True
    to: To = "query"
    last: int = 4
    mmr: float = 0.0
    neighbours: int = 0
    recent: float = 0.0
    note: Note = "off"

    def __post_init__(self) -> None:
        check_shares(self, "mmr", "recent")
        for name, least in (("last", 1), ("neighbours", 0)):
            if getattr(self, name) < least:
                raise InvalidInput(f"similarity({name}={getattr(self, name)}): must be {least} or more")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"})

    def texts_to_embed(self, messages: Sequence[Message]) -> list[str]:
        """What the write path will embed, so that a replay can embed a recording in one batch."""
        return texts_to_embed(messages)

    def open_scorer(self, services: Services) -> SimilarityScorer:
        return SimilarityScorer(services, self.to, self.last, self.mmr, self.neighbours)

    def fill(self, choice: Choice, scorer: SimilarityScorer, query: Query) -> None:
        fill_newest(choice, self.recent)
        choice.fill(scorer.order(choice, query))


def texts_to_embed(messages: Sequence[Message]) -> list[str]:
    """The passages of messages as they are embedded."""
    return [part for message in messages for part in index_passages(message, prefix=True)]


class MessageVectors(PassageIndex):
    """A passage index that gives the vectors out again, by message."""

    def __init__(self, services: Services) -> None:
        super().__init__(IndexSettings(embed=True), services)

    def means(self) -> Vectors:
        """The mean of every message's passage vectors, of length 1."""
        return self._once("means", lambda: _unit(self._sums()))  # type: ignore[no-any-return]

    def _sums(self) -> Any:
        import numpy as np

        vectors = self._matrix_of_vectors()
        return np.add.reduceat(vectors, self._first, axis=0) if self._first else vectors


class SimilarityScorer:
    """Vectors of one namespace; they are computed when messages are observed."""

    def __init__(
        self, services: Services, to: To = "query", last: int = 4, mmr: float = 0.0, neighbours: int = 0
    ) -> None:
        self._to, self._last, self._mmr, self._neighbours = to, last, mmr, neighbours
        self._index = MessageVectors(services)

    def add(self, history: History, first: int) -> None:
        self._index.add(history, first)

    def order(self, choice: Choice, query: Query) -> Iterator[int]:
        if not choice.units:
            return
        closeness = self._closeness(choice, query)
        if self._mmr:
            yield from self._diverse(closeness, choice)
            return
        for hit in best_first(closeness):
            yield from around(hit, self._neighbours, len(closeness) - 1)

    def _closeness(self, choice: Choice, query: Query) -> FloatArray:
        """By unit, what its closest message has."""
        import numpy as np

        if self._to == "query" and query.text.strip():
            vector = self._index.query_vector(query)
        else:
            vector = _unit(self._index.means()[-self._last :].sum(axis=0))
        found: FloatArray = np.maximum.reduceat(self._index.dense(vector), [unit.start for unit in choice.units])
        return found

    def _diverse(self, closeness: FloatArray, choice: Choice) -> Iterator[int]:
        """Greedy, against what is kept: one product of all vectors with one vector for every unit taken."""
        import numpy as np

        vectors = _unit(np.add.reduceat(self._index.means(), [unit.start for unit in choice.units], axis=0))
        size = len(closeness)
        kept = [index for index in range(size) if index in choice]
        nearest = (vectors @ vectors[kept].T).max(axis=1) if kept else np.full(size, -np.inf)
        value = (1 - self._mmr) * closeness
        for _ in range(size):
            redundancy = np.where(np.isinf(nearest), 0.0, nearest)
            best = size - 1 - int((value - self._mmr * redundancy)[::-1].argmax())  # of equal ones the newer
            value[best] = -np.inf
            for index in around(best, self._neighbours, size - 1):
                known = index in choice
                yield index
                if not known and index in choice:
                    nearest = np.maximum(nearest, vectors @ vectors[index])


def _unit(rows: Any) -> Vectors:
    """Rows (or one vector) brought to length 1; nothing but zeros stays so."""
    import numpy as np

    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Vectors = (rows / np.maximum(norms, 1e-9)).astype(np.float32)
    return scaled
