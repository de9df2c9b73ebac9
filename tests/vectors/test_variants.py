"""FAISS variants: the contract of an index over all of them, against a numpy product."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.embeddings.hashing import HashingEmbedder
from mnemo_lab.errors import UnknownName
from mnemo_lab.retrieval.dense import DenseRetriever
from mnemo_lab.vectors import index as vector_index
from mnemo_lab.vectors.index import DEAD_SHARE, GROWTH, VectorIndex
from mnemo_lab.vectors.variants import AUTO_FROM, VARIANTS, layout

DIMENSION = 32
NAMES = [*VARIANTS, "auto"]
FITTED = [name for name in VARIANTS if VARIANTS[name].trains]
ENOUGH = {name: 10_200 if name == "ivfpq" else 3_000 for name in NAMES}
"""Every variant but ``auto`` is laid out as itself with so many vectors."""


def clustered(count: int, seed: int = 0) -> Any:
    """Vectors around 60 centres, as topics of conversations are."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(60, DIMENSION))
    rows = centres[rng.integers(0, 60, count)] + 0.7 * rng.normal(size=(count, DIMENSION))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class Kept:
    """Vectors by id outside the index, as a retriever or a store keeps them."""

    def __init__(self) -> None:
        self.rows: dict[int, Any] = {}

    def __call__(self, ids: Sequence[int]) -> Any:
        return np.stack([self.rows[key] for key in ids])


def filled(name: str, count: int, seed: int = 0) -> tuple[VectorIndex, Kept]:
    """An index under ids 10, 13, 16, …"""
    kept = Kept()
    index = VectorIndex(name, DIMENSION, kept)
    add(index, kept, range(10, 10 + 3 * count, 3), clustered(count, seed))
    return index, kept


def add(index: VectorIndex, kept: Kept, ids: Sequence[int], vectors: Any) -> None:
    kept.rows |= dict(zip(ids, vectors, strict=True))
    index.add(ids, vectors)


def truth(kept: Kept, live: Sequence[int], query: Any, k: int) -> tuple[list[int], Any]:
    scores = kept(live).astype(np.float64) @ query.astype(np.float64)
    order = np.argsort(-scores, kind="stable")[:k]
    return [live[i] for i in order], scores[order]


def recall(index: VectorIndex, kept: Kept, live: Sequence[int], allowed: Sequence[int] | None = None) -> float:
    queries, among = clustered(40, seed=5), live if allowed is None else allowed
    shares = []
    for hits, query in zip(index.search(queries, 10, allowed), queries, strict=True):
        best = set(truth(kept, among, query, 10)[0])
        shares.append(len(best & set(hits.ids.tolist())) / len(best))
    return float(np.mean(shares))


@pytest.fixture(scope="module", params=NAMES)
def large(request: pytest.FixtureRequest) -> tuple[VectorIndex, Kept]:
    return filled(request.param, ENOUGH[request.param])


def test_each_is_laid_out_as_itself(large: tuple[VectorIndex, Kept]) -> None:
    index, kept = large
    assert index.kind == ("flat" if index.variant == "auto" else index.variant)
    assert len(index) == len(kept.rows)


def test_a_vector_finds_itself_and_scores_are_exact(large: tuple[VectorIndex, Kept]) -> None:
    """Law 12, and the scores of every variant are cosines, not what its compression makes of them."""
    index, kept = large
    ids = list(kept.rows)[::400]
    for key, hits in zip(ids, index.search(kept(ids), 5), strict=True):
        assert hits.ids[0] == key
        assert hits.scores[0] == pytest.approx(1.0, abs=1e-5)
        expected = kept(hits.ids.tolist()).astype(np.float64) @ kept([key])[0].astype(np.float64)
        assert hits.scores == pytest.approx(expected, abs=1e-5)
        assert sorted(hits.scores, reverse=True) == hits.scores.tolist()


def test_recall_against_a_product(large: tuple[VectorIndex, Kept]) -> None:
    index, kept = large
    assert recall(index, kept, list(kept.rows)) >= (1.0 if index.kind == "flat" else 0.93)


@pytest.mark.parametrize("share", [0.001, 0.4, 0.95])
def test_allowed_narrows_and_still_finds(
    large: tuple[VectorIndex, Kept], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few are compared one by one, many are searched for with a filter."""
    monkeypatch.setattr(vector_index, "EXACT_UP_TO", 1_000)
    index, kept = large
    live = list(kept.rows)
    chosen = np.random.default_rng(1).permutation(live)[: int(share * len(live))].tolist()
    exact = len(chosen) <= 1_000
    assert recall(index, kept, live, chosen) >= (1.0 if exact else 0.93)
    for hits in index.search(clustered(5), 10, [*chosen, 10**9]):
        assert set(hits.ids.tolist()) <= set(chosen) and len(hits.ids) == min(10, len(chosen))


@pytest.mark.parametrize("k", [0, 1, 1_201, 3_000, 100_000])
def test_any_k_is_met(large: tuple[VectorIndex, Kept], k: int) -> None:
    """A search for many is exact in every variant."""
    index, kept = large
    queries = clustered(2, seed=3)
    for query, hits in zip(queries, index.search(queries, k), strict=True):
        assert len(set(hits.ids.tolist())) == len(hits.ids) == min(k, len(index))
        if k > 1:
            expected = truth(kept, list(kept.rows), query, k)[1]
            assert hits.scores == pytest.approx(expected, abs=1e-5)
    assert index.search(queries[:0], k) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_removed_is_never_found_again(name: str) -> None:
    """Removed little by little, past the share at which a graph is built anew; its own vector is the query."""
    index, kept = filled(name, ENOUGH[name])
    live = list(kept.rows)
    gone = np.random.default_rng(2).permutation(live)[: int(len(live) * DEAD_SHARE * 1.5)].tolist()
    step = len(gone) // 8 + 1
    for start in range(0, len(gone), step):
        part = gone[start : start + step]
        index.remove([*part, 10**9])
        found = {key for hits in index.search(kept(part[::7]), 30) for key in hits.ids.tolist()}
        assert found.isdisjoint(gone[: start + step])
        assert all(len(hits.ids) == 30 for hits in index.search(kept(part[:3]), 30))
    assert index.ids == set(live) - set(gone) and len(index) == len(index.ids)
    assert index.search(kept(gone[:1]), 5, gone)[0].ids.tolist() == []
    assert set(index.search(kept(gone[:1]), 10**6)[0].ids.tolist()) == index.ids
    assert recall(index, kept, sorted(index.ids)) >= 0.93


@pytest.mark.parametrize("name", NAMES)
def test_an_id_that_comes_back_means_the_new_vector(name: str) -> None:
    index, kept = filled(name, ENOUGH[name])
    old, new = kept([10])[0], clustered(1, seed=77)
    index.remove([10, 13])
    add(index, kept, [10], new)
    (hits,) = index.search(new, 1)
    assert hits.ids.tolist() == [10] and hits.scores[0] == pytest.approx(1.0, abs=1e-5)
    scores = dict(zip(*(column.tolist() for column in index.search(old[None], 50)[0]), strict=True))
    assert 13 not in scores
    assert scores.get(10, 0.0) < 0.999


@pytest.mark.parametrize("name", NAMES)
def test_rebuilding_leaves_nothing_of_what_was_removed(name: str) -> None:
    index, _ = filled(name, 3_000)
    index.remove(range(10, 910, 3))
    index.rebuild()
    assert not index.dead and len(index) == 2_700
    assert index._index.ntotal == 2_700  # what would be written to disk


@pytest.mark.parametrize("name", FITTED)
def test_a_fitted_layout_is_fitted_again_as_it_grows(name: str) -> None:
    least = VARIANTS[name].least
    index, kept = filled(name, least - 1)
    assert index.kind == "flat"
    add(index, kept, [1], clustered(1, seed=8))
    assert (index.kind, index.built_for) == (name, least)
    if least > 2_000:
        return
    add(index, kept, range(10**6, 10**6 + (GROWTH - 1) * least - 1), clustered((GROWTH - 1) * least - 1, seed=9))
    assert index.built_for == least
    add(index, kept, [2], clustered(1, seed=10))
    assert index.built_for == GROWTH * least
    assert recall(index, kept, list(kept.rows)) >= 0.93


def test_auto_goes_by_count() -> None:
    assert [layout("auto", count) for _, count in AUTO_FROM] == [kind for kind, _ in AUTO_FROM]
    assert [layout("auto", count - 1) for _, count in AUTO_FROM[1:]] == [kind for kind, _ in AUTO_FROM[:-1]]
    assert all(VARIANTS[kind].removes for kind, _ in AUTO_FROM), "automatic choice never gives up real removal"
    assert all(layout(name, 10) == "flat" for name in ("flat", *FITTED, "hnsw", "auto"))


def test_an_unknown_variant_is_named() -> None:
    with pytest.raises(UnknownName, match=r"unknown FAISS variant 'hsnw'.*Did you mean 'hnsw'"):
        DenseRetriever(HashingEmbedder(), variant="hsnw")


@pytest.mark.parametrize("name", NAMES)
def test_written_and_read_it_is_the_same(name: str, tmp_path: Path) -> None:
    index, kept = filled(name, 2_500, seed=4)
    index.remove([10, 13, 16])
    path = tmp_path / "index"
    index.write(path)
    again = VectorIndex(name, DIMENSION, kept)
    again.read(path, index.kind, index.built_for, index.ids)
    for ours, theirs in zip(index.search(clustered(20), 10), again.search(clustered(20), 10), strict=True):
        assert ours.ids.tolist() == theirs.ids.tolist() and ours.scores.tolist() == theirs.scores.tolist()
    with pytest.raises(ValueError, match="vectors of"):
        again.read(path, index.kind, index.built_for, [1, 2])
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match="no FAISS index"):
        again.read(path, index.kind, index.built_for, index.ids)


@settings(max_examples=15, deadline=None)
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=12))
@pytest.mark.parametrize("name", ["hnsw", "ivf", "sq8"])
def test_any_history_of_changes_finds_what_is_there(name: str, steps: list[tuple[bool, int]]) -> None:
    """Blocks of 100 vectors come and go around the sizes at which the layout changes."""
    index, kept = filled(name, 1_900)
    vectors, live = clustered(4_100, seed=6), set(kept.rows)
    for comes, block in steps:
        ids = range(10**6 + 100 * block, 10**6 + 100 * block + 100)
        if comes and ids[0] not in live:
            add(index, kept, ids, vectors[100 * block : 100 * block + 100])
            live.update(ids)
        elif not comes:
            index.remove(ids)
            live.difference_update(ids)
        index.search(vectors[:2], 3)
    assert index.ids == live
    probe = sorted(live)[:: max(len(live) // 20, 1)]
    assert [hits.ids[0] for hits in index.search(kept(probe), 3)] == probe
    (hits,) = index.search(kept(probe[:1]), 10**6)
    assert set(hits.ids.tolist()) == live


def test_a_retriever_takes_a_variant() -> None:
    texts = [f"note {number} on topic {number % 97} and {number % 89}" for number in range(1_500)]
    plain, graph = DenseRetriever(HashingEmbedder()), DenseRetriever(HashingEmbedder(), variant="hnsw")
    for retriever in (plain, graph):
        retriever.add(range(1_500), texts)
        retriever.remove([3, 4])
    (exact,), (close,) = (
        plain.search(["note 77 on topic 77 and 77"], 5),
        graph.search(["note 77 on topic 77 and 77"], 5),
    )
    assert close.ids[0] == exact.ids[0] == 77
    assert graph.score("topic 5", [5, 900]) == pytest.approx(plain.score("topic 5", [5, 900]))
    with pytest.raises(KeyError):
        graph.score("note", [3])
