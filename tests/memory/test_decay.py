"""How a memory fades: the numbers of the first design by hand, half-lives, the floor."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.decay import Decay, idle_days, prunable
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.ranking import Weights, rank
from mnemo_lab.memory.stores import open_store
from tests.memory.stores.material import EMBEDDER, add, item

NOW = datetime(2026, 9, 1, tzinfo=UTC)


def used(days: float, importance: int = 5, **fields: Any) -> MemoryItem:
    at = (NOW - timedelta(days=days)).isoformat()
    return item("a", "I use Helix", importance=importance, created_at="2020-01-01", last_accessed_at=at, **fields)


@pytest.mark.parametrize(
    ("days", "strength"),
    [(0, 5.0), (7, 5.0), (18.5, 4.7), (30, 4.4), (60, 4.1), (90, 3.8), (4000, 3.8), (-3, 5.0)],
)
def test_the_numbers_of_the_first_design(days: float, strength: float) -> None:
    """0.7 * 5 = 3.5, and 0.3 of 5, 4 (half way from 7 to 30 days), 3, 2, 1."""
    assert Decay().strength(used(days), NOW) == pytest.approx(strength)
    assert Decay().share(used(days), NOW) == pytest.approx(0.5 + 0.5 * strength / 5)


def test_a_half_life_is_of_its_category() -> None:
    """30 days of 30: 0.7 * 3 + 0.3 * 5 / 2 = 2.85; 60 days: 2.1 + 0.3 * 1.25 = 2.475."""
    decay = Decay(half_lives={"preference": 30.0, "近况": 10.0})
    assert decay.strength(used(30, 3), NOW) == pytest.approx(2.85)
    assert decay.strength(used(60, 3), NOW) == pytest.approx(2.475)
    assert decay.strength(used(30, 3, category="近况"), NOW) == pytest.approx(2.1 + 0.3 * 5 / 8)
    assert decay.strength(used(30, 3, category="decision"), NOW) == pytest.approx(3.0)


def test_what_was_never_used_fades_from_when_it_was_recorded() -> None:
    fresh = item("a", "x", created_at="2026-08-22T00:00:00+08:00")
    assert idle_days(fresh, NOW) == pytest.approx(10 + 8 / 24)
    assert idle_days(fresh, datetime(2026, 1, 1, tzinfo=UTC)) == 0


def test_only_what_is_idle_and_unimportant_goes() -> None:
    assert prunable(used(90, 2), NOW) and prunable(used(10, 4), NOW, days=10, importance=5)
    assert not prunable(used(89.9, 2), NOW) and not prunable(used(90, 3), NOW)
    assert not prunable(used(400, 1, status="outdated"), NOW)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 9999), st.floats(0, 9999), st.integers(1, 5), st.integers(1, 5), st.floats(0, 1))
def test_later_use_and_more_importance_never_weaken(a: float, b: float, low: int, high: int, floor: float) -> None:
    for decay in (Decay(floor=floor), Decay(floor=floor, half_lives={"preference": 20.0})):
        newer, older = (decay.share(used(days, min(low, high)), NOW) for days in sorted((a, b)))
        assert floor - 1e-9 <= older <= newer + 1e-9 <= 1 + 2e-9
        assert decay.share(used(a, max(low, high)), NOW) >= decay.share(used(a, min(low, high)), NOW) - 1e-9
    assert Decay(floor=1).share(used(a, low), NOW) == pytest.approx(1)


def test_a_floor_of_1_changes_nothing() -> None:
    with open_store(":memory:", EMBEDDER) as store:
        add(store, *(item(f"i{n}", f"port {'x ' * n}", created_at=f"20{26 - n}-01-01") for n in range(6)))
        kept = rank(store, "anna", "port", NOW, 6, Decay(floor=1), Weights())
        assert [hit.score for hit in kept.hits] == [hit.relevance for hit in kept.hits] and kept.hidden == ()


@pytest.mark.parametrize(
    ("fact", "query", "other"),
    [
        ("Marta's passport is in the blue drawer", "Where is Marta's passport?", "Lunch number {} was soup"),
        ("护照放在蓝色抽屉里", "护照在哪里？", "第{}次午饭喝了汤"),
    ],
)
def test_an_old_fact_is_found_among_recent_ones(fact: str, query: str, other: str) -> None:
    """242 days old, unused, of little importance, beside 50 of this week: first, and nothing is hidden."""
    with open_store(":memory:", EMBEDDER) as store:
        add(store, item("old", fact, importance=1, created_at=(NOW - timedelta(days=242)).isoformat()))
        add(store, *(item(f"n{n}", other.format(n), importance=5, created_at="2026-08-30") for n in range(50)))
        found = rank(store, "anna", query, NOW, 5, Decay(), Weights())
    assert found.items[0].id == "old" and found.hidden == ()
    assert found.hits[0].share == pytest.approx(0.5 + 0.5 * (0.7 + 0.3) / 5)


def test_what_decay_hides_is_listed() -> None:
    with open_store(":memory:") as store:
        add(store, item("old", "port port 5433", importance=1, created_at="2025-01-01"))
        add(store, item("new", "the port of the house by the sea", importance=5, created_at="2026-08-31"))
        found = rank(store, "anna", "port 5433", NOW, 1, Decay(floor=0), Weights())
        assert [hit.item.id for hit in found.hits] == ["old"], "0.2 of 1 is still more than the other's"
        steep = Decay(floor=0, importance=0, recency=1, half_lives={"preference": 20.0})
        found = rank(store, "anna", "port 5433", NOW, 1, steep, Weights())
        assert ([h.item.id for h in found.hits], [h.item.id for h in found.hidden]) == (["new"], ["old"])
        assert found.hidden[0].relevance == 1 and found.hidden[0].share < 1e-6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"floor": 1.5}, "floor=1.5; use 0 to 1"),
        ({"importance": -1}, "importance=-1"),
        ({"importance": 0, "recency": 0}, "use weights above 0"),
        ({"half_lives": {"preference": 0}}, "use days above 0"),
        ({"points": ()}, "growing days"),
        ({"points": ((7, 5), (7, 3))}, "growing days"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Decay(**settings)  # type: ignore[arg-type]
