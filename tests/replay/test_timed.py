"""The timed pass: every strategy, budget and chosen question once, positive times, caches kept apart."""

from __future__ import annotations

from dataclasses import replace

import mnemo_lab as ml
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.corpora.card import read_card
from mnemo_lab.recording import Recording
from mnemo_lab.replay.run import Run
from mnemo_lab.replay.timed import RECORDINGS, _chosen, time_run
from mnemo_lab.reporting.leaderboard import leaderboard
from tests.conversations import office_recording


def small_run() -> Run:
    data = Dataset.of("office", [office_recording()], read_card("bilingual"))
    return ml.run(data, ["bm25", "hybrid"], [64, 512], embedder="hashing", cache_dir="", progress=False)


def test_every_cell_is_timed_once() -> None:
    run = small_run()
    rows = time_run(run, show=False)
    asked_at_the_end = [p.id for p in office_recording().probes if p.after is None]
    wanted = {(s, b, p) for s in run.labels if s != "oracle" for b in (64, 512) for p in asked_at_the_end}
    assert {(row["strategy"], row["budget_tokens"], row["probe"]) for row in rows} == wanted
    assert len(rows) == len(wanted)
    assert all(row["recall_ms"] > 0 and row["observe_ms"] > 0 for row in rows)
    assert all(row["query_embedding_ms"] > 0 for row in rows)


def test_times_reach_the_leaderboard_only_when_taken() -> None:
    run = small_run()
    assert leaderboard(run)["recall_ms_p50"].null_count() == len(leaderboard(run))


def test_recordings_are_taken_in_turn_from_each_language() -> None:
    office = office_recording()

    def made(name: str, language: str) -> Recording:
        return replace(office, id=name, language=language)

    many = [made(f"en{i}", "en") for i in range(5)] + [made(f"zh{i}", "zh") for i in range(5)]
    assert [r.id for r in _chosen(many)] == ["en0", "zh0", "en1", "zh1"]
    assert len(_chosen(many)) == RECORDINGS
