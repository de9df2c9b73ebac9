"""BM25 as one sparse matrix, over word counts that may be smoothed over neighbouring passages.

Robertson & Zaragoza 2009, with Lucene's idf = ln(1 + (N - df + .5) / (df + .5)) and without the constant
factor k1 + 1, as ``bm25s`` has it under ``method="lucene"`` (``tests/retrieval`` holds the two together). No
library scores fractional counts, which is why this one exists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mnemo_lab.text.words import words

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray


class TermCounts:
    """Term counts of passages, grown passage by passage; terms get integer ids as they appear."""

    def __init__(self, known: dict[str, Counter[str]] | None = None) -> None:
        """``known``: a memo of texts already cut into words, shared by indexes over the same recording."""
        self._known = {} if known is None else known
        self._id_of: dict[str, int] = {}
        self._columns: list[int] = []
        self._values: list[float] = []
        self._ends: list[int] = [0]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            for term, count in self._terms(text).items():
                self._columns.append(self._id_of.setdefault(term, len(self._id_of)))
                self._values.append(float(count))
            self._ends.append(len(self._columns))

    def query_terms(self, text: str) -> dict[int, int]:
        """Known term ids of a query with how often it names them."""
        return {self._id_of[term]: n for term, n in self._terms(text).items() if term in self._id_of}

    def _terms(self, text: str) -> Counter[str]:
        terms = self._known.get(text)
        if terms is None:
            terms = self._known[text] = Counter(words(text))
        return terms

    def matrix(self) -> Any:
        """Counts as a scipy CSR matrix of shape (passages, terms)."""
        from scipy import sparse

        shape = (len(self), len(self._id_of))
        return sparse.csr_matrix((self._values, self._columns, self._ends), shape=shape)


class BM25Matrix:
    """Term weights of every passage; a query's scores are the sum of its terms' columns."""

    def __init__(self, counts: Any, k1: float, b: float, smoothing: Any = None) -> None:
        """``counts``: (passages, terms). ``smoothing``: (passages, passages) weights of neighbours, or ``None``.

        Document frequencies come from the unsmoothed counts, lengths from the smoothed ones.
        """
        import numpy as np

        passages, terms = counts.shape
        df = np.bincount(counts.indices, minlength=terms)
        idf = np.log1p((passages - df + 0.5) / (df + 0.5))
        spread = (counts if smoothing is None else smoothing @ counts).tocoo()
        lengths = np.bincount(spread.row, weights=spread.data, minlength=passages)
        norm = k1 * (1 - b + b * lengths / max(lengths.mean(), 1e-9)) if passages else lengths
        spread.data = idf[spread.col] * spread.data / (spread.data + norm[spread.row])
        self._columns = spread.tocsc()
        self._passages = passages

    def scores(self, terms: dict[int, int]) -> FloatArray:
        """One score per passage; 0 where no term occurs."""
        import numpy as np

        total = np.zeros(self._passages)
        start, rows, values = self._columns.indptr, self._columns.indices, self._columns.data
        for term, times in terms.items():
            place = slice(start[term], start[term + 1])
            total[rows[place]] += times * values[place]
        return total


def neighbour_weights(group: Sequence[int], reach: int, decay: float) -> Any:
    """(n, n) weights ``decay ** |k|`` of the neighbours up to ``reach`` away in the same group (session)."""
    import numpy as np
    from scipy import sparse

    where = np.asarray(group)
    n = len(where)
    offsets = [k for k in range(-reach, reach + 1) if abs(k) < max(n, 1)]
    bands = [np.full(n - abs(k), decay ** abs(k)) * (where[abs(k) :] == where[: n - abs(k)]) for k in offsets]
    return sparse.diags_array(bands, offsets=offsets, shape=(n, n)).tocsr() if n else sparse.csr_matrix((0, 0))
