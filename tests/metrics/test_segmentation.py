"""Pk, WindowDiff and matches: worked out by hand, and properties. (nltk 3.10's pk and windowdiff gave equal values on
3,000 random pairs when this was written; it is no dependency.)"""

from __future__ import annotations

from itertools import combinations
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.errors import InvalidInput
from mnemo_lab.metrics.segmentation import half_segment, match, pk, window_diff


def test_by_hand() -> None:
    """Eight items, cut before 4; found before 5. Pairs two apart: (2,4) (3,5) true, (3,5) (4,6) said."""
    assert half_segment({4}, 8) == 2
    assert pk({4}, {5}, 8) == window_diff({4}, {5}, 8) == 2 / 6
    assert pk({4}, {4}, 8) == 0 and pk({4}, set(), 8) == 2 / 6
    assert pk({4}, set(range(1, 8)), 8) == 4 / 6, "cut everywhere: wrong on all pairs but the two that are cut"
    assert window_diff({4}, set(range(1, 8)), 8) == 1, "there the number is wrong too"


def test_window_diff_counts_what_pk_forgives() -> None:
    """A near second boundary: within one window Pk sees some boundary either way (Pevzner & Hearst 2002)."""
    assert pk({5}, {4, 5}, 10, 3) == 1 / 7 and window_diff({5}, {4, 5}, 10, 3) == 3 / 7


def test_the_window() -> None:
    assert [half_segment(wanted, 60) for wanted in ([], [30], [20, 40], range(1, 60))] == [30, 15, 10, 2]
    assert isnan(pk({1}, {1}, 2)) and isnan(window_diff(set(), set(), 1)), "no pair is two items apart"
    assert pk({1}, {1}, 2, 1) == 0


@pytest.mark.parametrize("at", [0, 8, -1])
def test_boundaries_lie_between_items(at: int) -> None:
    with pytest.raises(InvalidInput, match=rf"a boundary at {at}: must be 1 to 7"):
        pk({at}, {4}, 8)
    with pytest.raises(InvalidInput, match="window=0"):
        pk({4}, {4}, 8, 0)


def test_matches_by_hand() -> None:
    exact, near = match([3, 9, 20], [3, 10, 11, 30]), match([3, 9, 20], [3, 10, 11, 30], 1)
    assert exact == (1, 4, 3) and near == (2, 4, 3)
    assert near.precision == 0.5 and near.recall == 2 / 3 and near.f1 == 4 / 7
    assert match([5], [4, 6], 1).hits == 1, "one wanted boundary is found once"
    nothing, missed, false = match([], []), match([4], []), match([], [4])
    assert isnan(nothing.f1) and isnan(nothing.precision) and isnan(nothing.recall)
    assert (missed.f1, missed.recall) == (0, 0) and isnan(missed.precision)
    assert (false.f1, false.precision) == (0, 0) and isnan(false.recall)


PLACES = st.sets(st.integers(1, 19), max_size=6)


def most_pairs(wanted: list[int], found: list[int], tolerance: int) -> int:
    """By trying every pairing."""
    if not wanted:
        return 0
    first, *rest = wanted
    tries = [most_pairs(rest, found, tolerance)]
    tries += [
        1 + most_pairs(rest, [f for f in found if f != one], tolerance)
        for one in found
        if abs(one - first) <= tolerance
    ]
    return max(tries)


@given(PLACES, PLACES, st.integers(0, 4))
def test_no_pairing_has_more(wanted: set[int], found: set[int], tolerance: int) -> None:
    assert match(wanted, found, tolerance).hits == most_pairs(sorted(wanted), sorted(found), tolerance)


@given(PLACES, PLACES, st.integers(1, 19))
def test_errors_from_their_definition(wanted: set[int], found: set[int], window: int) -> None:
    """Counted pair by pair over segment numbers."""

    def segment(at: int, boundaries: set[int]) -> int:
        return sum(one <= at for one in boundaries)

    pairs = [(i, j) for i, j in combinations(range(20), 2) if j - i == window]
    same = [(segment(i, w) == segment(j, w)) for w in (wanted, found) for i, j in pairs]
    half = len(pairs)
    assert pk(wanted, found, 20, window) == sum(a != b for a, b in zip(same[:half], same[half:], strict=True)) / half
    counts = [segment(j, w) - segment(i, w) for w in (wanted, found) for i, j in pairs]
    wrong = sum(a != b for a, b in zip(counts[:half], counts[half:], strict=True))
    assert window_diff(wanted, found, 20, window) == wrong / half
    assert pk(wanted, found, 20, window) <= window_diff(wanted, found, 20, window)
