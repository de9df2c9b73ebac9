"""``DenseRetriever``: FAISS over unit vectors, inner product = cosine; exact unless another variant is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.vectors.base import Hits, refuse_taken
from mnemo_lab.vectors.index import VectorIndex
from mnemo_lab.vectors.variants import BLAS_THRESHOLD, open_faiss

if TYPE_CHECKING:
    import numpy as np

    from mnemo_lab.context import FloatArray
    from mnemo_lab.embeddings.base import Vectors

__all__ = ["BLAS_THRESHOLD", "DenseRetriever", "open_faiss"]


class DenseRetriever:
    """Vectors under integer ids, for texts or for ready vectors.

    ``variant``: a name of ``vectors.variants`` or ``auto``. Only ``flat`` finds the same whatever the order of
    additions, as the laws of strategies want it. Raises ``UnknownName``.
    """

    def __init__(self, embedder: Embedder, threads: int = 1, variant: str = "flat") -> None:
        self._embedder = embedder
        self._vector_of: dict[int, np.ndarray] = {}
        self._index = VectorIndex(variant, embedder.dimension, self._vectors, threads)

    def __len__(self) -> int:
        return len(self._vector_of)

    def add(self, ids: Sequence[int], texts: Sequence[str]) -> None:
        self.add_vectors(ids, self._embedder.encode(texts))

    def add_vectors(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Index unit vectors of shape ``(len(ids), dimension)``."""
        fresh = dict(zip(ids, vectors, strict=True))
        refuse_taken(ids, self._vector_of)
        self._vector_of |= fresh
        self._index.add(ids, vectors)

    def remove(self, ids: Sequence[int]) -> None:
        for key in ids:
            self._vector_of.pop(key, None)
        self._index.remove(ids)

    def search(self, queries: Sequence[str], k: int, allowed: Sequence[int] | None = None) -> list[Hits]:
        return self.search_vectors(self._embedder.encode(queries, "query"), k, allowed)

    def search_vectors(self, queries: Vectors, k: int, allowed: Sequence[int] | None = None) -> list[Hits]:
        """The closest of each row of ``queries``."""
        return self._index.search(queries, k, allowed)

    def score(self, query: str, ids: Sequence[int]) -> FloatArray:
        import numpy as np

        vector = self._embedder.encode([query], "query")[0]
        return np.asarray(self._vectors(ids) @ vector, dtype=np.float64)

    def _vectors(self, ids: Sequence[int]) -> Vectors:
        import numpy as np

        if not len(ids):
            return np.zeros((0, self._embedder.dimension), dtype=np.float32)
        return np.stack([self._vector_of[key] for key in ids])
