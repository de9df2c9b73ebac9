"""Choosing pieces: what adds most per token to what is kept already comes first."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from mnemo_lab.summaries.pieces import LINE, Piece
from mnemo_lab.summaries.weights import Weights

DAY: Final = 4
"""Tokens of a day before the speaker of a line."""
SHARED: Final = 3
"""Pieces among which they are divided: a line hardly stays with the piece that opens it."""


class Choosing:
    """Greedy maximisation of weighted coverage per token (Lin and Bilmes, 2011, eq. 3 to 5), lazily evaluated.

    A term counts once, where it is worth most. A piece takes the place of the bare terms inside it.
    """

    def __init__(self, pieces: Sequence[Piece], weights: Sequence[Weights], costs: Sequence[int]) -> None:
        self._pieces, self._weights, self._costs = pieces, weights, costs
        self._best: Weights = {}
        self._taken: list[int] = []
        self._in = [False] * len(pieces)
        self._runs = _runs(pieces)
        self._opened: set[int] = set()
        self.spent = 0

    def order(self) -> Iterator[int]:
        """The next best piece, until none adds anything; ``spent`` is about what those so far take."""
        heap = [(-self._ratio(i), i) for i in range(len(self._pieces))]
        heapify(heap)
        while heap:
            before, i = heappop(heap)
            inside = self._pieces[i].inside
            if self._in[i] or (inside is not None and self._in[inside]):
                continue
            now = -self._ratio(i)
            if heap and now > max(before, heap[0][0]):
                heappush(heap, (now, i))
            elif now < 0:
                for k in self._take(i):
                    heappush(heap, (-self._ratio(k), k))
                yield i

    def _take(self, i: int) -> list[int]:
        """Take a piece; those that have become cheaper by that."""
        piece, best = self._pieces[i], self._best
        self.spent += self._own_cost(i)
        for k in piece.bare:
            if self._in[k]:
                self._in[k] = False
                del self._taken[bisect_left(self._taken, k)]
        self._in[i] = True
        insort(self._taken, i)
        for term, worth in self._weights[i].items():
            best[term] = max(worth, best.get(term, 0.0))
        cheaper = [piece.inside] if piece.inside is not None else []
        run = self._runs[i]
        if run.start not in self._opened:
            self._opened.add(run.start)
            cheaper += [k for k in run if not self._in[k]]
        return cheaper

    def _ratio(self, i: int) -> float:
        best = self._best
        gain = 0.0
        for term, worth in self._weights[i].items():
            known = best.get(term, 0.0)
            if worth > known:
                gain += worth - known
        return gain / max(self._own_cost(i) + self._opening(i), 1)

    def _own_cost(self, i: int) -> int:
        return self._costs[i] - sum(self._costs[k] for k in self._pieces[i].bare if self._in[k])

    def _opening(self, i: int) -> float:
        """What stands before the line, where the piece would need one of its own."""
        here = self._pieces[i].stretch.speaker
        at = bisect_left(self._taken, i)
        beside = [self._pieces[k].stretch.speaker for k in self._taken[max(at - 1, 0) : at + 1]]
        if here in beside:
            return 0.0
        cost = LINE if any(other.day == here.day for other in beside) else LINE + DAY
        if len(beside) == 2 and beside[0] == beside[1]:
            cost += LINE  # their line is broken in two
        return cost / min(SHARED, len(self._runs[i]))


def _runs(pieces: Sequence[Piece]) -> list[range]:
    """For each piece the pieces around it that the same speaker said on the same day."""
    found: list[range] = []
    start = 0
    for i in range(1, len(pieces) + 1):
        if i == len(pieces) or pieces[i].stretch.speaker != pieces[start].stretch.speaker:
            found += [range(start, i)] * (i - start)
            start = i
    return found
