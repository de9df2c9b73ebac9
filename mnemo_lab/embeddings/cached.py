"""An embedder that never embeds a text twice: memory first, then memory-mapped arrays on disk."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.embeddings.base import Embedder, TextKind, check_language
from mnemo_lab.embeddings.vector_store import VectorStore
from mnemo_lab.paths import cache_root

if TYPE_CHECKING:
    import numpy as np

    from mnemo_lab.embeddings.base import Vectors


NEVER: Final = -1.0
"""No cosine lies below: embedders that do not say which one is unrelated."""
REMEMBERED: Final = 4096
"""Texts whose token vectors are kept in memory, in half precision; they are never written."""


class CachedEmbedder:
    """Keys are the hash of kind and text, under a folder named after model and weights."""

    def __init__(self, inner: Embedder, cache: str | None = None) -> None:
        self.inner = inner
        self.name, self.dimension, self.fingerprint = inner.name, inner.dimension, inner.fingerprint
        self.max_tokens, self.english_only = inner.max_tokens, inner.english_only
        self.unrelated: float = getattr(inner, "unrelated", NEVER)
        self.computed = 0
        self._token_vectors: dict[bytes, np.ndarray] = {}
        self._known: dict[bytes, np.ndarray] = {}
        root = cache_root() / "embeddings" if cache is None else Path(cache)
        self._store = None if cache == "" else VectorStore(root / inner.fingerprint, inner.dimension)

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        import numpy as np

        keys = [_key(text, kind) for text in texts]
        self._recall(keys)
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if fresh:
            check_language(self.inner, list(fresh.values()))
            self._compute(fresh, kind)
        rows = [self._known[key] for key in keys]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """By text, unit-norm rows of its tokens; only where the embedder inside gives them."""
        import numpy as np

        known, keys = self._token_vectors, [_key(text, "passage") for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if fresh:
            check_language(self.inner, list(fresh.values()))
            made: Any = self.inner
            for key, rows in zip(fresh, made.tokens(list(fresh.values())), strict=True):
                known[key] = rows.astype(np.float16)
        found = [known[key].astype(np.float32) for key in keys]
        for key in list(known)[: max(len(known) - REMEMBERED, 0)]:
            del known[key]
        return found

    def _recall(self, keys: list[bytes]) -> None:
        wanted = [key for key in dict.fromkeys(keys) if key not in self._known]
        if wanted and self._store is not None:
            self._known.update(self._store.get(wanted))

    def _compute(self, fresh: dict[bytes, str], kind: TextKind) -> None:
        vectors = self.inner.encode(list(fresh.values()), kind)
        self.computed += len(fresh)
        self._known.update(zip(fresh, vectors, strict=True))
        if self._store is not None:
            self._store.put(list(fresh), vectors)


def _key(text: str, kind: TextKind) -> bytes:
    return blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
