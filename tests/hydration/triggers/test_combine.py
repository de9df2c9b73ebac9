"""Triggers as text, and what ``and`` and ``or`` make of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns
from mnemo_lab.hydration.triggers.combine import AllOf, AnyOf, parse_trigger
from mnemo_lab.hydration.triggers.every import Every
from mnemo_lab.hydration.triggers.gap import Gap
from mnemo_lab.hydration.triggers.topic_shift import Drift, TopicShift
from mnemo_lab.registry import names, resolve
from tests.hydration.talks import openings


@dataclass(frozen=True)
class Fixed(Trigger):
    """Says the same each time, and counts how often it was asked."""

    name: ClassVar[str] = "fixed"
    score: float | None = None
    dear: bool = False

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"language_model"} if self.dear else ())

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        turns.seen.setdefault(str(self), []).append(1.0)
        return self.score


def test_precedence_and_defaults() -> None:
    found = parse_trigger(" every(n=5) and (topic_shift or drift(threshold=1)) or gap(hours=2) ")
    assert found == AnyOf((AllOf((Every(5), AnyOf((TopicShift(), Drift(1.0))))), Gap(2.0)))
    assert str(found) == f"every(n=5) and ({TopicShift()} or drift(threshold=1.0)) or gap(hours=2.0)"
    assert parse_trigger("(every(n=2) or every(n=3)) or cue()").parts[1] == Every(3)  # type: ignore[attr-defined]
    assert Every() == Every(5), "the seed's minimum"


SINGLE = st.sampled_from(names("trigger")).map(lambda name: resolve("trigger", name)())
ANY = st.recursive(
    SINGLE,
    lambda inner: st.builds(
        lambda kind, parts: f"({kind.join(map(str, parts))})",
        st.sampled_from([" and ", " or "]),
        st.lists(inner, min_size=2, max_size=3),
    ),
    max_leaves=6,
).map(lambda trigger: parse_trigger(str(trigger)))


@given(ANY)
def test_what_is_printed_parses_back(trigger: Trigger) -> None:
    assert parse_trigger(str(trigger)) == trigger


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cannot read the trigger ''; write e.g. every"),
        ("every(n=5) and", "cannot read the trigger"),
        ("not cue()", r"in the trigger 'not cue\(\)': 'not cue\(\)' is not a trigger"),
        ("every(n=5) & cue()", "is not a trigger"),
        ("evry(n=5)", r"unknown trigger 'evry'; known: .* Did you mean 'every'"),
        ("every(m=5)", "unknown parameter of every 'm'; known: n"),
        ("every(n='5')", r"every\(n=…\): '5' is not of type int"),
        ("every(n=0)", r"every\(n=0\): must be 1 turn or more"),
        ("gap(hours=0)", r"gap\(hours=0.0\): must be more than 0"),
        ("drift(threshold=2)", "a cosine is -1 to 1"),
        ("topic_shift(window=0)", r"topic_shift\(window=0\): must be 1 or more"),
        ("topic_shift(sigmas=0)", "must be more than 0 standard deviations"),
        ("topic_shift(measure='dip')", r"one of 'drop', 'depth'"),
        ("topic_shift(length=-1)", r"topic_shift\(length=-1.0\): must be 0 or more"),
        ("cue(begins=False, ends=False)", "never fires"),
        ("intent(threshold=0)", "must be more than 0 and at most 1"),
        ("intent(topic=False, done=False, decision=False)", "never fires"),
        ("model(turns=0)", "must be 1 turn or more"),
        ("(" * 500 + "cue" + ")" * 500, "cannot read the trigger"),
        ("every(n=__import__('os'))", "must be a literal"),
    ],
)
def test_faults_are_named(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_trigger(text)


def test_or_is_as_sure_as_the_surest_and_and_as_the_least_sure() -> None:
    turns = openings("a", "b")
    low, high, no = Fixed(0.2), Fixed(0.9), Fixed()
    assert AnyOf((low, high, no)).fires(turns, 1, [0]) == 0.9 and AnyOf((no, no)).fires(turns, 1, [0]) is None
    assert AllOf((low, high)).fires(turns, 1, [0]) == 0.2 and AllOf((low, no)).fires(turns, 1, [0]) is None
    assert AnyOf((low, AllOf((high, high)))).cause(turns, 1, [0]) == AllOf((high, high))
    assert AnyOf((low, no)).cause(turns, 1, [0]) == low


def asked(turns: Turns, trigger: Trigger) -> int:
    return len(turns.seen.get(str(trigger), []))


def test_free_parts_are_always_asked_and_dear_ones_only_where_they_decide() -> None:
    no, yes, dear = Fixed(), Fixed(0.5), Fixed(0.7, dear=True)
    turns = openings("a", "b")
    AllOf((no, yes, dear)).fires(turns, 1, [0])
    assert (asked(turns, no), asked(turns, yes), asked(turns, dear)) == (1, 1, 0)
    assert AllOf((yes, dear)).fires(turns, 1, [0]) == 0.5 and asked(turns, dear) == 1
    assert AnyOf((yes, dear)).fires(turns, 1, [0]) == 0.5 and asked(turns, dear) == 1
    assert AnyOf((no, dear)).fires(turns, 1, [0]) == 0.7 and asked(turns, dear) == 2
    assert AnyOf((no, dear)).needs == {"language_model"}
