"""A strategy that asks a language model, in a run: over HTTP once, from the cassette ever after."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemo_lab.api import open_run
from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.grid import make_grid, read_grid
from mnemo_lab.replay.run import Run
from tests.language_models.scripted import Reply, scripted
from tests.language_models.vendors import OPENAI
from tests.replay.helpers import dataset, done, run_of, same_rows

MODEL = "openai:gpt-4o-mini"
ASKS = ("summary(writer='model')",)


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MNEMO_LLM", "MNEMO_CASSETTE", "MNEMO_LLM_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def keys(run: Run) -> dict[str, set[str]]:
    return {name: {r["key"] for r in run.rows.to_dicts() if r["strategy"] == name} for name in ("recent", ASKS[0])}


def test_recorded_once_then_replayed_without_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cassette = tmp_path / "answers.jsonl"
    with scripted(Reply(OPENAI.answer)) as server:
        monkeypatch.setenv("MNEMO_LLM_BASE_URL", f"{server.url}/v1")
        first = done(tmp_path / "one", ASKS, (200,), language_model=MODEL, cassette=str(cassette))
        assert first.rows["error"].null_count() == len(first.rows) and len(server.requests) > 0
        recorded = cassette.read_text().splitlines()
        assert len(recorded) == len(server.requests)
    asked = first.rows.filter(first.rows["strategy"] == ASKS[0])
    # 12 tokens at 0.15 and 3 at 0.60 dollars per million, shared by 6 questions.
    assert asked["write_dollars"].max() == pytest.approx(3.6e-6 / 6) and asked["read_dollars"].max() == 0

    monkeypatch.setenv("MNEMO_CASSETTE", str(cassette))
    again = done(tmp_path / "two", ASKS, (200,), language_model=MODEL)
    assert same_rows(again, first), "the server is gone, the rows are the same"

    monkeypatch.setenv("MNEMO_CASSETTE", str(tmp_path / "empty.jsonl"))
    monkeypatch.delenv("MNEMO_LLM_BASE_URL")
    errors = done(tmp_path / "three", ASKS, (200,), language_model=MODEL).rows["error"].drop_nulls()
    assert len(errors) == len(asked.filter(asked["write_dollars"] > 0)) == 8, "all that need an answer"
    assert all("NotRecorded" in error and "OPENAI_API_KEY" in error for error in errors)


def test_the_manifest_says_the_model_and_the_key_is_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = done(tmp_path, ASKS, (200,))
    said = {"name": "extractive", "fingerprint": "extractive-1"}
    assert run.manifest()["language_model"] == said and run.manifest()["grid"]["language_model"] == "extractive"
    other = run_of(None, ASKS, (200,), language_model="openai:gpt-4o")
    cells = [{cell.strategy: cell.key("p", 200) for cell in cells_of(one)} for one in (run, other)]
    assert {name for name in cells[0] if cells[0][name] != cells[1][name]} == set(ASKS), "the others asked nobody"
    monkeypatch.setenv("MNEMO_LLM", "openai:gpt-4o")
    assert same_rows(open_run(tmp_path, dataset()), run), "what is chosen now is not what was chosen then"


def test_a_run_is_found_again_whatever_the_endpoint_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(Reply(OPENAI.answer)) as server:
        monkeypatch.setenv("MNEMO_LLM_BASE_URL", f"{server.url}/v1")
        run = done(tmp_path, ASKS, (200,), language_model=MODEL)
    whole = len(run.rows)
    monkeypatch.delenv("MNEMO_LLM_BASE_URL")
    assert len(open_run(tmp_path, dataset()).rows) == whole
    assert len(run_of(tmp_path, ASKS, (200,), language_model=MODEL).rows) < whole, "but it is not resumed with another"


def test_nobody_is_asked_for_a_fingerprint_that_is_not_needed() -> None:
    run = run_of(None, ["bm25"], (200,), language_model="local:/no/such/model.gguf")
    assert run.model_fingerprint is None and len(cells_of(run)) > 0


def cells_of(run: Run) -> list[object]:
    from mnemo_lab.replay.run import plans

    return [plan.cell for plan in plans(run, run.dataset.recordings[0])]


def test_grids(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"unknown kind of language model 'gpt-4o'; known: .*openai"):
        make_grid({"dataset": "x", "language_model": "gpt-4o"})
    path = tmp_path / "g.toml"
    path.write_text('dataset = "bilingual"\nlanguage_model = "local:smollm2"\ncassette = "tapes/a.jsonl"\n')
    assert read_grid(path).cassette == str((tmp_path / "tapes" / "a.jsonl").resolve())
