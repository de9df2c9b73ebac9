"""One row for each variant and count; times are taken in turns with flat."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evals.speed.clock import in_turns
from evals.speed.faiss_variants.vectors import Material
from mnemo_lab.vectors.index import VectorIndex
from mnemo_lab.vectors.variants import VARIANTS

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

K: Final = 10
BATCH: Final = 64
SINGLE: Final = 100
"""Queries asked one by one."""


@dataclass(frozen=True)
class Row:
    """Seconds. ``*_ratio``: flat's time divided by this one's, the median of neighbouring samples; above 1 is quicker.

    ``bytes`` are of the index for a vector, without what exact scores are taken from.
    """

    variant: str
    count: int
    recall: float
    build: float
    bytes: float
    single: float
    single_ratio: float
    batch: float
    batch_ratio: float


def measure(material: Material, sizes: Sequence[int], variants: Sequence[str]) -> Iterator[Row]:
    """Flat first at every size; variants that are held flat at a size are left out."""
    for size in sizes:
        vectors = material.of_size(size)
        flat, seconds = build("flat", vectors)
        exact = [set(hits.ids.tolist()) for hits in flat.search(material.queries, K)]
        yield measured(flat, flat, seconds, exact, material.queries)
        for name in variants:
            if name != "flat" and size >= VARIANTS[name].least:
                index, seconds = build(name, vectors)
                yield measured(index, flat, seconds, exact, material.queries)


def build(name: str, vectors: Vectors) -> tuple[VectorIndex, float]:
    """All at once, training included; its vectors are fetched from memory."""
    index = VectorIndex(name, vectors.shape[1], lambda ids: vectors[np.asarray(ids)])
    start = time.perf_counter()
    index.add(range(len(vectors)), vectors)
    return index, time.perf_counter() - start


def measured(index: VectorIndex, flat: VectorIndex, seconds: float, exact: list[set[int]], queries: Vectors) -> Row:
    found = index.search(queries, K)
    recall = float(np.mean([len(true & set(hits.ids.tolist())) / K for true, hits in zip(exact, found, strict=True)]))
    single, single_ratio = one_by_one(index, flat, queries[:SINGLE])
    rows = queries[:BATCH]
    pair = in_turns(lambda: index.search(rows, K), lambda: flat.search(rows, K))
    size = bytes_of(index) / len(index)
    return Row(index.variant, len(index), recall, seconds, size, single, single_ratio, pair.ours, 1 / pair.ratio)


def one_by_one(index: VectorIndex, flat: VectorIndex, queries: Vectors) -> tuple[float, float]:
    """Median seconds of one query, and the median of flat's time over its own, both asked in turn."""
    ours, ratios = [], []
    for query in queries:
        mine, theirs = (_seconds(which, query[None]) for which in (index, flat))
        ours.append(mine)
        ratios.append(theirs / mine)
    return median(ours), median(ratios)


def _seconds(index: VectorIndex, query: Any) -> float:
    start = time.perf_counter()
    index.search(query, K)
    return time.perf_counter() - start


def bytes_of(index: VectorIndex) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        index.write(path)
        return path.stat().st_size
