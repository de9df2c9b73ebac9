from __future__ import annotations

import tomllib
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest

from evals import tune_hydrate
from evals.tune_hydrate import Study, report, verdict, weights_file
from evals.tuning.ranker import (
    BUDGETS,
    DEFAULTS,
    TEXT,
    UNUSED,
    Layout,
    Talk,
    fit,
    fit_priced,
    loss,
    measure,
    talk_of,
    talks_of,
    to_scale,
)
from evals.tuning.signals import BEST, Floats
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.corpora.card import Card
from mnemo_lab.corpora.stretch import stretch
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.strategies.base import SIGNALS
from mnemo_lab.hydration.strategies.hydrate import Hydrate
from mnemo_lab.hydration.strategies.learned import WEIGHTS_FILE
from mnemo_lab.recording import Recording
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from tests.conversations import office_recording

DENSE = SIGNALS.index("dense")
FREE = Layout(np.array([5, 5]), np.zeros(2, dtype=np.int64), np.zeros((2, 1), dtype=np.int64))


@pytest.fixture(scope="module")
def services() -> Services:
    return ServicesSpec(embedder="hashing", cache="").open()


@pytest.fixture(scope="module")
def long() -> Recording:
    """Dated and undated messages in turn, more than the budgets hold."""
    whole = stretch(office_recording(), load("bilingual").recordings, 300)
    counter = iter(range(10_000))
    conversations = [
        replace(c, messages=tuple(m if next(counter) % 7 < 4 else replace(m, timestamp=None) for m in c.messages))
        for c in whole.conversations
    ]
    return replace(whole, conversations=tuple(conversations))


def talk(signals: Floats, gold: Floats, dataset: str = "one", recording: str = "r") -> Talk:
    return Talk(dataset, recording, signals, signals[:, :, DENSE], gold.astype(bool), FREE, FREE, 0)


def noise(seed: int, dataset: str = "one", questions: int = 4) -> Talk:
    """Made-up signals where ``dense`` and ``context`` tell gold, more or less."""
    rng = np.random.default_rng(seed)
    signals = rng.normal(size=(questions, 6, len(SIGNALS)))
    gold = np.argsort(-(signals[:, :, DENSE] + signals[:, :, 1] + rng.normal(size=(questions, 6))), axis=1)[:, :2]
    flags = np.zeros((questions, 6))
    np.put_along_axis(flags, gold, 1, axis=1)
    layout = Layout(np.full(6, 300), np.zeros(6, dtype=np.int64), np.zeros((2, 1), dtype=np.int64))
    return replace(talk(signals, flags, dataset, f"{dataset}-{seed}"), dated=layout, days=layout)


def coins(share: float, questions: int, dataset: str) -> Talk:
    """Two messages a question; the one of the higher ``dense`` is gold in that share of the questions."""
    signals = np.zeros((questions, 2, len(SIGNALS)))
    signals[:, 0, DENSE] = 1
    first = np.arange(questions) < share * questions
    return talk(signals, np.stack([first, ~first], axis=1).astype(float), dataset)


def test_the_loss_by_hand() -> None:
    one = coins(1.0, 1, "one")
    weights = np.zeros(len(SIGNALS))
    weights[DENSE] = 2.0
    value, gradient = loss(weights, [one], l2=0.1)
    assert value == pytest.approx(log(1 + np.exp(-2.0)) + 0.1 * 4)
    assert gradient[DENSE] == pytest.approx(-1 / (1 + np.exp(2.0)) + 0.1 * 2 * 2)
    both = replace(one, gold=np.ones((1, 2), dtype=bool))  # gold messages share the one question
    assert loss(weights, [both], l2=0)[0] == pytest.approx((log(1 + np.exp(-2.0)) + log(1 + np.exp(2.0))) / 2)


def test_the_gradient_is_that_of_finite_differences() -> None:
    talks = [noise(1), noise(2, questions=7), noise(3, "two")]
    weights = np.random.default_rng(0).normal(size=len(SIGNALS))
    _, gradient = loss(weights, talks)
    for i in range(len(SIGNALS)):
        step = np.zeros(len(SIGNALS))
        step[i] = 1e-5
        slope = (loss(weights + step, talks)[0] - loss(weights - step, talks)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, abs=1e-8)


def test_the_best_weights_of_a_toy_set_are_found_and_data_sets_count_the_same() -> None:
    found = fit([coins(0.8, 10, "one")], l2=0)
    assert found["dense"] == pytest.approx(log(0.8 / 0.2), abs=1e-3)
    assert all(found[name] == 0 for name in SIGNALS if name != "dense")
    even = fit([coins(0.8, 10, "one"), coins(0.6, 1000, "two")], l2=0)
    assert even["dense"] == pytest.approx(log(0.7 / 0.3), abs=1e-3)
    pooled = fit([coins(0.8, 10, "one"), coins(0.6, 30, "one")], l2=0)
    assert pooled["dense"] == pytest.approx(log(0.65 / 0.35), abs=1e-3)


def test_scaling_keeps_the_ranking_and_the_price_stands_outside_the_fit() -> None:
    weights = fit([noise(1), noise(2)])
    scaled = to_scale(weights)
    assert sum(abs(scaled[name]) for name in TEXT) == pytest.approx(1.0 + 0.8 + 0.6 + 0.3 + 0.2 + 0.2)
    assert len({round(scaled[name] / weights[name], 9) for name in SIGNALS}) == 1
    priced = fit_priced([noise(1), noise(2)], ("pair",))
    assert priced["length"] == DEFAULTS["length"] and priced["pair"] == 0
    assert all(priced[name] == 0 for name in UNUSED)
    with pytest.raises(InvalidInput, match="no weight for any of context"):
        to_scale(dict.fromkeys(SIGNALS, 0.0))


@pytest.mark.parametrize("dated", [False, True])
def test_the_vectorised_measures_are_those_of_a_replay(dated: bool, long: Recording, services: Services) -> None:
    strategy: Strategy = Hybrid() if dated else Hydrate()
    one = talk_of("one", long, services)
    found = measure(one, one.hybrid if dated else one.scores(DEFAULTS), dated)
    outcomes = {
        (o.probe.id, o.budget_tokens): o for o in replay(RecordingView(long, services), strategy, "", BUDGETS, services)
    }
    for row, probe in zip(found, ("q0", "q1", "q3"), strict=True):
        ranked = outcomes[probe, BUDGETS[0]]
        expected = [np.mean([e in ranked.ranking[:BEST] for e in ranked.gold.evidence])]
        for budget in BUDGETS:
            outcome = outcomes[probe, budget]
            expected.append(np.mean([e in outcome.kept.verbatim for e in outcome.gold.evidence]))
        assert row == pytest.approx(100 * np.array(expected))


@pytest.mark.parametrize("dated", [False, True])
def test_packing_takes_what_the_packer_takes(dated: bool, long: Recording, services: Services) -> None:
    strategy: Strategy = Hybrid() if dated else Hydrate()
    one = talk_of("one", long, services)
    every = replace(one, gold=np.ones_like(one.gold))
    scores = one.hybrid if dated else one.scores(DEFAULTS)
    found = measure(every, scores, dated)[:, 1:] * one.gold.shape[1] / 100
    bare = replace(long, conversations=tuple(replace(c, system_prompt=None) for c in long.conversations))
    counts = {
        (o.probe.id, o.budget_tokens): len(o.kept.verbatim)
        for o in replay(RecordingView(bare, services), strategy, "", BUDGETS, services)
    }
    for row, probe in zip(found, ("q0", "q1", "q3"), strict=True):
        assert row == pytest.approx([counts[probe, budget] for budget in BUDGETS])
    assert counts["q0", BUDGETS[0]] < counts["q0", BUDGETS[-1]] < one.gold.shape[1]


def test_a_recording_left_out_has_no_say() -> None:
    talks = [noise(1), noise(2), noise(3, "two"), noise(4, "two")]
    changed = [replace(talks[0], gold=~talks[0].gold), *talks[1:]]
    one, other = Study(talks), Study(changed)
    assert one.folds["one-1"] == other.folds["one-1"]
    assert one.folds["one-2"] != other.folds["one-2"]
    assert one.alone["two"] == other.alone["two"] != one.alone["one"]


def test_the_verdict_follows_the_figures() -> None:
    rng = np.random.default_rng(0)
    base = 50 + rng.normal(size=(40, 4))

    def said(gain: float, carried: float) -> str:
        names = (tune_hydrate.PLAIN, tune_hydrate.PRICED, tune_hydrate.HYDRATE)
        found = {name: {"one": base, "two": base} for name in names}
        wobble = rng.normal(size=(40, 4))
        found[tune_hydrate.LEFT_OUT] = {"one": base + gain + wobble, "two": base + 5 + wobble}
        found[tune_hydrate.CARRIED] = {"one": base + carried + wobble, "two": base + wobble}
        return "\n".join(verdict(found))

    assert "earns its place: it should be" in said(3, 0)
    assert "Better on one data set, behind on none. " not in said(-3, 0)
    assert "no better than `hydrate`.**" in said(-3, 0)
    assert "It does not carry over" in said(0, -2) and "earns a place for conversations of the kinds" in said(0, -2)
    assert "no better than `hydrate`, and does not carry over" in said(-3, -2)


def test_report_and_weights_file() -> None:
    study = Study([noise(1), noise(2), noise(3, "two"), noise(4, "two")])
    text = report(study)
    assert "one one-1, one-2 (8 questions); two two-3, two-4 (8 questions)" in text
    assert all(f"| {name} |" in text for name in DEFAULTS if name not in UNUSED)
    written = tomllib.loads(weights_file(study))
    assert written["fitted_on"] == ["one one-1", "one one-2", "two two-3", "two two-4"]
    assert written["weights"] == {n: round(study.all[n], 2) for n in SIGNALS if n not in UNUSED}


def set_of(*recordings: Recording) -> Dataset:
    return Dataset.of("locomo", recordings, Card(name="locomo", title="", licence=""))


def test_test_recordings_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    office = office_recording()
    seen, held = [replace(office, id=name, split="dev") for name in "ab"], replace(office, id="held", split="test")
    spec = ServicesSpec(embedder="hashing", cache="")
    assert [talk.recording for talk in talks_of(set_of(*seen, held), spec)] == ["a", "b"]
    monkeypatch.setattr(tune_hydrate, "load", lambda name: set_of(seen[0], held))
    out, before = tmp_path / "report.md", WEIGHTS_FILE.read_bytes()
    assert tune_hydrate.main(["--write", "--out", str(out)]) == 2
    assert "at least 2 are needed" in capsys.readouterr().err
    assert not out.exists() and WEIGHTS_FILE.read_bytes() == before
