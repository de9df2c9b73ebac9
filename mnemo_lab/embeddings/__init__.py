"""Embedders: unit-norm float32 vectors, cached on disk by model, weights and text."""

from __future__ import annotations

from functools import cache

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.embeddings.cached import CachedEmbedder

__all__ = ["CachedEmbedder", "Embedder", "fingerprint_of", "open_embedder"]


@cache
def fingerprint_of(name: str) -> str:
    """Model and weights of an embedder by name; its model is not loaded."""
    from mnemo_lab.registry import resolve

    return str(resolve("embedder", name.rsplit("/", 1)[-1])(threads=1).fingerprint)


def open_embedder(name: str, cache_dir: str | None = None, threads: int = 1) -> Embedder:
    """Open an embedder by its usual name (``all-MiniLM-L6-v2``, also with its hub prefix), cached.

    ``cache_dir``: a folder, ``None`` for the user cache, ``""`` to keep vectors in memory only.
    Raises ``UnknownName``.
    """
    from mnemo_lab.registry import resolve

    inner: Embedder = resolve("embedder", name.rsplit("/", 1)[-1])(threads=threads)
    return CachedEmbedder(inner, cache_dir)
