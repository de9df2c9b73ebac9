from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mnemo_lab.embeddings import CachedEmbedder, fingerprint_of, open_embedder
from mnemo_lab.embeddings.base import TextKind
from mnemo_lab.embeddings.hashing import HashingEmbedder
from mnemo_lab.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors


class Watched(HashingEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self, english_only: bool = False) -> None:
        self.asked: list[tuple[str, str]] = []
        self.english_only = english_only

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        self.asked += [(kind, text) for text in texts]
        return super().encode(texts, kind)


def test_nothing_is_embedded_twice(tmp_path: Path) -> None:
    inner = Watched()
    cached = CachedEmbedder(inner, str(tmp_path))
    first = cached.encode(["a", "b", "a", "\ud800"])
    again = cached.encode(["b", "\ud800", "c"])
    assert inner.asked == [("passage", t) for t in ("a", "b", "\ud800", "c")]
    assert cached.computed == 4
    assert np.array_equal(first[[1, 3]], again[:2]) and np.array_equal(first[0], first[2])
    assert np.array_equal(first, HashingEmbedder().encode(["a", "b", "a", "\ud800"]))


def test_kinds_are_kept_apart(tmp_path: Path) -> None:
    inner = Watched()
    cached = CachedEmbedder(inner, str(tmp_path))
    cached.encode(["a"], "query")
    cached.encode(["a"], "passage")
    cached.encode(["a"], "query")
    assert inner.asked == [("query", "a"), ("passage", "a")]


def test_the_disk_remembers_for_the_next(tmp_path: Path) -> None:
    before = CachedEmbedder(Watched(), str(tmp_path)).encode(["今天", "word"])
    inner = Watched()
    after = CachedEmbedder(inner, str(tmp_path)).encode(["word", "今天"])
    assert inner.asked == []
    assert np.array_equal(before, after[::-1])


def test_another_process_finds_them(tmp_path: Path) -> None:
    code = "import sys; from mnemo_lab.embeddings import open_embedder as o; o('hashing', sys.argv[1]).encode(['x y'])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    inner = Watched()
    assert CachedEmbedder(inner, str(tmp_path)).encode(["x y"]).shape == (1, 256)
    assert inner.asked == []


def test_memory_only_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path))
    cached = open_embedder("hashing", cache_dir="")
    cached.encode(["a"])
    assert list(tmp_path.iterdir()) == []
    open_embedder("hashing").encode(["a"])
    assert [p.name for p in (tmp_path / "embeddings").iterdir()] == [cached.fingerprint]


def test_no_texts_give_no_rows() -> None:
    assert CachedEmbedder(Watched(), "").encode([]).shape == (0, 256)


def test_english_only_refuses_chinese_and_warns_of_mixtures() -> None:
    cached = CachedEmbedder(Watched(english_only=True), "")
    with pytest.raises(
        InvalidInput, match=r"reads English only and 100% of this text is Chinese.*'multilingual-e5-small'"
    ):
        cached.encode(["今天讨论了部署方案"])
    with pytest.warns(UserWarning, match="reads English only and 20% of this text is Chinese"):
        cached.encode(["one two three four five six seven eight 部署"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cached.encode(["one two three four five six seven eight nine 部"])
        CachedEmbedder(Watched(), "").encode(["今天讨论了部署方案"])


def test_names_with_a_hub_prefix_and_unknown_ones() -> None:
    assert fingerprint_of("x/hashing") == fingerprint_of("hashing") == "hashing-256-v1"
    assert open_embedder("sentence-transformers/hashing", "").name == "hashing"
    with pytest.raises(UnknownName, match=r"unknown embedder 'bert'; known: all-MiniLM-L6-v2"):
        open_embedder("bert")
