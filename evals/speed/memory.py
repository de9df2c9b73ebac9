"""Long-term memory in a SQLite file: search over 100,000 memories, and adding them, without an embedder's time."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from evals.speed.material import DIMENSION
from evals.speed.table import Row, Target
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.stores import open_store
from mnemo_lab.memory.stores.checks import SIGNALS

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import TextKind, Vectors
    from mnemo_lab.memory.stores.base import MemoryStore

ITEMS: Final = 100_000
ALONE: Final = 2_000
"""Of them, those added in a write of their own each."""
QUESTIONS: Final = 200
K: Final = 20
WORDS: Final = 20_000
NAMESPACE: Final = "anna"
DAY: Final = "2026-01-01T00:00:00+00:00"


class Directions:
    """In place of a model: another random direction for every text, at no cost to speak of."""

    name = fingerprint = "directions"
    dimension = DIMENSION
    max_tokens = 1 << 30
    english_only = False

    def __init__(self) -> None:
        import numpy as np

        self._rng = np.random.default_rng(0)

    def encode(self, texts: Sequence[str], kind: TextKind = "passage") -> Vectors:
        import numpy as np

        vectors: Vectors = self._rng.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def rows() -> Iterator[Row]:
    rng = random.Random(0)
    decisions = [Decision(NAMESPACE, "add", "new", DAY, after=(_item(rng, n),)) for n in range(ITEMS)]
    questions = [" ".join(_words(rng, 6)) for _ in range(QUESTIONS)]
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "memory.db", Directions()) as store:
        cut = ITEMS - ALONE
        target = Target(2_000, ">=", "/s")
        yield Row("add memories, one write", rate=cut / _seconds(lambda: _batch(store, decisions[:cut])), target=target)
        seconds = _seconds(lambda: _one_by_one(store, decisions[cut:]))
        yield Row(
            "add memories, a write each", rate=ALONE / seconds, target=target, note="each on the disk before the next"
        )
        for by in SIGNALS:
            store.search(NAMESPACE, "warm-up", K, by)
            times = [_seconds(partial(store.search, NAMESPACE, question, K, by)) for question in questions]
            what = f"top {K} of {ITEMS:,} memories by {by}, p50"
            yield Row(what, median(times), target=Target(20e-3, unit=" s"), note=f"{QUESTIONS} questions of 6 words")


def _item(rng: random.Random, n: int) -> MemoryItem:
    """A sentence of 12 words that are as rare as words are."""
    words = _words(rng, 12)
    subject, attribute, content = f"service{n % 5000}", f"setting{n % 50}", f"{' '.join(words)} number{n}"
    return MemoryItem(NAMESPACE, "project_fact", subject, attribute, words[0], content, "en", DAY, f"i{n:06d}")


def _words(rng: random.Random, number: int) -> list[str]:
    """By Zipf's law: the logarithm of the rank is even."""
    return [f"w{int(WORDS ** rng.random())}" for _ in range(number)]


def _batch(store: MemoryStore, decisions: Sequence[Decision]) -> None:
    with store.write(NAMESPACE) as writing:
        for decision in decisions:
            writing.put(decision)


def _one_by_one(store: MemoryStore, decisions: Sequence[Decision]) -> None:
    for decision in decisions:
        with store.write(NAMESPACE) as writing:
            writing.put(decision)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
