"""The paragraph on constructed winners, ties and gaps."""

from math import nan

import polars as pl

from mnemo_lab.reporting.bands import Band, find_bands
from mnemo_lab.reporting.verdict import verdict
from tests.reporting.runs import Shape, make_run

TWELVE = tuple(f"r{i}" for i in range(12))
FIXED = {"full": 1.0, "oracle": 0.98, "recent": 0.2, "random": 0.1, "seed_truncator": 0.05}


def winner(strategy, recording, index, budget):
    """bm25 wins clearly, a little differently in each recording."""
    return FIXED.get(strategy, 0.6 + int(recording[1:]) / 50)


def test_a_clear_winner():
    found = verdict(make_run(Shape(recordings=TWELVE), winner))
    assert (found.winner, found.decided) == ("bm25", True)
    assert found.headline == "Use bm25 at 512–2,048 tokens (keeps 0.71 of the evidence)."
    assert (
        "At 2,048 tokens bm25 keeps 0.71 of the evidence word for word, recent 0.20: +0.51 (95 % interval"
        in found.detail
    )
    assert "Holm-adjusted p = 0.0015 over 3 strategies; 24 questions of 12 recordings" in found.detail  # 3 / 2**11
    assert "Over the runner-up recent (0.20) that is +0.510" in found.detail and "a clear lead" in found.detail
    assert "recent gives 0.20, random gives 0.10 and the evidence alone (oracle) 0.98" in found.detail
    assert "needs no model to write its memory" in found.detail


def test_a_tie_is_not_decided():
    found = verdict(make_run(Shape(recordings=TWELVE), lambda s, *_: FIXED.get(s, 0.2)))
    assert not found.decided
    assert found.headline == (
        "Undecided; highest evidence recall so far: recent or bm25 at 512–2,048 tokens (keeps 0.20 of the evidence)."
    )
    assert "nothing beats the baseline recent" in found.detail
    assert "cannot be told apart" in found.detail


def test_a_difference_that_changes_sign_is_not_decided():
    run = make_run(Shape(recordings=TWELVE), lambda s, r, i, b: FIXED.get(s, 0.9 if int(r[1:]) % 2 else 0.0))
    found = verdict(run)
    assert not found.decided and found.headline.startswith("Undecided")
    assert "That is not enough to tell it from recent." in found.detail


def test_few_recordings_are_conditional():
    found = verdict(make_run(Shape(recordings=TWELVE[:5]), winner))
    assert found.headline.startswith("On these 5 recordings: bm25 at")
    assert "conditional on these recordings: 5 recordings can give no p below 0.062" in found.detail
    assert "95 % interval" not in found.detail and not found.decided


def test_too_many_strategies_for_the_recordings():
    found = verdict(make_run(Shape(), winner))
    assert "With 6 recordings and so many strategies the adjusted p cannot fall below 0.094." in found.detail
    assert found.headline.startswith("On these 6 recordings: bm25")


def test_bands_change_with_the_budget():
    def value(strategy, recording, index, budget):
        return winner(strategy, recording, index, budget) if budget < 2048 or strategy != "recent" else 0.9

    found = verdict(make_run(Shape(recordings=TWELVE), value))
    assert [band.winners for band in found.bands] == [("bm25",), ("recent",)]
    assert "bm25 at 512–1,024 tokens (keeps 0.71 of the evidence); recent at 2,048 tokens (keeps 0.90" in found.headline


def test_bands_by_hand():
    board = pl.DataFrame(
        {
            "strategy": ["a", "b", "a", "b", "a", "b", "c"],
            "budget_tokens": [1, 1, 2, 2, 4, 4, 4],
            "evidence_recall": [0.5, 0.4, 0.6, 0.1, 0.7, 0.702, 1.0],
        }
    )
    assert find_bands(board, ["a", "b"]) == (Band((1, 2), ("a",), 0.5, 0.6), Band((4,), ("a", "b"), 0.702, 0.702))


def test_answers_that_rank_otherwise_are_said():
    def value(strategy, recording, index, budget):
        recall = winner(strategy, recording, index, budget)
        answer = 0.95 if strategy == "recent" else recall
        return {"evidence_recall": recall, "evidence_all": 0.0, "answer_in_context": answer}

    found = verdict(make_run(Shape(recordings=TWELVE), value))
    assert "By answer in context recent leads with 0.95 (bm25: 0.71)." in found.detail


def test_writing_costs_are_named():
    def value(strategy, recording, index, budget):
        return {
            "evidence_recall": winner(strategy, recording, index, budget),
            "evidence_all": 0.0,
            "write_tokens": 1234.0,
        }

    assert "costs models (embedders included) 1,234 tokens" in verdict(make_run(Shape(recordings=TWELVE), value)).detail


def test_no_verdict_says_why():
    assert "nothing was replayed" in verdict(make_run(Shape(), lambda *_: None)).text
    assert "not defined for any question" in verdict(make_run(Shape(), lambda *_: nan)).text
    assert "no answerable question" in verdict(make_run(Shape(unanswerable=(0, 1)), winner)).text
    failed = verdict(make_run(Shape(), lambda *_: nan, error="ValueError: broken")).text
    assert "Every strategy failed" in failed and "bm25 on 36 rows" in failed


def test_missing_and_failed_questions_are_said():
    def value(strategy, recording, index, budget):
        return nan if strategy == "bm25" and index else winner(strategy, recording, index, budget)

    found = verdict(make_run(Shape(recordings=TWELVE), value, error="ValueError: broken"))
    assert "Mind that bm25 is defined for 12 of 24 questions." in found.detail
    assert "Failed: bm25 on 36 rows" in found.detail
