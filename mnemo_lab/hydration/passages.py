"""Passages of messages with their words and vectors, grown message by message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.context import Query
from mnemo_lab.history import History
from mnemo_lab.hydration.grown import Grown
from mnemo_lab.hydration.postings import Postings
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray
    from mnemo_lab.embeddings.base import Vectors

TINY: Final = 1e-9


class Passages:
    """Scores of messages: a message scores as its best passage does. ``at`` narrows a score to some positions.

    Adding costs what the added messages cost, whatever is there already; nothing is built anew before a question.
    """

    def __init__(self, services: Services, reach: int) -> None:
        self._services = services
        self.words = Postings(services.memo("words"), reach=reach)
        self._vectors = Grown("float32", services.embedder.dimension)
        self._first = Grown("int64")
        self._sessions = Grown("int64")
        self._starts: list[int] = []
        self._texts: list[list[str]] = []
        self._beside = Grown("float64")
        """Cosine of every message with the one before it, NaN across sessions."""

    def __len__(self) -> int:
        return len(self._first)

    def add(self, history: History, first: int) -> None:
        texts = self._texts
        for position in range(first, len(history)):
            texts.append(index_passages(history.messages[position], True))
            for text in texts[-1]:
                self.words.add(self.words.terms(text), history.session_of[position])
        flat = [text for parts in texts[first:] for text in parts]
        start = len(self._vectors)
        if flat:
            self._services.ledger.add("embedder", sum(self._services.count(text) for text in flat))
            self._vectors.extend(self._services.embedder.encode(flat))
        for parts in texts[first:]:
            self._first.append(start)
            start += len(parts)
        for position in range(first, len(history)):
            self._place(position, history.session_of[position])

    def texts(self, start: int, stop: int) -> Iterator[str]:
        """The passages of messages ``start`` to ``stop - 1``."""
        for parts in self._texts[start:stop]:
            yield from parts

    def keyword(self, query: Query, spread: bool = False, at: IntArray | None = None) -> FloatArray:
        """BM25; ``spread``: with the neighbours' words."""
        scores = self._best(self.words.scores(query.text, spread))
        return scores if at is None else scores[at]

    def session(self, query: Query, at: IntArray | None = None) -> FloatArray:
        """The best BM25 score in the message's session."""
        import numpy as np

        scores = self.keyword(query)
        if not len(scores):
            return scores
        best = np.maximum.reduceat(scores, self._starts)
        where = self._sessions.view if at is None else self._sessions.view[at]
        found: FloatArray = best[where - self._sessions.view[0]]
        return found

    def dense(self, vector: Vectors, at: IntArray | None = None) -> FloatArray:
        """Cosine with a question's vector."""
        import numpy as np

        if at is None:
            return self._best(np.asarray(self._vectors.view @ vector, dtype=np.float64))
        if not len(at):
            return np.zeros(0)
        ends = np.append(self._first.view[1:], len(self._vectors))
        sizes = ends[at] - self._first.view[at]
        offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        rows = np.repeat(self._first.view[at] - offsets, sizes) + np.arange(int(sizes.sum()))
        found: FloatArray = np.maximum.reduceat((self._vectors.view[rows] @ vector).astype(np.float64), offsets)
        return found

    def pair(self, dense: FloatArray, before: FloatArray, at: IntArray | None = None) -> FloatArray:
        """Cosine with the sum of a message's vector and the one before it in its session, from the cosines of both;
        with its own vector alone where there is none (NaN)."""
        import numpy as np

        beside = self._beside.view if at is None else self._beside.view[at]
        both = (dense + before) / np.sqrt(np.maximum(2 + 2 * beside, TINY))
        found: FloatArray = np.where(np.isnan(both), dense, both)
        return found

    def vector_of(self, position: int) -> Vectors:
        """The unit mean of a message's passage vectors."""
        import numpy as np

        start = int(self._first.view[position])
        stop = int(self._first.view[position + 1]) if position + 1 < len(self) else len(self._vectors)
        if stop - start == 1:
            only: Vectors = self._vectors.view[start]
            return only
        mean = self._vectors.view[start:stop].mean(axis=0)
        unit: Vectors = mean / max(float(np.linalg.norm(mean)), TINY)
        return unit

    def query_vector(self, query: Query) -> Vectors:
        """The embedded question; metered, so ask for it once per recall."""
        self._services.ledger.add("embedder", self._services.count(query.text))
        vector: Vectors = self._services.embedder.encode([query.text], "query")[0]
        return vector

    def _place(self, here: int, session: int) -> None:
        """Note the session of a message just added, and how close it is to the one before."""
        same = here > 0 and int(self._sessions.view[here - 1]) == session
        if not same:
            self._starts.append(here)
        self._sessions.append(session)
        close = float(self.vector_of(here) @ self.vector_of(here - 1)) if same else float("nan")
        self._beside.append(close)

    def _best(self, scores: Any) -> FloatArray:
        import numpy as np

        if len(self._first) == len(scores):
            found: FloatArray = scores
            return found
        best: FloatArray = np.maximum.reduceat(scores, self._first.view)
        return best
