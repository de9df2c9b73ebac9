"""Keyword search: our BM25 beside bm25s on the same tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from evals.speed.clock import alone, in_turns
from evals.speed.material import documents
from evals.speed.table import Row, compared
from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts
from mnemo_lab.text.words import words

K1, B, BEST = 0.9, 0.4, 10


class Cut(dict[str, Counter[str]]):
    """Texts already cut into words, as ``TermCounts`` asks for them: the counting is still to be done."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__()
        self.words_of = {text: words(text) for text in texts}

    def get(self, text: str, default: Any = None) -> Counter[str]:
        return Counter(self.words_of[text])


def rows() -> Iterator[Row]:
    import bm25s

    name, texts, questions = documents()
    cut = Cut([*texts, *questions])
    tokens, asked = [cut.words_of[text] for text in texts], [cut.words_of[question] for question in questions]

    def ours() -> tuple[TermCounts, BM25Matrix]:
        counts = TermCounts(cut)
        counts.add(texts)
        return counts, BM25Matrix(counts.matrix(), K1, B)

    def theirs() -> Any:
        index = bm25s.BM25(k1=K1, b=B, method="lucene")
        index.index(tokens, show_progress=False)
        return index

    what = f"{len(texts):,} passages ({name})"
    yield compared(f"BM25 index of {what}, words cut before", in_turns(ours, theirs), "bm25s on the same tokens")
    yield Row(f"cut the words of {what}", alone(lambda: [words(text) for text in texts]), note="part of our write path")
    (counts, matrix), index = ours(), theirs()

    def search() -> list[Any]:
        return [top(matrix.scores(counts.query_terms(question))) for question in questions]

    def search_bm25s() -> list[Any]:
        return [top(index.get_scores(question)) for question in asked]

    pair = in_turns(search, search_bm25s)
    each = pair._replace(ours=pair.ours / len(questions), limit=pair.limit / len(questions))
    yield compared(f"BM25 top {BEST} in {what}, one query", each, "bm25s get_scores on the same tokens")


def top(scores: np.ndarray) -> np.ndarray:
    best: np.ndarray = np.argpartition(scores, len(scores) - BEST)[-BEST:]
    return best
