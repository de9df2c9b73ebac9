"""The leaderboard's numbers, by hand."""

import csv

import polars as pl
import pytest

from mnemo_lab.reporting.leaderboard import COLUMNS, leaderboard, write_leaderboard
from mnemo_lab.statistics import mean_interval
from tests.reporting.runs import Shape, make_run

HEADER = (
    "dataset,split,category,strategy,budget_tokens,n,evidence_recall,evidence_recall_lo,evidence_recall_hi,evidence_all,"
    "evidence_any,evidence_coverage,answer_in_context,recall_at_1,recall_at_5,recall_at_10,mrr,ndcg_at_10,"
    "context_tokens,write_tokens,recall_ms_p50,recall_ms_p95"
)


def recall(strategy, recording, index, budget):
    """bm25: recording ri has (i/10, (i+1)/10); everything else 0.5."""
    return (int(recording[1:]) + index) / 10 if strategy == "bm25" else 0.5


def line(board, **wanted):
    found = board.filter(*(pl.col(key) == value for key, value in wanted.items()))
    assert found.height == 1
    return found.row(0, named=True)


def test_header_is_exact(tmp_path):
    write_leaderboard(leaderboard(make_run(Shape(), recall)), tmp_path / "deep" / "leaderboard.csv")
    assert (tmp_path / "deep" / "leaderboard.csv").read_text(encoding="utf-8").splitlines()[0] == HEADER
    assert ",".join(COLUMNS) == HEADER


def test_mean_and_interval_by_hand():
    found = line(
        leaderboard(make_run(Shape(), recall)), split="test", category="answerable", strategy="bm25", budget_tokens=512
    )
    # Recordings' means .15 .25 .35 .45 .55 .65: mean .4, s = .18708, s / sqrt(6) = .076376, t(5) = 2.570582.
    assert found["n"] == 12
    assert found["evidence_recall"] == pytest.approx(0.4)
    assert found["evidence_recall_lo"] == pytest.approx(0.4 - 2.570582 * 0.0763763, abs=1e-5)
    assert found["evidence_recall_hi"] == pytest.approx(0.4 + 2.570582 * 0.0763763, abs=1e-5)
    assert found["context_tokens"] == 504
    assert found["recall_at_1"] is None


def test_unequal_recordings_agree_with_the_statistics():
    run = make_run(Shape(probes=3), lambda s, r, i, b: None if r == "r1" and i else recall(s, r, i, b))
    found = line(leaderboard(run), split="test", category="all", strategy="bm25", budget_tokens=512)
    rows = run.rows.filter((pl.col("strategy") == "bm25") & (pl.col("budget_tokens") == 512))
    want = mean_interval(rows["evidence_recall"].to_list(), rows["recording"].to_list(), bounds=(0, 1))
    assert (found["n"], found["evidence_recall_lo"], found["evidence_recall_hi"]) == pytest.approx(
        (16, want.lo, want.hi)
    )


def test_no_interval_below_six_recordings(tmp_path):
    board = leaderboard(make_run(Shape(recordings=("r1", "r2", "r3", "r4", "r5")), recall))
    assert board["evidence_recall_lo"].null_count() == board["evidence_recall_hi"].null_count() == board.height
    write_leaderboard(board, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8") as stream:
        first = next(csv.DictReader(stream))
    assert (first["evidence_recall"], first["evidence_recall_lo"], first["recall_ms_p50"]) == ("0.5", "", "")


def test_splits_categories_and_unanswerable_probes():
    shape = Shape(categories=("a", "all"), dev=("r1", "r2"), unanswerable=(1,))
    board = leaderboard(make_run(shape, recall))
    assert board["split"].unique(maintain_order=True).to_list() == ["all", "dev", "test"]
    assert board["category"].unique(maintain_order=True).to_list() == ["all", "answerable", "a", "all (category)"]
    counts = {
        c: line(board, split="dev", category=c, strategy="bm25", budget_tokens=512)["n"]
        for c in ("all", "answerable", "a")
    }
    assert counts == {"all": 4, "answerable": 2, "a": 2}
    dev = line(board, split="dev", category="answerable", strategy="bm25", budget_tokens=512)
    assert dev["evidence_recall"] == pytest.approx(0.15)  # .1 and .2
    assert board["strategy"].unique(maintain_order=True).to_list() == [
        "full", "recent", "random", "seed_truncator", "bm25", "oracle",
    ]  # fmt: skip


def test_undefined_metrics_are_empty_and_not_counted():
    board = leaderboard(make_run(Shape(), lambda s, *_: float("nan") if s == "bm25" else 1.0))
    found = line(board, split="all", category="all", strategy="bm25", budget_tokens=512)
    assert (found["n"], found["evidence_recall"], found["evidence_recall_lo"]) == (0, None, None)


def test_milliseconds_come_from_timings_alone(tmp_path):
    run = make_run(Shape(), recall, tmp_path)
    run.store.write_timings([{"strategy": "bm25", "budget_tokens": 512, "recall_ms": ms} for ms in (1.0, 2.0, 3.0)])
    board = leaderboard(run)
    timed = line(board, split="test", category="all", strategy="bm25", budget_tokens=512)
    assert timed["recall_ms_p50"] == 2.0
    assert timed["recall_ms_p95"] == pytest.approx(2.9)
    assert line(board, split="test", category="all", strategy="bm25", budget_tokens=1024)["recall_ms_p50"] is None


def test_an_empty_run_has_the_columns_and_no_rows(tmp_path):
    board = leaderboard(make_run(Shape(), lambda *_: None))
    assert (board.height, tuple(board.columns)) == (0, COLUMNS)
    write_leaderboard(board, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == HEADER + "\n"
