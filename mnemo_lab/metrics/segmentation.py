"""How well boundaries were found. A boundary is the position (1 to ``length - 1``) of the item that opens a segment."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate
from math import nan
from typing import NamedTuple

from mnemo_lab.errors import InvalidInput


class Matches(NamedTuple):
    """Boundaries that were wanted, that were found, and ``hits``, found ones paired with a wanted one each."""

    hits: int
    found: int
    wanted: int

    @property
    def precision(self) -> float:
        """Share of found boundaries that are right; NaN where none was found."""
        return self.hits / self.found if self.found else nan

    @property
    def recall(self) -> float:
        """Share of wanted boundaries that were found; NaN where none was wanted."""
        return self.hits / self.wanted if self.wanted else nan

    @property
    def f1(self) -> float:
        """Harmonic mean of both, 0 where only one kind is there; NaN where nothing was wanted and nothing found."""
        return 2 * self.hits / (self.found + self.wanted) if self.found + self.wanted else nan


def match(wanted: Collection[int], found: Collection[int], tolerance: int = 0) -> Matches:
    """Pair as many boundaries as can be, one to one, at most ``tolerance`` items apart.

    From left to right, the earliest that still fits: with one tolerance for all, no other pairing has more.
    """
    left, right = sorted(set(wanted)), sorted(set(found))
    hits = i = j = 0
    while i < len(left) and j < len(right):
        if abs(left[i] - right[j]) <= tolerance:
            hits, i, j = hits + 1, i + 1, j + 1
        elif left[i] < right[j]:
            i += 1
        else:
            j += 1
    return Matches(hits, len(right), len(left))


def half_segment(wanted: Collection[int], length: int) -> int:
    """The window of Pk and WindowDiff: half the mean length of the true segments, 2 or more."""
    return max(round(length / (len(set(wanted)) + 1) / 2), 2)


def pk(wanted: Collection[int], found: Collection[int], length: int, window: int | None = None) -> float:
    """Pk (Beeferman, Berger & Lafferty 1999): share of pairs ``window`` items apart of which only one of truth and
    finding says that they lie in one segment. 0 is perfect; NaN where no pair is that far apart."""
    pairs = _in_windows(wanted, found, length, window)
    return sum((a > 0) != (b > 0) for a, b in pairs) / len(pairs) if pairs else nan


def window_diff(wanted: Collection[int], found: Collection[int], length: int, window: int | None = None) -> float:
    """WindowDiff (Pevzner & Hearst 2002): the same, where the number of boundaries in between must be right."""
    pairs = _in_windows(wanted, found, length, window)
    return sum(a != b for a, b in pairs) / len(pairs) if pairs else nan


def _in_windows(
    wanted: Collection[int], found: Collection[int], length: int, window: int | None
) -> list[tuple[int, int]]:
    """How many true and found boundaries lie between items i and i + window, for every i."""
    size = half_segment(wanted, length) if window is None else window
    if size < 1:
        raise InvalidInput(f"window={window}: must be 1 item or more")
    true, said = _running(wanted, length), _running(found, length)
    return [(true[i + size] - true[i], said[i + size] - said[i]) for i in range(length - size)]


def _running(boundaries: Collection[int], length: int) -> list[int]:
    """Boundaries up to and including each item."""
    marks = [0] * length
    for at in boundaries:
        if not 0 < at < length:
            raise InvalidInput(f"a boundary at {at}: must be 1 to {length - 1}, the position that opens a segment")
        marks[at] = 1
    return list(accumulate(marks))
