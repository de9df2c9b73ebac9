"""Comparisons against a baseline, by hand."""

from math import isnan

import pytest

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.reporting.compare import compare
from tests.reporting.runs import Shape, make_run


def recall(strategy, recording, index, budget):
    """bm25 is 0.5 above recent in r1..r5 and equal in r6; grows by 0.1 with each doubling of the budget."""
    base = {"full": 1.0, "oracle": 1.0, "recent": 0.2, "random": 0.2, "seed_truncator": 0.1}
    if strategy in base:
        return base[strategy]
    return 0.2 if recording == "r6" else 0.7 + 0.1 * {512: -1, 1024: 0, 2048: 1}[budget]


def test_difference_tests_and_counts():
    found = compare(make_run(Shape(), recall))
    row = found["bm25"]
    assert (found.budget, found.baseline, found.split, found.metric) == (2048, "recent", "test", "evidence_recall")
    assert row.mean == pytest.approx((5 * 0.8 + 0.2) / 6)
    assert row.pair.difference == pytest.approx(0.5)
    assert (row.pair.wins, row.pair.ties, row.pair.losses, row.n, row.clusters) == (10, 2, 0, 12, 6)
    # Five recordings differ, all the same way: p = 2 / 2**5, the smallest they can give.
    assert row.pair.p_permutation == row.pair.smallest_p == pytest.approx(1 / 16)
    # seed_truncator is lower in all six: p = 1/32; random is equal: p = 1. Holm over three.
    assert found["seed_truncator"].p_holm == pytest.approx(3 / 32)
    assert row.p_holm == pytest.approx(2 / 16)
    assert found["random"].p_holm == 1.0
    assert found.smallest_p == pytest.approx(1 / 32)


def test_references_are_shown_but_not_tested():
    found = compare(make_run(Shape(), recall))
    assert found["oracle"].pair.difference == pytest.approx(0.8)
    assert isnan(found["oracle"].p_holm) and isnan(found["full"].p_holm)
    assert found["recent"].pair is None and not found["recent"].tested


def test_area_is_the_mean_over_log_tokens():
    row = compare(make_run(Shape(), recall))["bm25"]
    assert row.area == pytest.approx((5 * 0.7 + 0.2) / 6)  # .6 .7 .8 at even steps of the log
    assert row.area_difference == pytest.approx(5 * 0.5 / 6)
    assert isnan(compare(make_run(Shape(budgets=(512,)), recall))["bm25"].area)


def test_budget_metric_and_baseline_can_be_chosen():
    found = compare(make_run(Shape(), recall), "seed_truncator", "evidence_all", 512)
    assert found["oracle"].pair.difference == 1.0
    assert found["bm25"].pair.difference == 0.0
    assert found["oracle"].mcnemar_p == pytest.approx(2 / 2**12)


@pytest.mark.parametrize(
    ("arguments", "kind", "allowed"),
    [
        (("nobody",), UnknownName, "recent"),
        (("recent", "happiness"), UnknownName, "evidence_recall"),
        (("recent", "evidence_age_tokens"), UnknownName, "ndcg_at_10"),
        (("recent", "mrr", 100), InvalidInput, "512, 1024, 2048"),
        (("recent", "mrr", 512, "holdout"), UnknownName, "test"),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(arguments, kind, allowed):
    with pytest.raises(kind, match=allowed):
        compare(make_run(Shape(), recall), *arguments)


def test_development_recordings_are_left_out_by_default():
    run = make_run(Shape(dev=("r6",)), recall)
    assert compare(run)["bm25"].mean == pytest.approx(0.8)
    assert compare(run, split="all")["bm25"].mean == pytest.approx(0.7)
    assert compare(run, split="dev")["bm25"].mean == pytest.approx(0.2)


def test_the_grids_baseline_may_have_settings():
    found = compare(make_run(Shape(baseline="recent(keep_last_n=5)"), lambda *_: 0.5))
    assert found.baseline == "recent(keep_last_n=5)"
    assert found["recent(keep_last_n=5)"].pair is None


def test_failed_probes_are_left_out_and_counted():
    run = make_run(
        Shape(), lambda s, r, i, b: float("nan") if s == "bm25" and i else recall(s, r, i, b), error="OSError: x"
    )
    found = compare(run)
    assert (found["bm25"].n, found["bm25"].failed, found["bm25"].pair.n) == (6, 6, 6)
    assert "bm25: 6 probes failed and are left out." in found.notes


def test_frame_has_full_precision_and_nulls():
    frame = compare(make_run(Shape(), recall)).to_frame()
    assert frame["strategy"].to_list() == ["full", "recent", "random", "seed_truncator", "bm25", "oracle"]
    assert frame["difference"].to_list()[1] is None
    assert frame["difference"].to_list()[4] == pytest.approx(0.5)
    assert frame["wins"].to_list()[4] == 10


def test_text_markdown_and_html_say_the_same():
    found = compare(make_run(Shape(), recall))
    text, markdown, page = str(found), found.to_markdown(), found._repr_html_()
    for shown in (text, markdown, page):
        assert "+0.500" in shown and "10 / 2 / 0" in shown and "0.031" in shown
    assert "| bm25 | 0.700 |" in markdown
    assert "<b>" not in page and 'class="reference"' in page


def test_few_recordings_give_no_intervals_and_say_so():
    found = compare(make_run(Shape(recordings=("r1", "r2")), recall))
    assert isnan(found["bm25"].pair.lo)
    assert any("conditional on these recordings" in note for note in found.notes)
    assert found.smallest_p == 0.5


@pytest.mark.parametrize("value", [lambda *_: None, lambda *_: float("nan")])
def test_nothing_defined_is_text_not_a_traceback(value):
    found = compare(make_run(Shape(), value))
    assert found.clusters == 0
    assert "has a defined evidence_recall" in str(found)
    assert found._repr_html_() and found.to_markdown() and found.to_frame().height == len(found.rows)
