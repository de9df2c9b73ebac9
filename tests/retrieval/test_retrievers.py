"""The contract of a retriever, one suite over both, asserting values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.embeddings.hashing import HashingEmbedder
from mnemo_lab.errors import InvalidInput
from mnemo_lab.retrieval.base import Retriever
from mnemo_lab.retrieval.dense import BLAS_THRESHOLD, DenseRetriever, open_faiss
from mnemo_lab.retrieval.keyword import KeywordRetriever
from tests.conversations import office_recording

Make = Callable[[], Retriever]
TEXTS = {
    7: "staging listens on port 5433",
    2: "tea is preferred to coffee",
    900: "发布会改到六月六号",
    41: "预算是七十二万",
}


@pytest.fixture(params=[KeywordRetriever, lambda: DenseRetriever(HashingEmbedder())], ids=["keyword", "dense"])
def make(request: pytest.FixtureRequest) -> Make:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def filled(make: Make) -> Retriever:
    retriever = make()
    retriever.add(list(TEXTS), list(TEXTS.values()))
    return retriever


def best(retriever: Retriever, query: str, k: int = 1, **options: Any) -> list[int]:
    ids: list[int] = retriever.search([query], k, **options)[0].ids.tolist()
    return ids


def test_a_text_finds_itself(filled: Retriever) -> None:
    """Law 12, in both languages, under ids that are neither ordered nor contiguous."""
    for key, text in TEXTS.items():
        assert best(filled, text) == [key]


def test_every_message_of_a_recording_finds_itself(make: Make) -> None:
    texts = [message.text for message in office_recording().messages() if message.text]
    retriever = make()
    retriever.add(range(100, 100 + len(texts)), texts)
    assert [hits.ids[0] for hits in retriever.search(texts, 3)] == list(range(100, 100 + len(texts)))


def test_scores_are_ordered_and_those_of_score(filled: Retriever) -> None:
    for hits in filled.search(["port of staging", "发布会的预算"], 4):
        assert sorted(hits.scores, reverse=True) == hits.scores.tolist()
    for query, hits in zip(["port", "预算"], filled.search(["port", "预算"], 4), strict=True):
        assert filled.score(query, hits.ids.tolist()) == pytest.approx(hits.scores, abs=1e-6)


def test_score_keeps_the_order_asked_for(filled: Retriever) -> None:
    forth, back = filled.score("port", [7, 2, 41]), filled.score("port", [41, 2, 7])
    assert forth.tolist() == back[::-1].tolist()
    assert forth[0] > max(forth[1:])
    assert filled.score("port", []).tolist() == []
    with pytest.raises(KeyError):
        filled.score("port", [7, 8])


@pytest.mark.parametrize("k", [1, 2, 4, 5, 10_000])
def test_k_larger_than_the_index(filled: Retriever, k: int) -> None:
    found = best(filled, "port", k)
    assert len(found) == len(set(found)) == min(k, len(TEXTS))
    assert set(found) <= TEXTS.keys()


def test_k_of_zero(filled: Retriever) -> None:
    assert best(filled, "port", 0) == []


def test_allowed_narrows(filled: Retriever) -> None:
    assert best(filled, "port 5433", 4, allowed=[2, 900]) and set(best(filled, "port 5433", 4, allowed=[2, 900])) == {
        2,
        900,
    }
    assert best(filled, "发布会", 1, allowed=[41, 900, 12345]) == [900]
    assert best(filled, "port", 4, allowed=[]) == []
    assert best(filled, "port", 4, allowed=[12345]) == []
    whole = dict(zip(*(column.tolist() for column in filled.search(["port"], 4)[0]), strict=True))
    narrow = filled.search(["port"], 4, allowed=[2, 7])[0]
    assert narrow.scores == pytest.approx([whole[key] for key in narrow.ids.tolist()], abs=1e-6)


def test_empty_index_and_empty_query(make: Make, filled: Retriever) -> None:
    empty = make()
    assert [len(hits.ids) for hits in empty.search(["port", ""], 5)] == [0, 0]
    assert best(empty, "port", 5, allowed=[1]) == []
    assert empty.score("port", []).tolist() == []
    empty.add([], [])
    empty.remove([3])
    assert filled.search([], 5) == []
    assert set(best(filled, "", 9)) <= TEXTS.keys()
    assert np.isfinite(filled.score("", list(TEXTS))).all()


@pytest.mark.parametrize("ids", [[1, 7], [1, 1], [7]])
def test_a_taken_id_is_refused_and_nothing_is_added(filled: Retriever, ids: list[int]) -> None:
    before = filled.search(["port 5433"], 9)[0]
    with pytest.raises(InvalidInput, match=f"id {ids[-1]} is already indexed; remove it first"):
        filled.add(ids, ["port 5433 port 5433"] * len(ids))
    after = filled.search(["port 5433"], 9)[0]
    assert after.ids.tolist() == before.ids.tolist()
    assert after.scores.tolist() == before.scores.tolist()
    with pytest.raises(ValueError, match=r"shorter|longer"):
        filled.add([50, 51], ["one text"])
    filled.add([50], ["one text"])


def test_a_negative_id_is_refused(filled: Retriever) -> None:
    """FAISS says -1 where there is nothing."""
    with pytest.raises(InvalidInput, match="id -1: must be 0 or more"):
        filled.add([-1], ["text"])


def test_what_is_removed_never_comes_back(filled: Retriever) -> None:
    filled.remove([7, 12345])
    assert set(best(filled, TEXTS[7], 9)) == TEXTS.keys() - {7}
    assert best(filled, TEXTS[7], 9, allowed=[7]) == []
    with pytest.raises(KeyError):
        filled.score("port", [7])
    filled.add([7], ["nothing of interest"])
    assert best(filled, "nothing of interest") == [7]
    assert filled.score(TEXTS[7], [7]) < 0.5


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.tuples(st.sampled_from(["add", "remove"]), st.integers(0, 9)), max_size=20))
@pytest.mark.parametrize("kind", ["keyword", "dense"])
def test_any_history_of_changes_equals_a_fresh_index(kind: str, steps: list[tuple[str, int]]) -> None:
    """Add and remove in any order, searching in between: the same as indexing at once what is left."""
    make: Make = KeywordRetriever if kind == "keyword" else lambda: DenseRetriever(HashingEmbedder())
    changed, left = make(), {}
    for number, (what, key) in enumerate(steps):
        if what == "add" and key not in left:
            left[key] = f"note {number % 4} on 预算{key}"
            changed.add([key], [left[key]])
        elif what == "remove":
            changed.remove([key])
            left.pop(key, None)
        changed.search(["note"], 3)
    fresh = make()
    fresh.add(list(left), list(left.values()))
    for query in ("note 2", "预算5"):
        assert changed.score(query, list(left)) == pytest.approx(fresh.score(query, list(left)), abs=1e-6)
        assert set(best(changed, query, 99)) == left.keys()


class Plain:
    """An embedder that is never asked: the vectors are given."""

    name = fingerprint = "plain"
    dimension, max_tokens, english_only = 48, 1, False

    def encode(self, texts: Sequence[str], kind: str = "passage") -> Any:
        raise AssertionError("no text is to be embedded")


def unit(rng: np.random.Generator, rows: int) -> Any:
    vectors = rng.normal(size=(rows, Plain.dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("batch", [1, 20, BLAS_THRESHOLD // Plain.dimension, BLAS_THRESHOLD // Plain.dimension + 1, 64])
@pytest.mark.parametrize("narrow", [False, True])
def test_faiss_equals_a_numpy_product(batch: int, narrow: bool) -> None:
    rng = np.random.default_rng(batch)
    vectors, queries, ids = unit(rng, 500), unit(rng, batch), rng.permutation(5000)[:500]
    retriever = DenseRetriever(Plain())
    retriever.add_vectors(ids.tolist(), vectors)
    allowed = ids[::3].tolist() if narrow else None
    chosen = np.arange(0, 500, 3) if narrow else np.arange(500)
    product = queries.astype(np.float64) @ vectors[chosen].astype(np.float64).T
    for hits, scores in zip(retriever.search_vectors(queries, 12, allowed), product, strict=True):
        order = np.argsort(-scores)[:12]
        assert hits.scores == pytest.approx(scores[order], abs=1e-6)
        assert hits.ids.tolist() == ids[chosen[order]].tolist()


def test_faiss_is_set_as_measured() -> None:
    """One thread, matrix products for batches and none for one query: other settings are many times slower."""
    faiss = open_faiss()
    assert 20 <= faiss.cvar.distance_compute_blas_threshold <= BLAS_THRESHOLD
    assert faiss.omp_get_max_threads() == 1
