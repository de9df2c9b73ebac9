"""World time and record time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import time_of
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.validity import begins, compare, day_of, ends, known_at, true_at
from tests.memory.material import item


def of(start: str | None, end: str | None = None, created: str = "2026-01-01") -> MemoryItem:
    return item(valid_from=start, valid_to=end, created_at=created)


def at(day: str) -> object:
    return time_of(day)


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (of("2025-01-01"), of("2026-01-01"), "old gives way"),
        (of("2026-01-01"), of("2025-01-01"), "new gives way"),
        (of("2024-01-01", "2025-01-01"), of("2025-01-01"), "apart"),
        (of("2025-01-01"), of("2024-01-01", "2025-01-01"), "apart"),
        (of("2024-01-01", "2025-06-01"), of("2025-01-01"), "old gives way"),
        (of(None, created="2026-01-01"), of(None, created="2026-02-01"), "old gives way"),
        (of(None, created="2026-02-01"), of(None, created="2026-01-01"), "new gives way"),
        (of("2026-01-01"), of("2026-01-01"), "old gives way"),
        (of("2026-02-01", "2026-02-01"), of("2026-01-01"), "apart"),
    ],
)
def test_which_gives_way(old: MemoryItem, new: MemoryItem, verdict: str) -> None:
    assert compare(old, new) == verdict


def test_true_from_its_beginning_to_before_its_end() -> None:
    one = of("2025-01-01", "2026-01-01")
    told = [true_at(one, time_of(day)) for day in ("2024-12-31", "2025-01-01", "2025-12-31T23:59:59", "2026-01-01")]  # type: ignore[arg-type]
    assert told == [False, True, True, False]
    assert true_at(of(None, "2026-01-01"), time_of("1999-01-01"))  # type: ignore[arg-type]
    assert not true_at(of(None), time_of("2025-12-31"))  # type: ignore[arg-type]
    assert ends(of(None)).year == 9999 and begins(of(None)) == time_of("2026-01-01")


def test_known_from_its_record_until_it_is_taken_back() -> None:
    one = item(created_at="2026-01-01", expired_at="2026-03-01")
    days = ("2025-12-31", "2026-01-01", "2026-02-28", "2026-03-01")
    assert [known_at(one, time_of(day)) for day in days] == [False, True, True, False]  # type: ignore[arg-type]


def test_days() -> None:
    assert day_of("2026-03-31T23:30:00+08:00") == "2026-03-31" and day_of("soon") is None is day_of(None)


DAYS = st.dates().map(str)


@given(DAYS, DAYS, st.none() | DAYS, st.none() | DAYS)
def test_one_of_two_gives_way_or_they_are_apart(a: str, b: str, a_end: str | None, b_end: str | None) -> None:
    old, new = of(a, a_end), of(b, b_end)
    verdict = compare(old, new)
    if verdict != "apart":
        assert (verdict == "old gives way") == (a <= b)
    elif a != b:
        assert compare(new, old) == "apart"
