"""Ranking measures equal ranx, and ir-measures where it is installed, on any ranking; sizes and ages by hand."""

from __future__ import annotations

from math import isnan, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.metrics import METRICS, measure
from mnemo_lab.metrics.ranking import mrr, ndcg_at, recall_at, session_recall_at
from mnemo_lab.metrics.sizes import context_tokens, evidence_age_messages, evidence_age_tokens, precision
from mnemo_lab.packing.lines import transcript_line
from mnemo_lab.replay.loop import failed_outcome
from tests.interpreted_ranx import Qrels, Run, evaluate
from tests.metrics.outcomes import SERVICES, ask, outcome_of, view_of

SIZE = 24
TEXTS = [f"message {i}" for i in range(SIZE)]
RANKINGS = st.permutations(range(SIZE)).flatmap(lambda order: st.integers(1, SIZE).map(lambda n: order[:n]))
GOLD = st.sets(st.integers(0, SIZE - 1), min_size=1, max_size=14)


def ours(ranking: list[int], gold: set[int]) -> dict[str, float]:
    outcome = outcome_of(TEXTS, ask(evidence=" ".join(f"m{e}" for e in gold)), ranking=ranking)
    return {
        "recall@1": recall_at(1, outcome), "recall@5": recall_at(5, outcome), "recall@10": recall_at(10, outcome),
        "mrr": mrr(outcome), "ndcg@10": ndcg_at(10, outcome),
    }  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(ranking=RANKINGS, gold=GOLD)
def test_equal_ranx(ranking: list[int], gold: set[int]) -> None:
    found = ours(ranking, gold)
    qrels = Qrels({"q": {f"m{e}": 1 for e in gold}})
    run = Run({"q": {f"m{p}": float(SIZE - rank) for rank, p in enumerate(ranking)}})
    theirs = evaluate(qrels, run, list(found), return_mean=False)
    assert found == pytest.approx({name: float(values[0]) for name, values in theirs.items()})


@settings(max_examples=60, deadline=None)
@given(ranking=RANKINGS, gold=GOLD)
def test_equal_ir_measures(ranking: list[int], gold: set[int]) -> None:
    ir = pytest.importorskip("ir_measures", reason="ir-measures is not installed; ranx is the reference")
    wanted = {"recall@1": "R@1", "recall@5": "R@5", "recall@10": "R@10", "mrr": "RR", "ndcg@10": "nDCG@10"}
    qrels = [ir.Qrel("q", f"m{e}", 1) for e in gold]
    run = [ir.ScoredDoc("q", f"m{p}", float(SIZE - rank)) for rank, p in enumerate(ranking)]
    theirs = {str(m.measure): m.value for m in ir.iter_calc([ir.parse_measure(t) for t in wanted.values()], qrels, run)}
    assert ours(ranking, gold) == pytest.approx({name: theirs[text] for name, text in wanted.items()})


def test_by_hand() -> None:
    found = ours([7, 3, 9, 1], {3, 1, 20})
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    gain = 1 / log2(3) + 1 / log2(5)
    expected = {"recall@1": 0, "recall@5": 2 / 3, "recall@10": 2 / 3, "mrr": 0.5, "ndcg@10": gain / ideal}
    assert found == pytest.approx(expected)


def test_by_session() -> None:
    """The first k distinct sessions of the ranking against the sessions of the evidence."""
    sessions = [0, 0, 1, 1, 2, 2, 3, 3]
    outcome = outcome_of(TEXTS[:8], ask(evidence="m0 m1 m6"), ranking=[4, 5, 1, 0, 7], sessions=sessions)
    assert [session_recall_at(k, outcome) for k in (1, 2, 3)] == [0, 0.5, 1]


def test_undefined_without_ranking_or_evidence() -> None:
    for outcome in (outcome_of(TEXTS, ask(evidence="m0")), outcome_of(TEXTS, ask(), ranking=[0, 1])):
        values = recall_at(5, outcome), session_recall_at(5, outcome), mrr(outcome), ndcg_at(10, outcome)
        assert all(map(isnan, values))
    assert mrr(outcome_of(TEXTS, ask(evidence="m9"), ranking=[0, 1])) == 0


def test_precision_and_size() -> None:
    texts = ["The port is 5433.", "Tea, please.", "Cake!"]
    a, b = (SERVICES.count(f"{text}\n") for text in texts[:2])
    outcome = outcome_of(texts, ask(evidence="m0 m2"), ["m0", "m1"])
    assert context_tokens(outcome) == a + b
    assert precision(outcome) == pytest.approx(a / (a + b))
    assert isnan(precision(outcome_of(texts, ask(evidence="m0"))))
    assert isnan(precision(outcome_of(texts, ask(), ["m0"])))


def test_age_of_the_evidence() -> None:
    """Messages and tokens said after the evidence and before the question."""
    texts = ["one", "two two", "three three three", "four"]
    late = outcome_of(texts, ask(evidence="m0 m2"))
    tokens = [SERVICES.count(transcript_line(message)) for message in late.view.messages]
    assert evidence_age_messages(late) == (3 + 1) / 2
    assert evidence_age_tokens(late) == (sum(tokens[1:]) + tokens[3]) / 2
    asked_early = outcome_of(texts, ask(evidence="m0", after="m1"))
    assert evidence_age_messages(asked_early) == 1
    assert evidence_age_tokens(asked_early) == tokens[1]
    assert evidence_age_messages(outcome_of(texts, ask(evidence="m3"))) == 0
    assert isnan(evidence_age_messages(outcome_of(texts, ask())))


def test_a_failed_strategy_has_no_values() -> None:
    """Every metric is NaN but what is known of the probe itself: never a silent 0."""
    probe = ask(answer="5433", evidence="m0")
    values = measure(failed_outcome(view_of(["port 5433", "tea"], probe), probe, "broken", 512, "ValueError: no"))
    assert values.keys() == METRICS.keys()
    assert {name for name, value in values.items() if value == value} == {
        "evidence_age_tokens",
        "evidence_age_messages",
    }
    assert values["evidence_age_messages"] == 1


def test_every_metric_is_documented() -> None:
    for name, metric in METRICS.items():
        assert (getattr(metric, "func", metric).__doc__ or "").strip(), name
