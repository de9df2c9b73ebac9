"""BM25 over what is stored, by namespace and kind, as ``retrieval.bm25_matrix`` scores it.

Each row has its words beside it, as numbers. A table of words and their places took several times the room, most with
Chinese pairs of characters; SQLite's own full text has one set of document frequencies for everybody. Who searches
reads them once and what is new from then on: 200,000 of LoCoMo's messages take two seconds, then a query 2 ms.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mnemo_lab.text.words import words

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray

K1, B = 0.9, 0.4
"""``KeywordRetriever``'s, and so the strategies'."""
POSTING: Final = [("term", "<u4"), ("times", "u1")]
"""32 bits of a word's hash: one word of a question in 80,000 is taken for another one of 50,000. At most 255 times."""
LONGEST: Final = 100
"""Characters of a word; what is longer is encoded data that no one asks for."""
TAIL: Final = 0.1
"""Share of postings that may stand unsorted behind the sorted ones."""


def add_words(connection: Connection, namespace: int, kind: str, texts: Mapping[int, str]) -> None:
    """The words of rows that have none yet, text by row."""
    made = [(item, namespace, kind, packed_words(text)) for item, text in texts.items()]
    connection.executemany("INSERT INTO words (item, namespace, kind, terms) VALUES (?, ?, ?, ?)", made)


def words_after(connection: Connection, namespace: int, kind: str, last: int) -> list[tuple[int, bytes]]:
    """Rows that came after ``last``, with their words."""
    return connection.execute(
        "SELECT item, terms FROM words WHERE namespace = ? AND kind = ? AND item > ? ORDER BY item",
        (namespace, kind, last),
    ).fetchall()


class WordIndex:
    """The words of one namespace and kind in memory. Not safe between threads by itself; a copy of it is one apart."""

    def __init__(self) -> None:
        self._removals: int | None = None
        self._items: IntArray
        self._lengths: FloatArray
        self._sorted: _Postings
        self._tail: _Postings
        self._clear()

    def __len__(self) -> int:
        return len(self._items)

    def search(self, query: str, k: int, allowed: Collection[int] | None = None) -> list[tuple[int, float]]:
        """Rows of the ``k`` items with the highest score, best first; only those that share a word with the query.

        ``allowed`` narrows what is found, not what words are rare.
        """
        import numpy as np

        scores = self._scores(_terms(query))
        if allowed is not None:
            scores[~np.isin(self._items, np.fromiter(allowed, dtype=np.int64, count=len(allowed)))] = 0
        best = np.flatnonzero(scores > 0)  # the rest are ties, which a partition is slow with
        if k < len(best):
            best = best[scores[best] >= np.partition(scores[best], -k)[-k]]
        best = best[np.argsort(-scores[best], kind="stable")[:k]]
        return list(zip(self._items[best].tolist(), scores[best].tolist(), strict=True))

    def follow(self, removals: int, rows_after: Callable[[int], Sequence[tuple[int, bytes]]]) -> None:
        """Take in what is new; where something has gone since (``removals`` is another count), begin again.

        ``rows_after`` gives rows above a number and their ``packed_words``, in order.
        """
        import numpy as np

        if self._removals != removals:
            self._clear()
            self._removals = removals
        found = rows_after(int(self._items[-1]) if len(self._items) else 0)
        if not found:
            return
        packed = np.frombuffer(b"".join(terms for _, terms in found), dtype=POSTING)
        owners = np.repeat(np.arange(len(found)), [len(terms) // packed.itemsize for _, terms in found])
        fresh = _Postings(packed["term"].astype(np.int64), owners + len(self._items), packed["times"])
        lengths = np.bincount(owners, weights=fresh.times, minlength=len(found))
        self._items = np.concatenate([self._items, [item for item, _ in found]])
        self._lengths = np.concatenate([self._lengths, lengths])
        self._tail = _joined(self._tail, fresh)
        if len(self._tail.terms) > TAIL * len(self._sorted.terms):
            whole = _joined(self._sorted, self._tail)
            order = np.argsort(whole.terms, kind="stable")
            self._sorted, self._tail = _Postings(*(column[order] for column in whole)), _nothing()

    def _scores(self, asked: Counter[int]) -> FloatArray:
        """Of every item. Frequencies and lengths come in only here, so that new items change nothing stored."""
        import numpy as np

        scores = np.zeros(len(self._items))
        norm = K1 * (1 - B + B * self._lengths / max(self._lengths.mean(), 1e-9)) if len(scores) else scores
        for term, count in asked.items():
            place = slice(*np.searchsorted(self._sorted.terms, np.array([term, term + 1], dtype=np.int64)))
            behind = self._tail.terms == term
            rows = np.concatenate([self._sorted.rows[place], self._tail.rows[behind]])
            times = np.concatenate([self._sorted.times[place], self._tail.times[behind]]).astype(np.float64)
            idf = np.log1p((len(scores) - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += count * idf * times / (times + norm[rows])
        return scores

    def _clear(self) -> None:
        import numpy as np

        self._items, self._lengths = np.zeros(0, dtype=np.int64), np.zeros(0)
        self._sorted, self._tail = _nothing(), _nothing()


class _Postings(NamedTuple):
    """Columns of equal length: a term, the row that holds it, how often."""

    terms: IntArray
    rows: IntArray
    times: Any


def _nothing() -> _Postings:
    import numpy as np

    return _Postings(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint8))


def _joined(first: _Postings, second: _Postings) -> _Postings:
    import numpy as np

    return _Postings(*(np.concatenate(pair) for pair in zip(first, second, strict=True)))


def packed_words(text: str) -> bytes:
    """The words of a text as numbers, and how often it has each."""
    terms = _terms(text).items()
    return b"".join(term.to_bytes(4, "little") + min(times, 255).to_bytes(1, "little") for term, times in terms)


def _terms(text: str) -> Counter[int]:
    return Counter(_number(word) for word in words(text) if len(word) <= LONGEST)


@lru_cache(maxsize=65536)
def _number(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest(), "little")
