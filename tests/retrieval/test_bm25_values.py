"""BM25 by value: against ``bm25s`` on any documents, and by hand where words fade into neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts, neighbour_weights
from mnemo_lab.text.words import words
from tests.conversations import PLAIN, TEXTS, office_recording

VOCABULARY = ["port", "staging", "tea", "5433", "E-4417", "发布会", "预算", "云海酒店", "budget", "the", "。"]
DOCUMENTS = st.one_of(TEXTS, st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join))
QUERIES = st.one_of(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=4).map(" ".join), PLAIN)


def ours(texts: Sequence[str], query: str, k1: float = 0.9, b: float = 0.4) -> list[float]:
    counts = TermCounts()
    counts.add(texts)
    scores: list[float] = BM25Matrix(counts.matrix(), k1, b).scores(counts.query_terms(query)).tolist()
    return scores


def theirs(texts: Sequence[str], query: str, k1: float = 0.9, b: float = 0.4) -> list[float]:
    """``bm25s`` on the same tokens; it cannot index documents that have no token at all between them."""
    corpus = [words(text) for text in texts]
    known = {token for tokens in corpus for token in tokens}
    asked = [token for token in words(query) if token in known]
    if not asked:
        return [0.0] * len(texts)
    index = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    index.index(corpus, show_progress=False)
    scores: list[float] = index.get_scores(asked).tolist()
    return scores


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(DOCUMENTS, min_size=1, max_size=9), query=QUERIES)
def test_equals_bm25s(texts: list[str], query: str) -> None:
    assert ours(texts, query) == pytest.approx(theirs(texts, query), abs=1e-9)


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.5, 0.75), (1.2, 0.0), (2.0, 1.0)])
def test_equals_bm25s_on_a_bilingual_recording(k1: float, b: float) -> None:
    recording = office_recording()
    texts = [message.text for message in recording.messages()]
    for probe in recording.probes:
        found = ours(texts, probe.question, k1, b)
        assert found == pytest.approx(theirs(texts, probe.question, k1, b), abs=1e-9)
        assert max(found) > 0


def test_a_word_asked_twice_counts_twice() -> None:
    texts = ["the port is 5433", "tea for two"]
    assert ours(texts, "port port") == pytest.approx([2 * score for score in ours(texts, "port")])


def smoothed(texts: Sequence[str], sessions: Sequence[int], query: str, reach: int = 1) -> list[float]:
    counts = TermCounts()
    counts.add(texts)
    matrix = BM25Matrix(counts.matrix(), 0.9, 0.4, neighbour_weights(sessions, reach, 0.5))
    scores: list[float] = matrix.scores(counts.query_terms(query)).tolist()
    return scores


def test_smoothing_by_hand() -> None:
    """Counts of *port*: 1 + .5, 1 + .5, 0 + .5; lengths 2, 3, 2; its document frequency stays 2 of 3."""
    idf = log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    norm = [0.9 * (0.6 + 0.4 * length / (7 / 3)) for length in (2, 3, 2)]
    by_hand = [idf * 1.5 / (1.5 + norm[0]), idf * 1.5 / (1.5 + norm[1]), idf * 0.5 / (0.5 + norm[2])]
    found = smoothed(["port", "staging port", "tea"], [0, 0, 0], "port")
    assert found == pytest.approx(by_hand)
    assert found == pytest.approx([0.300185, 0.281681, 0.174260], abs=1e-5)


def test_smoothing_ends_at_the_session() -> None:
    """Across a session border nothing fades in; within reach 2 the decay is squared."""
    assert smoothed(["port", "staging port", "tea"], [0, 0, 1], "port")[2] == 0
    weights = neighbour_weights([0, 0, 0, 1], 2, 0.5).toarray()
    assert weights.tolist() == [[1, 0.5, 0.25, 0], [0.5, 1, 0.5, 0], [0.25, 0.5, 1, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_reach_beyond_the_history(size: int) -> None:
    """A window wider than the whole history is the whole history."""
    weights = neighbour_weights([0] * size, 9, 0.5).toarray()
    assert weights.tolist() == [[0.5 ** abs(i - j) for j in range(size)] for i in range(size)]


def test_no_documents_and_no_words() -> None:
    assert ours([], "port") == []
    assert ours(["", "。"], "port") == [0, 0]
    assert ours(["port"], "") == [0]
    assert np.isfinite(ours(["", "port"], "port")).all()
