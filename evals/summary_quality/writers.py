"""The writers that are compared: ours, and two that anyone would try first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from mnemo_lab.conversation import Message
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.summaries import ExtractiveSummariser
from mnemo_lab.text.sentences import sentences
from mnemo_lab.text.words import words
from mnemo_lab.tokens import open_counter
from mnemo_lab.tokens.counter import TokenCounter

Writer = Callable[[Sequence[Message], int], str]
"""A summary of messages in at most so many tokens."""
COUNTER: Final[TokenCounter] = open_counter("o200k_base")
DAMPING: Final = 0.85


def extractive(messages: Sequence[Message], tokens: int) -> str:
    return ExtractiveSummariser(COUNTER).fold(None, messages, tokens).text


def newest(messages: Sequence[Message], tokens: int) -> str:
    """The last sentences."""
    lines = _lines(messages)
    return _filled(lines, list(reversed(range(len(lines)))), tokens)


def text_rank(messages: Sequence[Message], tokens: int) -> str:
    """The sentences that PageRank puts first among cosines of tf-idf vectors (LexRank, Erkan and Radev, 2004)."""
    lines = _lines(messages)
    scores = _page_rank(_vectors(lines)) if lines else np.zeros(0)
    return _filled(lines, list(np.argsort(-scores, kind="stable")), tokens)


WRITERS: Final[dict[str, Writer]] = {"extractive": extractive, "TextRank": text_rank, "newest sentences": newest}


def _lines(messages: Sequence[Message]) -> list[str]:
    """Every sentence behind its speaker."""
    return [f"{speaker_of(m)}: {m.text[start:end]}" for m in messages for start, end in sentences(m.text)]


def _filled(lines: Sequence[str], order: Sequence[int], tokens: int) -> str:
    """The first that fit, in the order in which they were said."""
    kept = []
    for i in order:
        cost = COUNTER.count(f"{lines[i]}\n")
        if cost <= tokens:
            kept.append(i)
            tokens -= cost
    return "\n".join(lines[i] for i in sorted(kept))


def _vectors(lines: Sequence[str]) -> csr_array:
    """One row of unit length per line."""
    number: dict[str, int] = {}
    rows, columns = [], []
    for row, line in enumerate(lines):
        for word in words(line.partition(": ")[2]):
            rows.append(row)
            columns.append(number.setdefault(word, len(number)))
    counts = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(lines), max(len(number), 1)))
    counts.sum_duplicates()
    rarity = np.log(len(lines) / np.maximum(np.bincount(counts.indices, minlength=counts.shape[1]), 1)) + 1
    weighted = counts.multiply(rarity[None, :]).tocsr()
    lengths = np.sqrt(weighted.multiply(weighted).sum(axis=1))
    return weighted.multiply(1 / np.maximum(lengths, 1e-12)[:, None]).tocsr()


def _page_rank(vectors: csr_array) -> np.ndarray:
    """The stationary distribution; cosines are never written out, a step is two sparse products."""
    lines = vectors.shape[0]
    own = vectors.multiply(vectors).sum(axis=1)  # a sentence does not vote for itself
    degree = np.maximum(vectors @ (vectors.T @ np.ones(lines)) - own, 1e-12)
    rank = np.full(lines, 1 / lines)
    for _ in range(50):
        vote = rank / degree
        rank = (1 - DAMPING) / lines + DAMPING * (vectors @ (vectors.T @ vote) - own * vote)
    return rank
