"""A tiny deterministic embedder for tests: word hashes with signs, no model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mnemo_lab.embeddings.base import TextKind
from mnemo_lab.text.words import words

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors


class HashingEmbedder:
    """Feature hashing (Weinberger et al. 2009) of search terms into 256 signed buckets."""

    name = "hashing"
    dimension = 256
    fingerprint = "hashing-256-v1"
    max_tokens = 1 << 30
    english_only = False

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text) or [text]:
                digest = hashlib.blake2b(word.encode(errors="replace"), digest_size=4).digest()
                row[digest[0]] += 1.0 if digest[1] & 1 else -1.0
            if not row.any():
                row[0] = 1.0
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """By text, a unit-norm row for every search term."""
        return [self.encode(words(text)) for text in texts]


def open_embedder(threads: int = 1) -> HashingEmbedder:
    return HashingEmbedder()
