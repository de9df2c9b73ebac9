"""The tuning of ``importance``: its shortcut against a replay, its rule on made-up figures, its tables by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mnemo_lab as ml
from evals import tune_truncation
from evals.tune_truncation import BUDGETED, NEWEST, QUERY_FREE, SIMILAR
from evals.tuning import kept as tables
from evals.tuning import query_free
from evals.tuning.kept import Kept, per_recording, table_of
from evals.tuning.query_free import AXES, MEASURES, OFF, START, WORTH, Floats, Study, measured, objective, places
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.corpora.card import Card
from mnemo_lab.corpora.stretch import stretch
from mnemo_lab.errors import InvalidInput
from mnemo_lab.metrics import METRICS
from mnemo_lab.recording import Recording
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.truncation.importance import Importance
from tests.conversations import office_recording


@pytest.fixture(scope="module")
def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


@pytest.fixture(scope="module")
def long() -> Recording:
    return stretch(office_recording(), load("bilingual").recordings, 120)


@pytest.mark.parametrize("strategy", [Importance(), Importance(novelty=0.5, referred=1.0, recent=0.3)])
def test_the_shortcut_measures_what_a_replay_measures(
    long: Recording, services: Services, strategy: Importance
) -> None:
    found = measured(strategy, list(places(long, services)), services)
    outcomes = list(replay(RecordingView(long, services), strategy, "it", query_free.BUDGETS, services))
    answerable = [o for o in outcomes if o.probe.answerable]
    answerable.sort(key=lambda o: o.gold.horizon)
    for row, name in zip(found, MEASURES, strict=True):
        assert np.isfinite(row).any() and (row > 0).any()
        expected = np.array([METRICS[name](outcome) for outcome in answerable]).reshape(row.shape)
        assert row == pytest.approx(100 * expected, nan_ok=True)


def test_a_measure_that_few_questions_have_does_not_count() -> None:
    values = np.full((2, 12, 3), np.nan)
    values[0] = 30
    values[1, :9] = 100
    assert objective(values) == pytest.approx(30)
    values[1, :10] = 100
    assert objective(values) == pytest.approx(65)
    assert np.isnan(objective(np.full((2, 12, 3), np.nan)))


@dataclass
class MadeUp(Study):
    """Signals add what they are worth, whatever their weight; for three recordings of two data sets."""

    worth: Mapping[str, tuple[float, float, float]] | None = None

    def values(self, weights: Mapping[str, float]) -> Floats:
        assert self.worth is not None
        used = [self.worth.get(name, (0, 0, 0)) for name in AXES if weights[name] != OFF[name]]
        found: Floats = np.array([30.0, 20.0, 10.0]) + np.sum([*used, (0, 0, 0)], axis=0)
        return found


def made_up(services: Services, worth: Mapping[str, tuple[float, float, float]]) -> MadeUp:
    return MadeUp([[], [], []], ["a", "a", "b"], services, worth=worth)


def test_every_data_set_counts_the_same(services: Services) -> None:
    study = made_up(services, {})
    assert study.score(OFF) == pytest.approx((25 + 10) / 2)
    assert study.score(OFF, left_out=0) == pytest.approx((20 + 10) / 2)


def test_a_signal_must_be_worth_its_price(services: Services) -> None:
    enough, little = WORTH + 0.1, WORTH - 0.1
    study = made_up(services, {"role": (enough,) * 3, "own": (little,) * 3, "novelty": (-1, -1, -1)})
    assert {name: value for name, value in study.chosen().items() if value != OFF[name]} == {"role": START["role"]}
    assert study.lost_without(START, "own") == pytest.approx(little)
    best, gain = study.best_beside(OFF, "role")
    assert best == AXES["role"][1] and gain == pytest.approx(enough)


def test_a_recording_has_no_say_in_the_weights_it_is_measured_with(services: Services) -> None:
    """Only recording 2 likes facts; the others choose without them, and so must it be measured."""
    study = made_up(services, {"facts": (-1.0, -1.0, 9.0)})
    folds = study.folds()
    assert [fold["facts"] != OFF["facts"] for fold in folds] == [True, True, False]
    assert study.held_out(folds).tolist() == [29, 19, 10]


def halves() -> Dataset:
    recordings = replace(office_recording(), id="seen"), replace(office_recording(), id="held", split="test")
    return Dataset.of("locomo", recordings, Card(name="locomo", title="", licence=""))


def test_only_development_recordings_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(tune_truncation, "load", lambda name: halves())
    monkeypatch.setattr(tune_truncation, "rows_of", lambda data, cache: pl.DataFrame())

    def look(study: Study, kept: Kept, names: list[str]) -> str:
        seen.extend(names)
        return "looked"

    monkeypatch.setattr(tune_truncation, "report", look)
    out = tmp_path / "report.md"
    assert tune_truncation.main(["--out", str(out)]) == 0
    assert seen == ["seen"] * 3 and out.read_text() == "looked"
    missing = InvalidInput("beam is not there; fetch it")
    monkeypatch.setattr(tune_truncation, "load", lambda name: (_ for _ in ()).throw(missing))
    assert tune_truncation.main(["--out", str(out)]) == 2
    assert "fetch it" in capsys.readouterr().err


def frame() -> pl.DataFrame:
    """Two recordings; ``full`` has everything, ``random`` less."""
    rows = []
    for recording, questions in (("r1", 3), ("r2", 1)):
        for probe in range(questions):
            for strategy, kept in (("full", 1.0), ("random", 0.5 if recording == "r1" else 0.0)):
                for budget in (512, 1024, 2048, 4096):
                    found = None if probe else kept
                    rows.append(("set", recording, "en", f"q{probe}", strategy, budget, kept, found))
    names = ("dataset", "recording", "language", "probe", "strategy", "budget_tokens", *MEASURES)
    return pl.DataFrame(rows, schema=names, orient="row")


def test_tables_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "FEWEST", 1)
    kept = Kept(frame())
    assert kept.mean("random", "evidence_recall", 512, "set") == 25, "recordings count the same"
    lines = table_of(kept, ["full", "random"], "set").splitlines()
    assert lines[0] == "**set**: 2 recordings; questions with evidence: 4, with an answer to find: 2"
    assert lines[-1] == "| random |" + " 25.0 |" * 8
    rows = per_recording(kept, "full", "random", 512).splitlines()
    assert rows[-2] == "| set r1 | en | 3 | 50.0 | 100.0 | +50.0 ± 0.0 | 1 | 50.0 | 100.0 | +50.0 |"
    assert rows[-1] == "| set r2 | en | 1 | 0.0 | 100.0 | +100.0 | 1 | 0.0 | 100.0 | +100.0 |"
    pair = kept.pair("full", "random", "evidence_recall", 512)
    assert (pair.difference, pair.n, pair.clusters) == (75, 4, 2)
    monkeypatch.setattr(tables, "FEWEST", 3)
    assert table_of(kept, ["random"], "set").splitlines()[-1] == "| random |" + " 25.0 |" * 4, "two answers: too few"
    pair = kept.pair("full", "random", "evidence_recall", 512)
    assert (pair.difference, pair.n, pair.clusters) == (50, 3, 1), "r2 has one question: too few"


def test_the_report_is_whole(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_free, "BUDGETS", (256,))
    for module in (query_free, tables):
        monkeypatch.setattr(module, "FEWEST", 1)
    for name, tried in AXES.items():
        monkeypatch.setitem(AXES, name, tried if name == "facts" else (START[name], OFF[name]))
    recordings = (replace(office_recording(), id="one"), office_recording())
    data = Dataset.of("set", recordings, Card(name="set", title="", licence=""))
    chosen = [*QUERY_FREE, *NEWEST, *SIMILAR, *BUDGETED]
    run = ml.run(data, chosen, (512, 1024, 2048, 4096), embedder="hashing", cache_dir="", progress=False)
    assert run.rows["error"].null_count() == run.rows.height
    study = Study.of({"set": recordings}, services)
    text = tune_truncation.report(study, Kept(run.rows.filter(pl.col("answerable"))), ["one", "office"])
    assert "nan" not in text
    for strategy in chosen:
        assert f"| {strategy} |" in text
    assert text.count("**This is the default.**") + text.count("**This is not the default**") == 1
