"""Re-packing stored shortlists gives, probe by probe, what a fresh replay gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import mnemo_lab as ml
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.recording import Recording
from mnemo_lab.replay.candidates import Shortlists, shorten
from mnemo_lab.replay.repack import METRICS, Repacker
from mnemo_lab.replay.run import Run, open_run
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.services import Services
from mnemo_lab.strategy_text import parse_strategy

BUDGETS = [0, 60, 300, 900, 2500, 20000]
CHANGES = [
    "hybrid(neighbours=3)",
    "hybrid(k=4)",
    "hybrid(k=4, neighbours=1)",
    "hybrid(context=0.25, dense=1.5, session=0.0, speaker=0.0)",
    "hybrid(context=0.0, keyword=1.0, dense=0.0, neighbours=2)",
    "hybrid(fusion='minmax')",
    "hybrid(fusion='rrf', dense=0.3)",
]
SHOWN = ["recording", "probe", *METRICS]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    data = ml.load("bilingual").select(recordings=["en-travel", "zh-health"])
    out = tmp_path_factory.mktemp("run")
    return ml.run(
        data, ["hybrid", *CHANGES, "bm25"], BUDGETS, embedder="hashing", cache_dir="", out=out, progress=False
    )


@pytest.fixture(scope="module")
def repacker(run: Run) -> Repacker:
    return Repacker(run, "hybrid")


def rows(run: Run, label: str, budget: int) -> pl.DataFrame:
    return run.rows.filter(strategy=label, budget_tokens=budget).select(SHOWN)


def hybrid(text: str) -> Hybrid:
    strategy = parse_strategy(text)
    assert isinstance(strategy, Hybrid)
    return strategy


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("text", ["hybrid", *CHANGES])
def test_equals_a_fresh_replay_probe_by_probe(run: Run, repacker: Repacker, text: str, budget: int) -> None:
    found, fresh = repacker.evaluate(hybrid(text), budget), rows(run, text, budget)
    assert found.probes.select(SHOWN).equals(fresh)
    assert found.n == fresh.height == 102
    for metric in METRICS:
        mean = fresh[metric].mean()
        assert getattr(found, metric) == pytest.approx(float("nan") if mean is None else mean, nan_ok=True)


def test_the_cases_are_telling(run: Run, repacker: Repacker) -> None:
    assert repacker.evaluate(repacker.own, 900).probes["context_tokens"].n_unique() > 10
    recalls = {text: repacker.evaluate(hybrid(text), 900).evidence_recall for text in ["hybrid", *CHANGES]}
    assert len(set(recalls.values())) == len(recalls)
    assert repacker.evaluate(repacker.own, 0).evidence_recall == 0.0
    assert repacker.evaluate(repacker.own, 20000).evidence_recall == 1.0


def test_a_hybrid_with_its_own_neighbours_gives_its_own_rows(run: Run) -> None:
    other = Repacker(run, "hybrid(k=4, neighbours=1)")
    assert other.evaluate(other.own, 900).probes.select(SHOWN).equals(rows(run, "hybrid(k=4, neighbours=1)", 900))
    assert other.evaluate(Hybrid(), 900).probes.select(SHOWN).equals(rows(run, "hybrid", 900))


def test_a_run_read_from_disk_gives_the_same(run: Run, repacker: Repacker) -> None:
    again = open_run(run.grid, run.dataset, run.store.folder)
    found = Repacker(again, "hybrid")
    for settings in (repacker.own, hybrid(CHANGES[0]), hybrid(CHANGES[3])):
        assert found.evaluate(settings, 900).probes.equals(repacker.evaluate(settings, 900).probes)


def test_only_chosen_recordings_count(run: Run, repacker: Repacker) -> None:
    found = repacker.evaluate(repacker.own, 900, ["zh-health"])
    assert found.n == 54
    assert found.probes.select(SHOWN).equals(rows(run, "hybrid", 900).filter(recording="zh-health"))
    nothing = repacker.evaluate(repacker.own, 900, [])
    assert nothing.n == 0
    assert nothing.evidence_recall != nothing.evidence_recall


def test_nothing_is_embedded(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Services) -> None:
        raise AssertionError("an embedder was opened")

    monkeypatch.setattr(Services, "embedder", property(refuse))
    fresh = Repacker(run, "hybrid")
    assert fresh.evaluate(replace(fresh.own, dense=2.0, neighbours=1), 900).n == 102


def test_a_short_shortlist_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Run.shortlists

    def short(self: Run, recording: str, strategy: str) -> Shortlists:
        kept = whole(self, recording, strategy)
        assert kept is not None
        return Shortlists({probe: shorten(c, 30) for probe, c in kept.by_probe.items()})

    monkeypatch.setattr(Run, "shortlists", short)
    cut = Repacker(run, "hybrid")
    assert cut.evaluate(cut.own, 20000).cut_short == 102
    assert cut.evaluate(replace(cut.own, k=30), 20000).cut_short == 0
    assert cut.evaluate(cut.own, 0).cut_short == 0
    assert cut.evaluate(replace(cut.own, k=4), 900).probes.select(SHOWN).equals(rows(run, "hybrid(k=4)", 900))


def test_whole_histories_are_never_cut_short(repacker: Repacker) -> None:
    assert [repacker.evaluate(repacker.own, budget).cut_short for budget in BUDGETS] == [0] * len(BUDGETS)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"window": 0.5}, r"hybrid\(window=0.5\): the run stored no scores of 'window'"),
        ({"role_weight": 0.5}, r"add a hybrid with role_weight above 0 to the grid"),
        ({"reach": 2}, r"hybrid\(reach=2\): the stored scores were made with reach=4; add hybrid\(reach=2\)"),
        ({"b": 0.75}, r"made with b=0.4"),
    ],
)
def test_what_was_not_stored_is_refused(repacker: Repacker, change: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        repacker.evaluate(replace(repacker.own, **change), 900)


def test_other_strategies_are_refused(run: Run) -> None:
    with pytest.raises(InvalidInput, match="'bm25' is not a hybrid"):
        Repacker(run, "bm25")
    with pytest.raises(UnknownName, match=r"unknown strategy of this run 'hybird'.*Did you mean 'hybrid'"):
        Repacker(run, "hybird")


def test_a_run_without_candidates_is_refused(run: Run, tmp_path: Path) -> None:
    empty = open_run(run.grid, run.dataset, tmp_path)
    with pytest.raises(InvalidInput, match="no stored candidates of 'hybrid'"):
        Repacker(empty, "hybrid")


def test_recordings_here_have_what_can_go_wrong(run: Run) -> None:
    """Probes in the middle, several conversations, unanswerable probes, system prompts."""
    recordings: tuple[Recording, ...] = run.dataset.recordings
    probes = [p for r in recordings for p in r.probes]
    assert any(p.after for p in probes)
    assert any(not p.answerable for p in probes)
    assert all(len(r.conversations) > 1 and r.conversations[0].info.system_prompt for r in recordings)
