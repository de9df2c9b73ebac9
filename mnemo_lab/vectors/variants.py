"""FAISS variants in one table: how each is built, what it can do, and which one a count of vectors calls for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any, Final

from mnemo_lab.errors import UnknownName

BLAS_THRESHOLD: Final = 2_000
"""Queries times dimensions from which on a batch goes through one matrix product: 6 queries of 384 dimensions.

The wheel's own 128,000 is 8 times slower for 64 queries; below 384 it would be 5 times slower for one. Older wheels
count queries alone, and their own 20 is right.
"""
AUTO: Final = "auto"
LINKS, EF_SEARCH, PROBES, PQ_BYTES = 32, 128, 32, 96
TRAINING_PER_LIST: Final = 64
"""Vectors a list of an inverted file is trained on; FAISS warns below 39 and takes at most 256."""


def open_faiss(threads: int = 1) -> Any:
    """The faiss module, set to so many threads and to matrix products for batches."""
    import os

    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import faiss

    faiss.omp_set_num_threads(threads)
    if faiss.cvar.distance_compute_blas_threshold > BLAS_THRESHOLD:
        faiss.cvar.distance_compute_blas_threshold = BLAS_THRESHOLD
    return faiss


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to lay out vectors.

    ``build(faiss, dimension, count)`` gives an empty index with ids; ``options(faiss, k, **selector)`` what a search
    takes. Below ``least`` vectors the variant is held flat: there is nothing to gain, or too little to train on.
    ``removes``: FAISS can take vectors out of it. ``trains``: its layout is fitted to the vectors, and fitted again
    as they grow. ``widen``: it compresses, so that this many times ``k`` are fetched and scored again exactly.
    """

    build: Callable[[Any, int, int], Any]
    options: Callable[..., Any]
    least: int = 0
    removes: bool = True
    trains: bool = False
    widen: int = 1


def lists_for(count: int) -> int:
    """Lists of an inverted file: the square root of the count, so that lists and members of one balance."""
    return max(isqrt(count), 1)


def _flat(faiss: Any, dimension: int, count: int) -> Any:
    return faiss.IndexIDMap2(faiss.IndexFlatIP(dimension))


def _hnsw(faiss: Any, dimension: int, count: int) -> Any:
    return faiss.IndexIDMap2(faiss.IndexHNSWFlat(dimension, LINKS, faiss.METRIC_INNER_PRODUCT))


def _sq8(faiss: Any, dimension: int, count: int) -> Any:
    kind = faiss.ScalarQuantizer.QT_8bit
    return faiss.IndexIDMap2(faiss.IndexScalarQuantizer(dimension, kind, faiss.METRIC_INNER_PRODUCT))


def _inverted(make: Callable[[Any, Any, int, int], Any]) -> Callable[[Any, int, int], Any]:
    def build(faiss: Any, dimension: int, count: int) -> Any:
        return make(faiss, faiss.IndexFlatIP(dimension), dimension, lists_for(count))

    return build


def _ivf(faiss: Any, coarse: Any, dimension: int, lists: int) -> Any:
    return faiss.IndexIVFFlat(coarse, dimension, lists, faiss.METRIC_INNER_PRODUCT)


def _ivfsq8(faiss: Any, coarse: Any, dimension: int, lists: int) -> Any:
    kind = faiss.ScalarQuantizer.QT_8bit
    return faiss.IndexIVFScalarQuantizer(coarse, dimension, lists, kind, faiss.METRIC_INNER_PRODUCT)


def _ivfpq(faiss: Any, coarse: Any, dimension: int, lists: int) -> Any:
    parts = next(parts for parts in range(PQ_BYTES, 0, -1) if dimension % parts == 0)
    return faiss.IndexIVFPQ(coarse, dimension, lists, parts, 8, faiss.METRIC_INNER_PRODUCT)


def _plain(faiss: Any, k: int, **selector: Any) -> Any:
    return faiss.SearchParameters(**selector)


def _beam(faiss: Any, k: int, **selector: Any) -> Any:
    return faiss.SearchParametersHNSW(efSearch=max(EF_SEARCH, 2 * k), **selector)


def _probes(faiss: Any, k: int, **selector: Any) -> Any:
    return faiss.SearchParametersIVF(nprobe=PROBES, **selector)


VARIANTS: Final = {
    "flat": Variant(_flat, _plain),
    "hnsw": Variant(_hnsw, _beam, least=1_000, removes=False),
    "ivf": Variant(_inverted(_ivf), _probes, least=2_000, trains=True),
    "sq8": Variant(_sq8, _plain, least=1_000, trains=True, widen=2),
    "ivfsq8": Variant(_inverted(_ivfsq8), _probes, least=2_000, trains=True, widen=2),
    "ivfpq": Variant(_inverted(_ivfpq), _probes, least=10_000, trains=True, widen=10),
}
"""Name → variant. ``flat`` is exact; the others are measured by ``evals/speed/faiss_variants``."""
AUTO_FROM: Final = (("flat", 0), ("ivfsq8", 50_000))


def check_variant(name: str) -> str:
    """The name itself; raises ``UnknownName`` for one that is neither in the table nor ``auto``."""
    if name != AUTO and name not in VARIANTS:
        raise UnknownName("FAISS variant", name, (*VARIANTS, AUTO))
    return name


def layout(name: str, count: int) -> str:
    """The variant that ``count`` vectors are laid out as.

    ``auto`` is flat below 50,000 vectors, where an exact query takes 5 ms, and lists of bytes from there on: at
    100,000 some 12 times quicker, a quarter of the size, 0.986 of recall@10, built in 2 s, and vectors can be
    removed for real (384 dimensions on one core, ``reports/faiss.md``).
    """
    if name == AUTO:
        name = next(kind for kind, least in reversed(AUTO_FROM) if count >= least)
    return name if count >= VARIANTS[name].least else "flat"
