"""``DenseRetriever``: exact flat FAISS over unit vectors, inner product = cosine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.retrieval.base import Hits, refuse_taken

if TYPE_CHECKING:
    import numpy as np

    from mnemo_lab.context import FloatArray
    from mnemo_lab.embeddings.base import Vectors

BLAS_THRESHOLD: Final = 20
"""Batches of queries from this size on go through one matrix product; the wheel's own 128,000 is 8 times slower."""


def open_faiss(threads: int = 1) -> Any:
    """The faiss module, set to one thread and to matrix products for batches."""
    import os

    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import faiss

    faiss.omp_set_num_threads(threads)
    faiss.cvar.distance_compute_blas_threshold = BLAS_THRESHOLD
    return faiss


class DenseRetriever:
    """Vectors under integer ids, for texts or for ready vectors."""

    def __init__(self, embedder: Embedder, threads: int = 1) -> None:
        self._embedder = embedder
        self._faiss = open_faiss(threads)
        self._index = self._faiss.IndexIDMap2(self._faiss.IndexFlatIP(embedder.dimension))
        self._vector_of: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self._vector_of)

    def add(self, ids: Sequence[int], texts: Sequence[str]) -> None:
        self.add_vectors(ids, self._embedder.encode(texts))

    def add_vectors(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Index unit vectors of shape ``(len(ids), dimension)``."""
        import numpy as np

        fresh = dict(zip(ids, vectors, strict=True))
        refuse_taken(ids, self._vector_of)
        if fresh:
            self._index.add_with_ids(np.ascontiguousarray(vectors), np.asarray(ids, dtype=np.int64))
            self._vector_of |= fresh

    def remove(self, ids: Sequence[int]) -> None:
        import numpy as np

        gone = [key for key in ids if self._vector_of.pop(key, None) is not None]
        if gone:
            self._index.remove_ids(np.asarray(gone, dtype=np.int64))

    def search(self, queries: Sequence[str], k: int, allowed: Sequence[int] | None = None) -> list[Hits]:
        return self.search_vectors(self._embedder.encode(queries, "query"), k, allowed)

    def search_vectors(self, queries: Vectors, k: int, allowed: Sequence[int] | None = None) -> list[Hits]:
        """The closest of each row of ``queries``."""
        import numpy as np

        k = min(k, len(self))
        if k <= 0 or not len(queries):
            return [Hits(np.zeros(0, dtype=np.int64), np.zeros(0)) for _ in queries]
        options = {}
        if allowed is not None:
            chosen = self._faiss.IDSelectorBatch(np.asarray(allowed, dtype=np.int64))
            options["params"] = self._faiss.SearchParameters(sel=chosen)
        scores, ids = self._index.search(np.ascontiguousarray(queries, dtype=np.float32), k, **options)
        return [Hits(i[i >= 0], s[i >= 0].astype(np.float64)) for i, s in zip(ids, scores, strict=True)]

    def score(self, query: str, ids: Sequence[int]) -> FloatArray:
        import numpy as np

        vector = self._embedder.encode([query], "query")[0]
        rows = [self._vector_of[key] for key in ids]
        return (np.stack(rows) @ vector).astype(np.float64) if rows else np.zeros(0)
