"""Evidence metrics on outcomes worked by hand."""

from __future__ import annotations

from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.metrics.evidence import (
    evidence_all,
    evidence_any,
    evidence_coverage,
    evidence_recall,
    evidence_represented,
)
from mnemo_lab.recording import Span
from mnemo_lab.text.key_terms import key_terms, stands_in
from tests.metrics.outcomes import Keep, ask, outcome_of

TEXTS = ["The port is 5433.", "Tea, please.", "预算是 七十二万。", "", "  \n "]


@pytest.mark.parametrize(
    ("evidence", "keep", "recall", "some", "every"),
    [
        ("m0", ["m0"], 1, 1, 1),
        ("m0", ["m1", "m2"], 0, 0, 0),
        ("m0 m1", ["m1"], 0.5, 1, 0),
        ("m0 m1 m2", ["m2", "m0", "m1"], 1, 1, 1),
        ("m0 m1 m2", [], 0, 0, 0),
        ("", ["m0"], nan, nan, nan),
        ("m0", [("m0", ((0, 16),))], 0, 0, 0),  # all but the full stop is not the whole
        ("m0", [("m0", ((0, 8), (8, 17)))], 1, 1, 1),
        ("m0", [("m0", ((0, 10),)), ("m0", ((8, 17),))], 1, 1, 1),
        ("m0", [("m0", ((0, 8), (9, 17)))], 0, 0, 0),
        ("m2", ["m2"], 1, 1, 1),
        ("m3", ["m3"], 1, 1, 1),
        ("m3", [], 0, 0, 0),
        ("m0 m0", ["m0"], 1, 1, 1),
        ("m0 m0 m1", ["m0"], 0.5, 1, 0),
    ],
)
def test_recall_any_all(evidence: str, keep: list[Keep], recall: float, some: float, every: float) -> None:
    outcome = outcome_of(TEXTS, ask(evidence=evidence), keep)
    found = evidence_recall(outcome), evidence_any(outcome), evidence_all(outcome)
    assert found == pytest.approx((recall, some, every), nan_ok=True)


@pytest.mark.parametrize(
    ("evidence", "keep", "coverage"),
    [
        ("m0", ["m0"], 1),
        ("m0", [], 0),
        ("m0", [("m0", ((0, 8),))], 7 / 14),  # "The port" of "Theportis5433."
        ("m0", [("m0", ((0, 8), (12, 17)))], 12 / 14),
        ("m0", [("m0", ((0, 8),)), ("m0", ((4, 11),))], 9 / 14),  # overlapping spans count once
        ("m0 m1", [("m0", ((0, 8),)), "m1"], (0.5 + 1) / 2),
        ("m2", [("m2", ((0, 3),))], 3 / 8),
        ("", ["m0"], nan),
    ],
)
def test_coverage(evidence: str, keep: list[Keep], coverage: float) -> None:
    """Characters that are not white space; several evidence messages weigh the same."""
    assert evidence_coverage(outcome_of(TEXTS, ask(evidence=evidence), keep)) == pytest.approx(coverage, nan_ok=True)


def test_coverage_of_a_labelled_span() -> None:
    """Only the labelled characters count: 5433 of the message."""
    probe = ask(evidence="m0", spans=(Span("m0", 12, 16),))
    assert evidence_coverage(outcome_of(TEXTS, probe, [("m0", ((11, 14),))])) == 0.5
    assert evidence_coverage(outcome_of(TEXTS, probe, [("m0", ((0, 12),))])) == 0
    assert evidence_coverage(outcome_of(TEXTS, probe, [("m0", ((12, 17),))])) == 1
    assert evidence_recall(outcome_of(TEXTS, probe, [("m0", ((12, 17),))])) == 0
    overlapping = ask(evidence="m0", spans=(Span("m0", 12, 15), Span("m0", 13, 16)))
    assert evidence_coverage(outcome_of(TEXTS, overlapping, [("m0", ((12, 14),))])) == 0.5


@pytest.mark.parametrize("evidence", ["m3", "m4"])
def test_coverage_of_nothing_to_cover(evidence: str) -> None:
    """Undefined whether kept or not: a mean over strategies must not depend on who kept an empty message."""
    for keep in ([evidence], []):
        assert isnan(evidence_coverage(outcome_of(TEXTS, ask(evidence=evidence), keep)))
        beside = outcome_of(TEXTS, ask(evidence=f"m0 {evidence}"), [*keep, ("m0", ((0, 8),))])
        assert evidence_coverage(beside) == 0.5


@given(st.lists(st.tuples(st.integers(0, 17), st.integers(0, 17)).map(sorted).map(tuple), max_size=5))
def test_coverage_counts_characters(spans: list[tuple[int, int]]) -> None:
    """Against a set of character places, for any spans."""
    spans = [span for span in spans if span[0] < span[1]]
    keep: list[Keep] = [("m0", (span,)) for span in spans]
    places = {i for a, b in spans for i in range(a, b) if not TEXTS[0][i].isspace()}
    outcome = outcome_of(TEXTS, ask(evidence="m0"), keep)
    assert evidence_coverage(outcome) == pytest.approx(len(places) / 14)
    assert evidence_recall(outcome) == float({i for a, b in spans for i in range(a, b)} == set(range(17)))


FACTS = ["We met Maria Silva in Room 12 and paid 3900 for ticket E-4417.", "Use cust_ref_2 for 锁 543。"]


def test_key_terms() -> None:
    assert key_terms(FACTS[0]) == {"maria silva", "room", "12", "3900", "e-4417"}
    assert key_terms(FACTS[1]) == {"cust_ref_2", "543"}


@pytest.mark.parametrize(
    ("derived", "survive"),
    [
        ("Maria Silva paid 3900.", 2 / 5),
        ("MARIA SILVA, room 12: e-4417, 3900", 1),
        ("Met Maria; paid 39000 for E-44177 in room 123", 1 / 5),  # room alone: a part of a number is another number
        ("支付3900元，在房间12", 2 / 5),
        ("nothing of it", 0),
    ],
)
def test_represented(derived: str, survive: float) -> None:
    assert evidence_represented(outcome_of(FACTS, ask(evidence="m0"), derived=derived)) == pytest.approx(survive)


def test_represented_counts_answer_words_and_leaves_out_what_is_verbatim() -> None:
    probe = ask(answer="the stale lock", evidence="m1")
    half = outcome_of(FACTS, probe, derived="A stale thing, cust_ref_2")
    assert evidence_represented(half) == pytest.approx((1 + 1) / (2 + 2))  # terms and answer words, article aside
    both = ask(evidence="m0 m1")
    assert evidence_represented(outcome_of(FACTS, both, ["m0"], "543")) == 0.5  # m0 is verbatim: only m1 is asked
    assert evidence_represented(outcome_of(FACTS, both, [("m0", ((0, 9),))], "543")) == pytest.approx((0 + 0.5) / 2)


def test_represented_is_undefined_without_derived_text() -> None:
    assert isnan(evidence_represented(outcome_of(FACTS, ask(evidence="m0"), ["m0"])))
    assert isnan(evidence_represented(outcome_of(FACTS, ask(evidence="m0"), ["m0"], "a summary")))
    assert isnan(evidence_represented(outcome_of(FACTS, ask(), derived="a summary")))
    assert isnan(evidence_represented(outcome_of(["so be it"], ask(evidence="m0"), derived="a summary")))


def test_derived_text_never_counts_as_recall() -> None:
    outcome = outcome_of(TEXTS, ask(evidence="m0"), derived=TEXTS[0])
    assert (evidence_recall(outcome), evidence_coverage(outcome)) == (0, 0)


@pytest.mark.parametrize(
    ("text", "term", "stands"),
    [
        ("5433", "543", False),
        ("a 543.", "543", True),
        ("锁543号", "543", True),
        ("é1", "1", False),
        ("axb", "a.b", False),
    ],
)
def test_stands_in(text: str, term: str, stands: bool) -> None:
    assert stands_in(text, term) == stands
