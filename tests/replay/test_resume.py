"""A run is resumed: only what is missing is computed, and the rows are those of a run that was never stopped."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mnemo_lab.api import open_run
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.run import execute
from tests.conversations import office_recording
from tests.replay.helpers import CARD, dataset, done, run_of, same_rows
from tests.replay.spies import CALLS, HEALED

SPIED = ("spy", "spy(mark=1)", "hybrid")


def recalls() -> int:
    return sum(call[0] == "recall" for call in CALLS)


@pytest.mark.usefixtures("spies")
def test_only_what_is_missing_is_computed(tmp_path: Path) -> None:
    """2 recordings × 2 spies × 6 probes × 2 budgets; then one recording's rows of one spy are taken away."""
    whole = done(tmp_path, SPIED)
    assert recalls() == 48
    CALLS.clear()
    assert same_rows(done(tmp_path, SPIED), whole) and CALLS == []
    path = tmp_path / "rows.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    gone = [
        n
        for n, line in enumerate(lines)
        if (r := json.loads(line))["strategy"] == "spy" and r["recording"] == "office2"
    ]
    path.write_text("".join(line for n, line in enumerate(lines) if n not in gone))
    assert len(gone) == 12
    assert same_rows(done(tmp_path, SPIED), whole)
    assert recalls() == 12
    assert {call[2] for call in CALLS if call[0] == "start"} == {next(c[2] for c in CALLS if c[0] == "start")}


@pytest.mark.usefixtures("spies")
@pytest.mark.parametrize("keep", [0, 1, 11, 12, 13, 40, 95])
def test_stopped_after_any_row(tmp_path: Path, keep: int) -> None:
    """A file cut after any number of rows, and inside the next one, goes on to the same rows."""
    whole = done(tmp_path / "whole", SPIED)
    text = (tmp_path / "whole" / "rows.jsonl").read_bytes().splitlines(keepends=True)
    stopped = tmp_path / "stopped"
    shutil.copytree(tmp_path / "whole", stopped)  # candidates are written before the rows that promise them
    (stopped / "rows.jsonl").write_bytes(b"".join(text[:keep]) + text[keep][:33])
    assert same_rows(done(stopped, SPIED), whole)
    kept = {json.loads(line)["key"] for line in (stopped / "rows.jsonl").read_text().splitlines()}
    assert kept == {json.loads(line)["key"] for line in text}
    assert same_rows(run_of(stopped, SPIED), whole)
    lists, same = (run_of(tmp_path / name, SPIED).shortlists("office", "hybrid") for name in ("whole", "stopped"))
    assert lists is not None and same is not None
    for probe, found in lists.by_probe.items():
        assert found.fused.tolist() == same.by_probe[probe].fused.tolist()


@pytest.mark.usefixtures("spies")
def test_two_budgets_are_added_later(tmp_path: Path) -> None:
    """The rows are those of the whole grid from the start, costs included; nothing that was there is written again."""
    done(tmp_path, SPIED, (64, 200))
    before = (tmp_path / "rows.jsonl").read_bytes()
    grown = done(tmp_path, SPIED, (0, 64, 128, 200))
    assert same_rows(grown, done(None, SPIED, (0, 64, 128, 200)))
    assert (tmp_path / "rows.jsonl").read_bytes().startswith(before)
    assert same_rows(run_of(tmp_path, SPIED, (64, 200)), done(None, SPIED, (64, 200)))


@pytest.mark.usefixtures("spies")
def test_a_changed_grid_keeps_what_is_the_same(tmp_path: Path) -> None:
    done(tmp_path, ("spy", "hybrid"))
    CALLS.clear()
    changed = done(tmp_path, ("bm25", "spy", "spy(mark=2)"), baseline="bm25", primary_budget=64, title="again")
    assert recalls() == 24, "spy is reused, spy(mark=2) is new"
    assert same_rows(changed, done(None, ("bm25", "spy", "spy(mark=2)"), baseline="bm25"))
    assert set(changed.rows["strategy"]) == {
        "full",
        "recent",
        "random",
        "seed_truncator",
        "bm25",
        "spy",
        "spy(mark=2)",
        "oracle",
    }
    manifest = changed.store.read_manifest()
    assert manifest is not None and manifest["grid"]["title"] == "again"


def test_a_kept_row_carries_the_labels_of_today(tmp_path: Path) -> None:
    """Split, language and name are no part of the key: a recording that moves to test is reported there."""
    recording = office_recording()
    done(tmp_path, ("bm25",), data=dataset(recording))
    moved = done(tmp_path, ("bm25",), data=Dataset.of("renamed", [replace(recording, split="test")], CARD))
    assert set(moved.rows["split"]) == {"test"} and set(moved.rows["dataset"]) == {"renamed"}
    assert same_rows(moved, done(None, ("bm25",), data=Dataset.of("renamed", [replace(recording, split="test")], CARD)))


@pytest.mark.usefixtures("spies")
@pytest.mark.parametrize("at", [0, 1, 4])
def test_an_error_costs_its_own_cells_only(tmp_path: Path, at: int) -> None:
    """Rows until the failure stand, the rest of that cell says why, and all other strategies go on."""
    broken, others = f"broken(at={at})", ("spy", "hybrid")
    run = done(tmp_path, (broken, *others))
    failed = run.rows.filter(strategy=broken)
    assert len(failed) == 24
    assert failed["error"].null_count() == 2 * max(at - 1, 0)
    reason = "RuntimeError: no start" if not at else "RuntimeError: lone \\ud800 surrogate"
    assert set(failed["error"].drop_nulls()) == {reason}
    assert failed.filter(failed["error"].is_not_null())["evidence_recall"].null_count() == 24 - 2 * max(at - 1, 0)
    rest = run.rows.filter(run.rows["strategy"] != broken)
    assert rest["error"].null_count() == len(rest)
    assert same_rows(rest, done(None, others).rows)


@pytest.mark.usefixtures("spies")
def test_error_rows_are_tried_again(tmp_path: Path) -> None:
    still = done(tmp_path, ("broken", "hybrid"))
    assert 0 < still.rows["error"].null_count() < len(still.rows)
    assert same_rows(done(tmp_path, ("broken", "hybrid")), still), "failing again changes nothing"
    HEALED.append(True)
    healed = done(tmp_path, ("broken", "hybrid"))
    assert healed.rows["error"].null_count() == len(healed.rows)
    assert same_rows(healed, done(None, ("broken", "hybrid")))
    assert same_rows(run_of(tmp_path, ("broken", "hybrid")), healed), "on disk the newer row wins"
    CALLS.clear()
    done(tmp_path, ("broken", "hybrid"))
    assert CALLS == []


@pytest.mark.usefixtures("spies")
@pytest.mark.parametrize("how", ["future", "unknown", "ranked"])
def test_a_lie_is_an_error_row(how: str) -> None:
    run = done(None, (f"liar(how='{how}')", "bm25"))
    lies = run.rows.filter(strategy=f"liar(how='{how}')")
    assert lies["error"].null_count() == 0 and all("observed" in text for text in lies["error"])
    assert run.rows.filter(strategy="bm25")["error"].null_count() == 24


def test_an_embedder_that_refuses_the_language_costs_its_cells_only(tmp_path: Path) -> None:
    """An English-only embedder over Chinese: dense says so in its rows, keywords go on."""
    recording = office_recording()
    chinese = [m for m in recording.messages() if not m.text.isascii() and m.role == "user"]
    conversation = replace(recording.conversations[0], messages=tuple(chinese))
    probes = tuple(replace(p, after=None) for p in recording.probes if p.id in ("q1", "q2"))
    data = dataset(replace(recording, conversations=(conversation,), probes=probes, language="zh"))
    run = done(None, ("bm25", "dense"), data=data, embedder="all-MiniLM-L6-v2")
    reasons = set(run.rows.filter(strategy="dense")["error"])
    assert len(reasons) == 1 and "reads English only" in str(reasons)
    assert run.rows.filter(strategy="bm25")["evidence_recall"].null_count() == 0


def test_progress_counts_cells() -> None:
    seen: list[tuple[int, int]] = []
    execute(run_of(None), lambda done_, total, _: seen.append((done_, total)))
    assert seen[0][0] == 0 and seen[-1] == (14, 14)
    assert [d for d, _ in seen] == sorted(d for d, _ in seen)


def test_open_run_from_its_folder(tmp_path: Path) -> None:
    """With the data set it was made on; another one is refused, and so is a folder without a run."""
    run = done(tmp_path)
    assert same_rows(open_run(tmp_path, dataset()), run)
    with pytest.raises(InvalidInput, match="has changed since this run"):
        open_run(tmp_path, dataset(office_recording()))
    with pytest.raises(InvalidInput, match="unknown data set 'office'"):
        open_run(tmp_path)
    with pytest.raises(InvalidInput, match="no run here"):
        open_run(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_the_manifest_says_what_was_run(tmp_path: Path) -> None:
    run = done(tmp_path)
    manifest = run.manifest()
    assert manifest["dataset"] == {
        "name": "office", "digest": run.dataset.digest, "licence": "CC0-1.0",
        "recordings": {"office": "dev", "office2": "test"}, "losses": [],
    }  # fmt: skip
    assert (
        manifest["strategies"]["seed_truncator"].startswith("recent(")
        and "keep_last_n=10" in manifest["strategies"]["seed_truncator"]
    )
    assert manifest["embedders"] == {"en": "hashing"}
    assert manifest["versions"]["numpy"] and manifest["machine"]["cores"]
    created = manifest["created"]
    assert done(tmp_path, budgets=(64,)).manifest()["created"] == created
