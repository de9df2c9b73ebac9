"""``mnemo answer`` and ``[answering]`` in a grid, with a reader that a third party registered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemo_lab import registry
from tests.answering.scripted import Scripted, looks_it_up
from tests.cli.conftest import Mnemo
from tests.saved import save_office

GRID = """dataset = "office"
strategies = ["bm25"]
budgets = [200]
embedder = "hashing"

[answering]
reader = "scripted:office"
strategies = ["bm25", "oracle"]
budgets = [200]
"""
OPENED: list[Scripted] = []


def open_model(model: str) -> Scripted:
    OPENED.append(Scripted(looks_it_up, f"scripted:{model}"))
    return OPENED[-1]


@pytest.fixture(autouse=True)
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("MNEMO_CASSETTE", raising=False)
    registry.BUILT_IN["language_model"]["scripted"] = f"{__name__}:open_model"
    registry._entries.cache_clear()
    OPENED.clear()
    save_office(tmp_path / "office")
    (tmp_path / "grid.toml").write_text(GRID)
    yield
    del registry.BUILT_IN["language_model"]["scripted"]
    registry._entries.cache_clear()


def asked() -> int:
    return sum(len(model.asked) for model in OPENED)


def test_a_run_answers_at_its_end(mnemo: Mnemo, tmp_path: Path) -> None:
    said = mnemo("run", "grid.toml", "--quiet")
    assert said.status == 0 and asked() == 12
    report = (tmp_path / "runs" / "grid" / "report.md").read_text(encoding="utf-8")
    assert "## What a reader answers" in report and "Reader scripted:office: 6 questions of 1 recording" in report
    assert mnemo("run", "grid.toml", "--quiet").status == 0 and asked() == 12, "nothing is asked twice"
    kept = (tmp_path / "runs" / "grid" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(kept) == 12 and {json.loads(line)["reader"] for line in kept} == {"scripted:office"}


def test_answer_a_finished_run(mnemo: Mnemo, tmp_path: Path) -> None:
    """More strategies ask only what is new; the table is printed and the report says it."""
    assert mnemo("run", "grid.toml", "--quiet").status == 0
    words = ("answer", "runs/grid", "--reader", "scripted:office", "--budgets", "200", "--strategies", "bm25", "full")
    said = mnemo(*words)
    assert said.status == 0 and asked() == 12 + 6
    assert "Answers at 200 tokens\nstrategy  n  exact" in said.out
    assert "Refusals, and what a correct answer costs, at 200 tokens" in said.out
    line = next(line for line in said.out.splitlines() if line.startswith("full"))
    assert line.split()[1:5] == ["5", "1.00", "1.00", "1.00"]
    assert said.out.rstrip().endswith(f"report: {Path('runs/grid') / 'report.html'}")
    quiet = mnemo(*words, "--quiet")
    assert quiet.out == f"report: {Path('runs/grid') / 'report.html'}\n" and asked() == 18


def test_a_cassette_stands_in_for_the_model(mnemo: Mnemo, tmp_path: Path) -> None:
    """Recorded beside the grid by one run, replayed by another."""
    grid = GRID + 'cassette = "tapes/office.jsonl"\n'
    (tmp_path / "grids").mkdir()
    (tmp_path / "grids" / "taped.toml").write_text(grid.replace('"office"', '"../office"', 1))
    assert mnemo("run", "grids/taped.toml", "--quiet", "--out", "one").status == 0 and asked() == 12
    tape = tmp_path / "grids" / "tapes" / "office.jsonl"
    assert len(tape.read_text(encoding="utf-8").splitlines()) <= 12
    assert mnemo("run", "grids/taped.toml", "--quiet", "--out", "two").status == 0 and asked() == 12
    rows = [(tmp_path / name / "answers.jsonl").read_text(encoding="utf-8") for name in ("one", "two")]
    texts = [[json.loads(line)["answer"] for line in text.splitlines()] for text in rows]
    assert texts[0] == texts[1]


def test_a_judge(mnemo: Mnemo) -> None:
    assert mnemo("run", "grid.toml", "--quiet").status == 0
    said = mnemo("answer", "runs/grid", "--reader", "scripted:office", "--judge", "scripted:office", "--budgets", "200")
    assert said.status == 0 and "Judge scripted:office: it called 0 of 4 planted wrong answers correct" in said.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--budgets", "512"), "answers at 512 tokens: the run has no such budget; it has 200"),
        (("--strategies", "dense"), "unknown strategy of this run 'dense'"),
        (("--reader", "gpt"), "unknown kind of language model 'gpt'"),
        (("--reader", "openai"), "name a model too"),
        (("--probes", "0"), "probes: Input should be greater than or equal to 1"),
    ],
)
def test_what_cannot_be_asked(mnemo: Mnemo, words: tuple[str, ...], says: str) -> None:
    assert mnemo("run", "grid.toml", "--quiet").status == 0
    base = {"--reader": "scripted:office", "--budgets": "200"} | {words[0]: words[1]}
    said = mnemo("answer", "runs/grid", *(word for pair in base.items() for word in pair))
    assert said.status == 2 and said.err.startswith("mnemo answer: ") and says in said.err
    assert mnemo("answer", "nowhere").status == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('["bm25", "oracle"]', '["dense"]'), "unknown strategy of this run 'dense'"),
        (("[200]\n", "[400]\n"), "answers at 200 tokens: the run has no such budget; it has 400"),
        (("scripted:office", "gpt"), "unknown kind of language model 'gpt'"),
        (('reader = "', 'raeder = "'), "/answering/raeder: Extra inputs are not permitted"),
    ],
)
def test_a_wrong_grid_is_said_before_it_runs(mnemo: Mnemo, tmp_path: Path, change: tuple[str, str], says: str) -> None:
    (tmp_path / "grid.toml").write_text(GRID.replace(*change, 1))
    said = mnemo("run", "grid.toml")
    assert said.status == 2 and says in said.err and not (tmp_path / "runs").exists()


def test_a_reader_that_cannot_be_asked_costs_the_answers_only(mnemo: Mnemo, tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(GRID.replace("scripted:office", "local:nowhere.gguf"))
    said = mnemo("run", "grid.toml", "--quiet")
    assert said.status == 2 and said.err.startswith("mnemo run: answering: ")
    assert (tmp_path / "runs" / "grid" / "report.html").exists()
