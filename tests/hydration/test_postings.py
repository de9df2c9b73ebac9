"""Postings, passages and growing arrays against what is built at once: the same scores, whatever came when."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Query
from mnemo_lab.conversation import Message
from mnemo_lab.hydration.grown import FIRST, Grown
from mnemo_lab.hydration.passages import Passages
from mnemo_lab.hydration.postings import Postings
from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts, neighbour_weights
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.retrieval.passage_index import IndexSettings, PassageIndex, session_best
from mnemo_lab.services import ServicesSpec
from tests.hydration.talks import history_of

TEXTS = st.lists(
    st.sampled_from(["red fox", "blue fox fox", "red", "", "a lazy dog 预算", "预算 是 多少", "dog"]), max_size=24
)


@given(texts=TEXTS, breaks=st.sets(st.integers(0, 24), max_size=4), reach=st.integers(0, 4))
@settings(max_examples=150, deadline=None)
def test_scores_are_those_of_the_matrix(texts: list[str], breaks: set[int], reach: int) -> None:
    groups = list(np.cumsum([i in breaks for i in range(len(texts))]))
    counts, postings = TermCounts({}), Postings({}, reach=reach)
    counts.add(texts)
    for text, group in zip(texts, groups, strict=True):
        postings.add(postings.terms(text), int(group))
    for question in ("red fox", "fox fox dog", "预算", "nothing known"):
        wanted = np.zeros(len(texts))
        if texts:
            plain = BM25Matrix(counts.matrix(), 0.9, 0.4, None).scores(counts.query_terms(question))
            assert postings.scores(question) == pytest.approx(plain, abs=1e-9)
            weights = neighbour_weights(groups, reach, 0.5) if reach else None
            wanted = BM25Matrix(counts.matrix(), 0.9, 0.4, weights).scores(counts.query_terms(question))
        assert postings.scores(question, spread=True) == pytest.approx(wanted, abs=1e-9)


def test_arrays_grow() -> None:
    rows, plain = Grown("float32", 3), Grown("int64")
    for number in range(3 * FIRST):
        rows.append([number, 0, 1])
        plain.extend([number, -number])
    assert rows.view.shape == (3 * FIRST, 3) and rows.view[-1].tolist() == [3 * FIRST - 1, 0, 1]
    assert len(plain) == 6 * FIRST and plain.view[-2:].tolist() == [3 * FIRST - 1, 1 - 3 * FIRST]
    plain.extend([])
    assert len(plain) == 6 * FIRST


def test_passages_score_as_the_passage_index_does() -> None:
    """A long message has several passages; two sessions; added in two steps."""
    days = ["2026-03-01T10:00:00Z"] * 4 + ["2026-03-03T10:00:00Z"] * 3
    texts = ["the red fox", "a dog. " * 400, "预算是八十万", "fox and dog", "red again", "nothing", "fox " * 300]
    messages = [
        Message("user" if i % 2 else "assistant", text, f"m{i}", day)
        for i, (text, day) in enumerate(zip(texts, days, strict=True))
    ]
    services = ServicesSpec(embedder="hashing", cache="").open()
    history = history_of(messages, services)
    old = PassageIndex(IndexSettings(reach=4, embed=True), services)
    old.add(history, 0)
    new = Passages(services, reach=4)
    short = history_of(messages[:3], services)
    new.add(short, 0)
    new.add(history, 3)
    query = Query("where is the red fox of the budget 预算?")
    vector = old.query_vector(query)
    assert new.keyword(query) == pytest.approx(old.keyword(query))
    assert new.keyword(query, spread=True) == pytest.approx(old.keyword(query, smoothed=True))
    assert new.dense(vector) == pytest.approx(old.dense(vector), abs=1e-6)
    assert new.session(query) == pytest.approx(session_best(old.keyword(query), history.session_of))
    at = np.array([1, 4, 6])
    assert new.dense(vector, at) == pytest.approx(old.dense(vector)[at], abs=1e-6)
    assert new.session(query, at) == pytest.approx(new.session(query)[at])
    for position, message in enumerate(messages):
        mean = services.embedder.encode(index_passages(message, True)).mean(axis=0)
        assert new.vector_of(position) == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_pair_is_the_cosine_with_both() -> None:
    services = ServicesSpec(embedder="hashing", cache="").open()
    day = "2026-03-01T10:00:00Z"
    messages = [Message("user", text, f"m{i}", day) for i, text in enumerate(["red fox", "blue dog", "green bird"])]
    passages = Passages(services, reach=4)
    passages.add(history_of(messages, services), 0)
    vector = passages.query_vector(Query("a red dog"))
    dense = passages.dense(vector)
    rows = np.stack([passages.vector_of(i) for i in range(3)])
    both = rows[1:] + rows[:-1]
    wanted = [dense[0], *(both @ vector / np.linalg.norm(both, axis=1))]
    before = np.append(dense[:1], dense[:-1])
    assert passages.pair(dense, before) == pytest.approx(wanted, abs=1e-6)
