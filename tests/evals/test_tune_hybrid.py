from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evals import tune_hybrid
from evals.tuning.signals import BEST, BUDGETS, development, measure, signals_of, usable
from evals.tuning.study import AXES, Study, add_signals, drop_signals, run_grid
from mnemo_lab.context import Budget, Query
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.corpora.card import Card
from mnemo_lab.corpora.stretch import stretch
from mnemo_lab.errors import InvalidInput
from mnemo_lab.recording import Recording
from mnemo_lab.replay.loop import asks, replay
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.retrieval.base import RetrievingMemory
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.services import Services, ServicesSpec
from tests.conversations import office_recording

WEIGHTS = {"context": 1.0, "dense": 0.6, "speaker": 1.5, "session": 0.4, "window": 0.4, "answers": 0.3}


@pytest.fixture
def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


@pytest.fixture(scope="module")
def long() -> Recording:
    return stretch(office_recording(), load("bilingual").recordings, 150)


def halves(*recordings: Recording) -> Dataset:
    return Dataset.of("locomo", recordings, Card(name="locomo", title="", licence=""))


def two() -> Dataset:
    return halves(replace(office_recording(), id="seen"), replace(office_recording(), id="held", split="test"))


def test_only_development_recordings_are_looked_at() -> None:
    assert [recording.id for recording in development(two())] == ["seen"]
    assert [recording.id for recording in development(two(), ["seen"])] == ["seen"]
    for names in (["held"], ["seen", "held"]):
        with pytest.raises(InvalidInput, match="held: test recordings"):
            development(two(), names)


def test_the_command_refuses_test_recordings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tune_hybrid, "load", lambda name: two())
    monkeypatch.setattr(tune_hybrid, "signals_of", lambda *_: pytest.fail("it looked"))
    out = tmp_path / "report.md"
    assert tune_hybrid.main(["--recordings", "held", "--out", str(out)]) == 2
    assert "test recordings" in capsys.readouterr().err
    assert not out.exists()


def test_questions_without_evidence_without_answer_or_asked_early_are_left_out() -> None:
    assert [probe.id for probe in usable(office_recording())] == ["q0", "q1", "q3"]


def test_the_vectorised_measures_are_those_of_a_replay(long: Recording, services: Services) -> None:
    found = measure(signals_of(long, services), WEIGHTS)
    strategy = Hybrid(**WEIGHTS)  # type: ignore[arg-type]
    view = RecordingView(long, services)
    outcomes = {(o.probe.id, o.budget_tokens): o for o in replay(view, strategy, "hybrid", BUDGETS, services)}
    for row, probe in zip(found, usable(long), strict=True):
        ranked = outcomes[probe.id, BUDGETS[0]]
        expected = [np.mean([e in ranked.ranking[:BEST] for e in ranked.gold.evidence])]
        for budget in BUDGETS:
            outcome = outcomes[probe.id, budget]
            expected.append(np.mean([e in outcome.kept.verbatim for e in outcome.gold.evidence]))
        assert row == pytest.approx(100 * np.array(expected))


def test_packing_skips_what_does_not_fit_as_the_packer_does(long: Recording, services: Services) -> None:
    signals = signals_of(long, services)
    every = replace(signals, gold=np.ones_like(signals.gold))
    counted = measure(every, {"context": 1.0})[:, 1:] * signals.gold.shape[1] / 100
    strategy = Hybrid(context=1.0, dense=0, session=0, speaker=0)
    memory = strategy.start(services, long.id)
    assert isinstance(memory, RetrievingMemory)
    for conversation in long.conversations:
        memory.begin(replace(conversation.info, system_prompt=None))
        memory.observe(conversation.messages)
    for row, probe in zip(counted, usable(long), strict=True):
        kept = [len(memory.recall(Query(probe.question), Budget(b, services.counter)).pieces) for b in BUDGETS]
        assert row == pytest.approx(kept)
    assert len(asks(RecordingView(long, services))) > len(counted)


def made_up(worth: dict[str, float]) -> Study:
    """A study in which each signal adds what it is worth, whatever its weight, for six probes of three recordings."""
    import itertools

    configs = [c for c in itertools.product(*((0.0, *weights) for weights in AXES.values())) if any(c)]
    totals = [sum(worth[name] for name, weight in zip(AXES, c, strict=True) if weight) for c in configs]
    values = np.repeat(np.array(totals)[:, None, None], 6, axis=1)
    return Study(configs, values, np.array([0, 0, 1, 1, 2, 2]))


def test_a_signal_must_gain_enough_in_either_direction() -> None:
    study = made_up({"context": 9, "dense": 5, "speaker": 1, "session": 0.31, "window": 0.29, "answers": -1})
    for path in (add_signals(study), drop_signals(study)):
        assert set(path[-1].signals) == {"context", "dense", "speaker", "session"}
    everything = made_up(dict.fromkeys(AXES, 1.0))
    assert set(add_signals(everything)[-1].signals) == set(drop_signals(everything)[-1].signals) == set(AXES)


def test_weights_for_a_recording_are_chosen_without_it() -> None:
    study = made_up(dict.fromkeys(AXES, 1.0))
    chosen, other = study.among(["context", "dense"])[:2]
    study.values[chosen, :2] = 90  # best on recording 0 alone …
    study.values[other, 2:] = 80  # … and another on the rest
    assert study.best(["context", "dense"], left_out=0) == other
    assert study.held_out(["context", "dense"])[:2].mean() == study.values[other, :2].mean()


def test_the_report_names_the_default_and_says_whether_the_rule_gives_it(long: Recording, services: Services) -> None:
    study = run_grid([signals_of(long, services), signals_of(office_recording(), services)])
    text = tune_hybrid.report(study, ["one", "two"])
    default = "hybrid(context=1, dense=0.8, speaker=1.5, session=0.4, window=0, answers=0)"
    assert f"| {default} |" in text
    assert text.count("This is the default") + text.count("This is not the default") == 2
