"""``KeywordRetriever``: BM25 over words in any script, behind the retriever protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts
from mnemo_lab.vectors.base import Hits, refuse_taken

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray


class KeywordRetriever:
    """Texts by id; the matrix is rebuilt at the first search after a change."""

    def __init__(self, k1: float = 0.9, b: float = 0.4) -> None:
        self._k1, self._b = k1, b
        self._texts: dict[int, str] = {}
        self._ids: list[int] = []
        self._built: tuple[TermCounts, BM25Matrix] | None = None

    def add(self, ids: Sequence[int], texts: Sequence[str]) -> None:
        fresh = dict(zip(ids, texts, strict=True))
        refuse_taken(ids, self._texts)
        self._texts |= fresh
        self._built = None

    def remove(self, ids: Sequence[int]) -> None:
        for key in ids:
            self._texts.pop(key, None)
        self._built = None

    def search(self, queries: Sequence[str], k: int, allowed: Sequence[int] | None = None) -> list[Hits]:
        import numpy as np

        self._build()
        ids = np.asarray(self._ids, dtype=np.int64)
        mask = np.ones(len(ids), dtype=bool) if allowed is None else np.isin(ids, np.asarray(allowed, dtype=np.int64))
        found = []
        for query in queries:
            scores = self._scores(query)[mask]
            best = np.argsort(-scores, kind="stable")[:k]
            found.append(Hits(ids[mask][best], scores[best]))
        return found

    def score(self, query: str, ids: Sequence[int]) -> FloatArray:
        import numpy as np

        self._build()
        row_of = {key: row for row, key in enumerate(self._ids)}
        return self._scores(query)[np.array([row_of[key] for key in ids], dtype=np.int64)]

    def _scores(self, query: str) -> FloatArray:
        assert self._built is not None
        counts, matrix = self._built
        return matrix.scores(counts.query_terms(query))

    def _build(self) -> None:
        if self._built is None:
            counts = TermCounts()
            counts.add(self._texts.values())
            self._ids = list(self._texts)
            self._built = counts, BM25Matrix(counts.matrix(), self._k1, self._b)
