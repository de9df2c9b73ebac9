"""The same in several periods, told in any order, and what is told as over."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.extraction.base import Fact
from mnemo_lab.memory.consolidate import LOW_CONFIDENCE
from tests.memory.material import active, everything, fact, timeline, told

COFFEE = (fact("drink", "coffee", valid_from="2025-01-01"), "2026-01-01")
TEA = (fact("drink", "tea", valid_from="2025-03-01"), "2026-01-02")
COFFEE_AGAIN = (fact("drink", "coffee", "Coffee again.", valid_from="2025-05-01"), "2026-01-03")
THREE = {
    ("coffee", "2025-01-01", "2025-03-01", "outdated"),
    ("tea", "2025-03-01", "2025-05-01", "outdated"),
    ("coffee", "2025-05-01", None, "active"),
}


def test_an_earlier_period_told_last_is_its_own() -> None:
    assert timeline(told(COFFEE, TEA, COFFEE_AGAIN)) == THREE
    assert timeline(told(TEA, COFFEE_AGAIN, COFFEE)) == THREE, "not the present coffee from 2025-01-01"


def test_said_again_of_a_time_within_a_period_is_said_again() -> None:
    within = (fact("drink", "coffee", "It was coffee then.", valid_from="2025-02-01"), "2026-02-01")
    memory = told(COFFEE, TEA, COFFEE_AGAIN, within)
    assert timeline(memory) == THREE
    assert memory.store.log("anna")[-1].after[-1].id == "m1"


def test_told_to_be_true_earlier_the_former_one_ends_earlier() -> None:
    memory = told(COFFEE, TEA, (fact("drink", "tea", "Tea since February.", valid_from="2025-02-01"), "2026-02-01"))
    assert timeline(memory) == {
        ("coffee", "2025-01-01", "2025-02-01", "outdated"),
        ("tea", "2025-02-01", None, "active"),
    }


def test_an_earlier_time_at_a_place_does_not_end_the_present_one() -> None:
    for value, words in (("Acme", "I was at Acme from 2020 to 2022."), ("云帆", "2020 到 2022 年我也在云帆")):
        earlier = fact("employer", value, words, past=True, valid_from="2020-01-01", valid_to="2022-01-01")
        memory = told((fact("employer", value), "2025-01-01"), (earlier, "2026-01-01"))
        assert timeline(memory) == {
            (value, "2025-01-01", None, "active"),
            (value, "2020-01-01", "2022-01-01", "outdated"),
        }


def test_two_times_that_are_over_stay_two() -> None:
    spans = [("2010-01-01", "2012-01-01"), ("2015-01-01", "2016-01-01")]
    facts = [fact("city", "Lyon", f"Lyon, {a}.", past=True, valid_from=a, valid_to=b) for a, b in spans]
    memory = told((facts[0], "2026-01-01"), (facts[1], "2026-01-02"), (facts[0], "2026-01-03"))
    assert timeline(memory) == {("Lyon", a, b, "outdated") for a, b in spans}


def test_what_is_told_as_true_now_outlives_what_is_over() -> None:
    stay = fact("city", "Lisbon", past=True, valid_from="2015-01-01", valid_to="2016-01-01")
    memory = told(
        (stay, "2026-01-01"), (fact("city", "Lyon", "In Lyon since 2010.", valid_from="2010-01-01"), "2026-02-01")
    )
    assert active(memory) == ["Lyon"]


def test_what_is_over_does_not_end_before_it_begins() -> None:
    memory = told(
        (fact("city", "Lyon", valid_from="2024-01-01"), "2026-01-01"),
        (fact("city", "Berlin", past=True, valid_from="2025-01-01"), "2026-02-01"),
    )
    berlin = everything(memory)[1]
    assert active(memory) == ["Lyon"]
    assert (berlin.valid_from, berlin.valid_to) == ("2025-01-01", "2026-02-01") and LOW_CONFIDENCE in berlin.flags


TOLD = st.tuples(st.sampled_from(["Berlin", "Lyon", "里斯本"]), st.dates(date(2020, 1, 1), date(2020, 1, 20)).map(str))


@settings(max_examples=200, deadline=None)
@given(st.lists(TOLD, max_size=8))
def test_one_of_a_slot_at_a_time(facts: list[tuple[str, str]]) -> None:
    """At most one is active, and where no two begin on one day, no two periods have a day in common."""
    memory = told(*((fact("city", value, valid_from=day), "2026-06-01") for value, day in facts))
    assert len(active(memory)) == bool(facts)
    spans = sorted((one.valid_from or "", one.valid_to or "9999-12-31") for one in everything(memory))
    if len({day for _, day in facts}) == len(facts):
        assert all(end <= start for (_, end), (start, _) in pairwise(spans)), spans
        assert spans == sorted({*spans}) and all(start < end for start, end in spans)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c", "丁", "戊"]), st.dates(), min_size=1), st.randoms())
def test_any_order_of_dated_facts_gives_one_timeline(days: dict[str, object], random: object) -> None:
    told_days = {value: str(day) for value, day in days.items() if list(days.values()).count(day) == 1}
    order = list(told_days)
    random.shuffle(order)  # type: ignore[attr-defined]
    memory = told(*((fact("city", value, valid_from=told_days[value]), "2026-06-01") for value in order))
    values = sorted(told_days, key=lambda value: told_days[value])
    ends = [*(told_days[value] for value in values[1:]), None]
    expected = {
        (v, told_days[v], end, "outdated" if end else "active") for v, end in zip(values, ends, strict=bool(values))
    }
    assert timeline(memory) == (expected if values else set())


ANY = st.builds(
    fact,
    st.sampled_from(["drink", "饮料", "rule"]),
    st.sampled_from(["tea", "coffee", "茶", "Ｔｅａ", "at most 3", "at most 5"]),
    polarity=st.sampled_from(["positive", "positive", "negative"]),
    valid_from=st.none() | st.dates(date(2020, 1, 1), date(2020, 1, 9)).map(str),
    changes=st.booleans(),
    former=st.sampled_from([None, "tea", "green tea", "茶"]),
    additive=st.booleans(),
    past=st.booleans(),
).map(lambda one: replace(one, valid_to="2020-02-01") if one.past and len(one.value) > 3 else one)


@settings(max_examples=200, deadline=None)
@given(st.lists(ANY, max_size=9))
def test_what_is_over_was_replaced_or_told_as_over(facts: list[Fact]) -> None:
    memory = told()
    over: set[str] = set()
    for one in facts:
        decision = memory.remember(one, "2026-06-01")
        assert decision is not None and decision.after
        assert {old.id for old in decision.before} <= {kept.id for kept in decision.after}, "nothing is only taken away"
        over |= {decision.after[-1].id} if one.past else set()
    kept = {one.id: one for one in everything(memory)}
    for item in kept.values():
        assert item.status == "active" or item.superseded_by in kept or item.id in over
        assert item.superseded_by != item.id
        assert not (item.valid_from and item.valid_to) or item.valid_from <= item.valid_to
