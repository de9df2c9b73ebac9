"""The index retrieving strategies share: passages of messages with term counts, vectors and neighbours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mnemo_lab.context import Query
from mnemo_lab.conversation import Message
from mnemo_lab.history import History
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts, neighbour_weights
from mnemo_lab.retrieval.dense import DenseRetriever
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray
    from mnemo_lab.embeddings.base import Vectors


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What an index holds. ``reach`` and ``decay`` smooth over neighbouring passages of one session."""

    prefix: bool = True
    k1: float = 0.9
    b: float = 0.4
    reach: int = 0
    decay: float = 0.5
    window: int = 0
    embed: bool = False


class PassageIndex:
    """Scores every observed message; a message scores as its best passage does.

    Views over neighbours and document frequencies are taken over what is observed when a query comes, so that
    nothing later leaks in.
    """

    def __init__(self, settings: IndexSettings, services: Services) -> None:
        self._settings, self._services = settings, services
        self.embeds = settings.embed
        self._counts = TermCounts(services.memo("words"))
        self._owner: list[int] = []
        self._first: list[int] = []
        self._session: list[int] = []
        self._dense = DenseRetriever(services.embedder, services.spec.threads) if settings.embed else None
        self._vectors: list[Vectors] = []
        self._built: dict[str, tuple[int, Any]] = {}

    def add(self, history: History, first: int) -> None:
        texts: list[str] = []
        for position in range(first, len(history)):
            parts = index_passages(history.messages[position], self._settings.prefix)
            self._first.append(len(self._owner))
            self._owner += [position] * len(parts)
            self._session += [history.session_of[position]] * len(parts)
            texts += parts
        self._counts.add(texts)
        if self._dense is not None and texts:
            vectors = self._services.embedder.encode(texts)
            self._dense.add_vectors(range(len(self._owner) - len(texts), len(self._owner)), vectors)
            self._vectors.append(vectors)
            self._services.ledger.add("embedder", sum(self._services.count(text) for text in texts))

    def keyword(self, query: Query, smoothed: bool = False) -> FloatArray:
        """BM25 by message; ``smoothed`` counts neighbours' words too, decayed."""
        matrix: BM25Matrix = self._once("smoothed" if smoothed else "plain", lambda: self._matrix(smoothed))
        return self._best_passage(matrix.scores(self._counts.query_terms(query.text)))

    def dense(self, vector: Vectors) -> FloatArray:
        """Cosine by message with a query's vector."""
        import numpy as np

        assert self._dense is not None
        column = np.empty(len(self._owner))
        (hits,) = self._dense.search_vectors(vector[None, :], len(self._owner))
        column[hits.ids] = hits.scores
        return self._best_passage(column)

    def window(self, vector: Vectors) -> FloatArray:
        """Cosine by message with the mean of its neighbours' vectors, ``window`` on each side, same session."""
        return self._best_passage(self._once("window", self._windows) @ vector)

    def query_vector(self, query: Query) -> Vectors:
        """The embedded question; metered, so ask for it once per recall."""
        self._services.ledger.add("embedder", self._services.count(query.text))
        vector: Vectors = self._services.embedder.encode([query.text], "query")[0]
        return vector

    def _matrix(self, smoothed: bool) -> BM25Matrix:
        s = self._settings
        weights = neighbour_weights(self._session, s.reach, s.decay) if smoothed and s.reach else None
        return BM25Matrix(self._counts.matrix(), s.k1, s.b, weights)

    def _matrix_of_vectors(self) -> Vectors:
        import numpy as np

        def stack() -> Vectors:
            if not self._vectors:
                return np.zeros((0, self._services.embedder.dimension), dtype=np.float32)
            return np.concatenate(self._vectors)

        vectors: Vectors = self._once("vectors", stack)
        return vectors

    def _windows(self) -> Vectors:
        import numpy as np

        rows = neighbour_weights(self._session, self._settings.window, 1.0) @ self._matrix_of_vectors()
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Vectors = (rows / np.maximum(norms, 1e-9)).astype(np.float32)
        return unit

    def _once(self, name: str, make: Any) -> Any:
        """Build a view once for what is observed now."""
        if self._built.get(name, (-1,))[0] != len(self._owner):
            self._built[name] = (len(self._owner), make())
        return self._built[name][1]

    def _best_passage(self, scores: FloatArray | Vectors) -> FloatArray:
        import numpy as np

        column = np.asarray(scores, dtype=np.float64)
        if len(self._first) == len(column):
            return column
        best: FloatArray = np.maximum.reduceat(column, self._first)
        return best


def session_best(scores: FloatArray, sessions: list[int]) -> FloatArray:
    """Every message gets the best score of its session (sessions are numbered without gaps, in order)."""
    import numpy as np

    where = np.asarray(sessions)
    if not len(where):
        return scores
    best = np.full(int(where[-1]) + 1, -np.inf)
    np.maximum.at(best, where, scores)
    spread: FloatArray = best[where]
    return spread


def named_speaker(query: Query, history: History) -> FloatArray:
    """1 for messages of the one speaker the question names; all 0 where it names none or several.

    A role ("which user …") is not a name: only messages that carry a name have a speaker here.
    """
    import numpy as np

    speakers = [speaker_of(message) if message.name else "" for message in history.messages]
    named = [name for name in sorted(set(speakers)) if name and names_speaker(query.text, name)]
    if len(named) != 1:
        return np.zeros(len(speakers))
    return np.array([float(speaker == named[0]) for speaker in speakers])


def names_speaker(text: str, name: str) -> bool:
    """Whether a text names somebody, as a whole word in scripts that have them."""
    edge = r"(?<!\w){}(?!\w)" if name.isascii() else "{}"
    return re.search(edge.format(re.escape(name)), text, re.IGNORECASE) is not None


def is_question(message: Message) -> bool:
    """Whether the message ends in a question mark, an image caption aside."""
    return re.sub(r"\s*\[image:[^\]]*\]$", "", message.text).rstrip().endswith(("?", "？"))


def after_question(history: History) -> FloatArray:
    """1 for messages right after another speaker's question in the same session: answers follow questions."""
    import numpy as np

    flags = np.zeros(len(history))
    for here in range(1, len(history)):
        before = history.messages[here - 1]
        same_session = history.session_of[here] == history.session_of[here - 1]
        other = speaker_of(before) != speaker_of(history.messages[here])
        flags[here] = float(same_session and other and is_question(before))
    return flags
