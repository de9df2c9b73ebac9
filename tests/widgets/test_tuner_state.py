"""The tuner's numbers are the run's and the repacker's."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest

import mnemo_lab as ml
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.replay.repack import METRICS, Repacker
from mnemo_lab.replay.run import Run
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.widgets.tuner_state import TunerState


@pytest.fixture
def state(run: Run) -> TunerState:
    return TunerState(run)


def means(rows: pl.DataFrame) -> dict[str, float]:
    return rows.filter("answerable").select(pl.col(METRICS).mean()).row(0, named=True)


def test_it_opens_on_the_own_settings_and_development_recordings(run: Run, state: TunerState) -> None:
    reading = state.reading()
    here = run.rows.filter(split="dev", budget_tokens=2048)
    assert (reading.text, reading.changed, reading.n) == ("hybrid", False, 106)
    assert reading.now.means == pytest.approx(means(here.filter(strategy="hybrid")))
    assert reading.own.means == reading.now.means
    assert reading.baseline.means == pytest.approx(means(here.filter(strategy="recent")))
    assert (reading.own.won, reading.own.lost) == ((), ())


def test_turned_knobs_give_what_the_repacker_gives(run: Run, state: TunerState) -> None:
    state.turn(dense_share=0.1, neighbours=2, k=7, session=0.9, speaker=0.0, budget=640, split="all", language="zh")
    assert state.settings == Hybrid(context=1.62, dense=0.18, session=0.9, speaker=0.0, neighbours=2, k=7)
    fresh = Repacker(run, "hybrid").evaluate(state.settings, 640, ["zh-webapp", "zh-health"])
    reading = state.reading()
    assert reading.now.means == pytest.approx(means(fresh.probes))
    assert reading.now.means["evidence_recall"] == fresh.evidence_recall
    assert reading.changed
    assert parse_strategy(reading.text) == state.settings


def test_own_settings_follow_the_budget(run: Run, state: TunerState) -> None:
    state.turn(dense_share=0.9, budget=768)
    own = Repacker(run, "hybrid").evaluate(Hybrid(), 768, ["en-home", "zh-webapp"])
    assert state.reading().own.means == pytest.approx(means(own.probes))
    assert state.reading().own.budget == 768


@pytest.mark.parametrize(("asked", "shown"), [(512, 512), (640, 1024), (1024, 1024), (1280, 2048), (2048, 2048)])
def test_the_baseline_never_gets_less_room(run: Run, state: TunerState, asked: int, shown: int) -> None:
    state.turn(budget=asked)
    line = state.reading().baseline
    assert line.budget == shown
    assert line.means == pytest.approx(means(run.rows.filter(strategy="recent", split="dev", budget_tokens=shown)))


def test_won_and_lost_probes_are_those_of_the_rows(run: Run, state: TunerState) -> None:
    rows = run.rows.filter(split="dev", budget_tokens=2048)
    mine, theirs = (
        dict(rows.filter(strategy=name).select("probe", "evidence_recall").rows()) for name in ("hybrid", "recent")
    )
    known = [probe for probe in mine if mine[probe] is not None]
    line = state.reading().baseline
    assert [p.id for p in line.won] == [p for p in known if mine[p] > theirs[p]]
    assert [p.id for p in line.lost] == [p for p in known if mine[p] < theirs[p]]
    assert len(line.won) > len(line.lost) > 0


def test_an_empty_selection_is_undefined_not_zero(state: TunerState) -> None:
    state.languages.append("fr")
    state.turn(language="fr")
    reading = state.reading()
    assert reading.n == 0
    assert all(value != value for line in (reading.now, reading.own, reading.baseline) for value in line.means.values())


def test_another_hybrid_by_its_label(run: Run) -> None:
    state = TunerState(run, "hybrid(k=7, session=0.0, speaker=0.0)", baseline="bm25")
    assert state.mixer.adjustable == {"dense_share"}
    assert state.text == "hybrid(k=7, session=0.0, speaker=0.0)"
    assert (state.knobs.k, state.reading().baseline.name) == (7, "bm25")


def test_a_run_without_a_hybrid_says_what_to_add(run: Run) -> None:
    data = run.dataset.select(recordings=["en-home"])
    bare = ml.run(data, ["bm25"], [512], cache_dir="", progress=False)
    with pytest.raises(InvalidInput, match=r'no hybrid to tune \(it has full, .*bm25\); .*"hybrid"\]\)'):
        TunerState(bare)
    with pytest.raises(UnknownName, match=r"'recnt'.*Did you mean 'recent'"):
        TunerState(run, baseline="recnt")


def test_without_a_split_all_recordings_count(run: Run) -> None:
    data = run.dataset.select(split="test")
    state = TunerState(ml.run(data, ["hybrid"], [512], embedder="hashing", cache_dir="", progress=False))
    assert (state.splits, state.knobs.split) == (["test", "all"], "all")
    assert not state.reading().has_dev


def test_state_and_package_load_no_widget_library() -> None:
    code = "import sys, mnemo_lab.widgets, mnemo_lab.widgets.tuner_state; sys.exit('ipywidgets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
