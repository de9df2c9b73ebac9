"""BM25 over texts that keep coming: nothing is built anew when one is added, nor for words that run into neighbours."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any

from mnemo_lab.hydration.grown import Grown
from mnemo_lab.text.words import words

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray


class Postings:
    """Term counts by term; the same scores as ``BM25Matrix`` gives (``tests/hydration`` holds the two together).

    ``reach`` and ``decay``: counts spread over neighbours of the same group (session) up to ``reach`` texts away,
    times ``decay ** distance``. They are spread for the terms of a question when it comes, not for all beforehand.
    """

    def __init__(
        self, known: dict[str, Counter[str]], k1: float = 0.9, b: float = 0.4, reach: int = 0, decay: float = 0.5
    ) -> None:
        """``known``: a memo of texts already cut into words."""
        self._known, self._k1, self._b = known, k1, b
        self._weights = [decay**distance for distance in range(reach + 1)]
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[float]] = {}
        self._groups, self._lengths, self._spread_lengths = Grown("int64"), Grown("float64"), Grown("float64")
        self._spread_total = 0.0

    def __len__(self) -> int:
        return len(self._lengths)

    def terms(self, text: str) -> Counter[str]:
        """The words of a text, cut once."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = Counter(words(text))
        return found

    def add(self, terms: Counter[str], group: int = 0) -> None:
        """One more text, by its words; texts of one group come one after another."""
        here = len(self)
        for term, count in terms.items():
            if term not in self._rows:
                self._rows[term], self._counts[term] = array("q"), array("d")
            self._rows[term].append(here)
            self._counts[term].append(float(count))
        length = float(terms.total())
        self._groups.append(group)
        self._lengths.append(length)
        self._spread_lengths.append(length)
        self._spread_total += length
        self._lengthen_neighbours(here, length, group)

    def scores(self, text: str, spread: bool = False) -> FloatArray:
        """One score per text, 0 where no word of the question occurs; ``spread``: with the neighbours' words."""
        import numpy as np

        size = len(self)
        total = np.zeros(size)
        if not size:
            return total
        lengths = self._spread_lengths.view if spread else self._lengths.view
        mean = (self._spread_total if spread else float(self._lengths.view.sum())) / size
        norm = self._k1 * (1 - self._b + self._b * lengths / max(mean, 1e-9))
        for term, times in self.terms(text).items():
            if term in self._rows:
                rows, counts = np.array(self._rows[term]), np.array(self._counts[term])
                idf = np.log1p((size - len(rows) + 0.5) / (len(rows) + 0.5))
                if spread:
                    rows, counts = self._spread(rows, counts)
                total[rows] += times * idf * counts / (counts + norm[rows])
        return total

    def _spread(self, rows: Any, counts: Any) -> tuple[Any, Any]:
        """Rows that a term reaches, and its count there."""
        import numpy as np

        groups, size = self._groups.view, len(self)
        buffer = np.zeros(size)
        buffer[rows] = counts
        for distance, weight in enumerate(self._weights[1:], 1):
            for step in (-distance, distance):
                near = rows + step
                inside = (near >= 0) & (near < size)
                inside[inside] = groups[near[inside]] == groups[rows[inside]]
                buffer[near[inside]] += weight * counts[inside]
        reached = np.flatnonzero(buffer)
        return reached, buffer[reached]

    def _lengthen_neighbours(self, here: int, length: float, group: int) -> None:
        groups, lengths, spread = self._groups.view, self._lengths.view, self._spread_lengths.view
        for distance, weight in enumerate(self._weights[1:], 1):
            before = here - distance
            if before < 0 or groups[before] != group:
                return
            spread[here] += weight * lengths[before]
            spread[before] += weight * length
            self._spread_total += weight * (lengths[before] + length)
