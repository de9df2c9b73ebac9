"""Exact dense search: our retriever beside a matrix product and a partial sort."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evals.speed.clock import in_turns
from evals.speed.material import RandomEmbedder, threads, unit_vectors
from evals.speed.table import Row, Target, compared
from mnemo_lab.retrieval.dense import DenseRetriever

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

SIZES: Final = (5_000, 50_000)
BATCHES: Final = (64, 1)
K: Final = 10
TARGET: Final = Target(1.3)


def rows() -> Iterator[Row]:
    embedder: Any = RandomEmbedder()
    for size in SIZES:
        vectors = unit_vectors(size)
        retriever = DenseRetriever(embedder, threads())
        retriever.add_vectors(range(size), vectors)
        for batch in BATCHES:
            yield _row(retriever, vectors, unit_vectors(batch, seed=1))


def _row(retriever: DenseRetriever, vectors: Vectors, queries: Vectors) -> Row:
    for hits, ids in zip(retriever.search_vectors(queries, K), product(vectors, queries), strict=True):
        assert set(hits.ids.tolist()) == set(ids.tolist()), "the two searches disagree"
    pair = in_turns(lambda: retriever.search_vectors(queries, K), lambda: product(vectors, queries))
    what = f"top {K} of {len(queries)} quer{'ies' if len(queries) > 1 else 'y'} in {len(vectors):,} vectors"
    return compared(what, pair, "numpy product and argpartition", TARGET if len(queries) > 1 else None)


def product(vectors: Vectors, queries: Vectors) -> np.ndarray:
    """The best ``K`` of each query, in no order."""
    scores = queries @ vectors.T
    best: np.ndarray = np.argpartition(scores, len(vectors) - K, axis=1)[:, -K:]
    return best
