from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.embeddings.hashing import HashingEmbedder

EMBEDDER = HashingEmbedder()


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=30), max_size=5))
def test_rows_are_unit_norm_float32_whatever_the_batch(texts: list[str]) -> None:
    rows = EMBEDDER.encode(texts)
    assert (rows.shape, rows.dtype) == ((len(texts), 256), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    for row, text in zip(rows, texts, strict=True):
        assert np.array_equal(row, EMBEDDER.encode([text])[0])


def test_deterministic_across_processes() -> None:
    code = "from mnemo_lab.embeddings.hashing import HashingEmbedder as H; print(H().encode(['部署']).tobytes().hex())"
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    assert said == EMBEDDER.encode(["部署"]).tobytes().hex()


def test_shared_words_make_texts_close() -> None:
    a, b, c = EMBEDDER.encode(["the staging port is 5433", "which port is staging", "我们的发布会"])
    assert a @ b > 0.5 > abs(a @ c)
