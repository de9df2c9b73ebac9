"""The run store: torn and foreign lines, shortlists there and back, keys."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Candidates
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.replay import rows as rows_module
from mnemo_lab.replay.candidates import LENGTH, Shortlists, read_shortlists, shorten, write_shortlists
from mnemo_lab.replay.rows import Cell, frame_of
from mnemo_lab.replay.run import cell_name, plans
from mnemo_lab.replay.store import RunStore
from tests.conversations import office_recording
from tests.replay.helpers import dataset, done, run_of

CELL = Cell("office", "digest", "r", "dev", "en", "bm25", "bm25(k=None)", "o200k_base 0")


@pytest.mark.parametrize("cut", [1, 2, 40, 300])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, cut: int) -> None:
    """Whatever a killed writer left of its last line; the whole lines stay, and the file is whole again."""
    done(tmp_path)
    path = tmp_path / "rows.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    expected = whole[: whole[:-cut].rfind(b"\n") + 1]
    store = RunStore(tmp_path)
    assert path.read_bytes() == expected
    assert len(store.rows) == expected.count(b"\n") < whole.count(b"\n")


def test_a_torn_file_of_one_line_is_empty(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes('{"key": "发布'.encode()[:-1])
    assert RunStore(tmp_path).rows == {}
    assert (tmp_path / "rows.jsonl").read_bytes() == b""


@pytest.mark.parametrize("line", ["not json", "{}", "5", '{"key": "k"}', "[1]", "null", "\udcff"])
def test_a_line_that_is_no_row_is_named(tmp_path: Path, line: str) -> None:
    good = json.dumps({"key": "k", "error": None})
    (tmp_path / "rows.jsonl").write_text(f"{good}\n{line}\n", encoding="utf-8", errors="surrogateescape")
    with pytest.raises(InvalidInput, match=r"rows.jsonl:2: not a row; delete that line to compute it again"):
        RunStore(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"grid": {}}', "3"])
def test_a_manifest_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"manifest.json: not a run's manifest .*; delete it to run again"):
        RunStore(tmp_path).read_manifest()


def test_a_place_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(InvalidInput, match=r"cannot write the run into .*; choose another --out"):
        RunStore(tmp_path / "out")


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    """NaN is null on disk and null in the frame; text stays text."""
    run = done(tmp_path)
    again = run_of(tmp_path)
    assert again.rows.equals(run.rows)
    assert again.rows.equals(done(None).rows)
    unanswerable = again.rows.filter(probe="q4")
    assert unanswerable["evidence_recall"].null_count() == len(unanswerable)
    text = (tmp_path / "rows.jsonl").read_text(encoding="utf-8")
    assert "NaN" not in text and len(text.splitlines()) == len(run.rows)
    assert again.to_pandas()["evidence_recall"].isna().sum() == len(unanswerable)
    assert len(again.rows) == 2 * 6 * 2 * 7, "recordings, probes, budgets, strategies with full, recent … and oracle"


def test_a_frame_of_nothing_has_its_columns() -> None:
    assert frame_of([]).columns == done(None).rows.columns


SCORES = st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=12)


def candidates_of(scores: list[float], extra: bool) -> Candidates:
    column = np.array(scores)
    signals = {"keyword": column, **({"dense": column[::-1].copy()} if extra else {})}
    moments = {name: (float(c.mean()), float(c.std())) for name, c in signals.items()}
    return Candidates(np.arange(len(scores)) * 3, signals, column * 2, moments)


@settings(max_examples=40, deadline=None)
@given(lists=st.lists(SCORES, min_size=1, max_size=4))
def test_shortlists_there_and_back(tmp_path_factory: pytest.TempPathFactory, lists: list[list[float]]) -> None:
    """By value, also where a strategy uses a signal for some questions only: the others come back as NaN."""
    path = tmp_path_factory.mktemp("lists") / "deep" / "cell.npz"
    made = {f"问题 {i}": candidates_of(scores, extra=i % 2 == 0) for i, scores in enumerate(lists)}
    write_shortlists(path, Shortlists(made))
    found = read_shortlists(path).by_probe
    assert list(found) == list(made)
    assert [p.name for p in path.parent.iterdir()] == ["cell.npz"]
    for name, before in made.items():
        after = found[name]
        assert after.positions.tolist() == before.positions.tolist()
        assert after.fused == pytest.approx(before.fused, rel=1e-6)
        assert after.moments == before.moments
        for signal, column in after.scores.items():
            assert column == pytest.approx(
                before.scores.get(signal, np.full(len(column), np.nan)), rel=1e-6, nan_ok=True
            )


def test_an_empty_history_has_an_empty_shortlist(tmp_path: Path) -> None:
    nothing = Candidates(np.zeros(0, dtype=np.int64), {"keyword": np.zeros(0)}, np.zeros(0), {"keyword": (0.0, 1.0)})
    write_shortlists(tmp_path / "x.npz", Shortlists({"a": nothing, "b": candidates_of([1.0, 2.0], False)}))
    found = read_shortlists(tmp_path / "x.npz").by_probe
    assert (len(found["a"].positions), len(found["b"].positions)) == (0, 2)


def test_shorten_keeps_the_best_of_every_signal() -> None:
    """Half of it is the best of the final score; of the rest every signal that ranks has its part."""
    rng = np.random.default_rng(0)
    size = 900
    columns = {
        "keyword": rng.normal(size=size),
        "dense": rng.normal(size=size),
        "speaker": (np.arange(900) < 300) * 1.0,
    }
    fused = rng.normal(size=size)
    whole = Candidates(np.arange(size), columns, fused, {"keyword": (0.0, 1.0)})
    short = shorten(whole)
    assert len(short.positions) == LENGTH and short.positions.tolist() == sorted(short.positions.tolist())
    kept = set(short.positions.tolist())
    for column, part in ((fused, LENGTH // 2), (columns["keyword"], LENGTH // 4), (columns["dense"], LENGTH // 4)):
        assert set(np.argsort(-column)[:part].tolist()) <= kept
    assert short.fused.tolist() == fused[short.positions].tolist()
    assert short.scores["dense"].tolist() == columns["dense"][short.positions].tolist()
    assert short.moments == whole.moments
    assert shorten(short) is short


def test_stored_shortlists_are_what_the_strategy_scored(tmp_path: Path) -> None:
    done(tmp_path)
    run = run_of(tmp_path)
    lists = run.shortlists("office", "hybrid")
    assert lists is not None and set(lists.by_probe) == {p.id for p in office_recording().probes}
    assert [len(lists.by_probe[name].positions) for name in ("q5", "q2", "q0")] == [6, 10, 18]
    assert run.shortlists("office", "full") is None
    with pytest.raises(UnknownName, match="unknown strategy of this run 'dense'; known: bm25"):
        run.shortlists("office", "dense")
    with pytest.raises(UnknownName, match="unknown recording of this run 'x'; known: office, office2"):
        run.shortlists("x", "hybrid")


CHANGES = {
    "digest": "other", "recording": "r2", "strategy": "x", "strategy_text": "bm25(k=1)", "services": "cl100k_base 0",
}  # fmt: skip


@pytest.mark.parametrize("field", CHANGES)
def test_key_changes_with_what_is_computed(field: str) -> None:
    other = replace_cell(**{field: CHANGES[field]})
    assert other.key("q0", 64) != CELL.key("q0", 64)


def replace_cell(**fields: str) -> Cell:
    return CELL._replace(**fields)


def test_key_names_probe_budget_and_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    known = CELL.key("q0", 64)
    assert len({known, CELL.key("q1", 64), CELL.key("q0", 65)}) == 3
    for field in ("dataset", "split", "language"):
        assert replace_cell(**{field: "x"}).key("q0", 64) == known, "labels are no part of what is computed"
    monkeypatch.setattr(rows_module, "ROW_SCHEMA", 999)
    assert CELL.key("q0", 64) != known


@pytest.mark.parametrize(
    ("fields", "changed"),
    [
        ({}, set()),
        ({"counter": "cl100k_base"}, {"full", "recent", "random", "seed_truncator", "bm25", "hybrid", "oracle"}),
        ({"embedder": "all-MiniLM-L6-v2"}, {"hybrid"}),
        ({"seed": 1}, {"full", "recent", "random", "seed_truncator", "bm25", "hybrid", "oracle"}),
        ({"title": "another", "notes": "x", "primary_budget": 64, "baseline": "bm25"}, set()),
    ],
)
def test_cells_change_with_the_grid(fields: dict[str, object], changed: set[str]) -> None:
    """Counter and seed for all, the embedder for those that embed; words about the run for none."""
    before, after = (
        {p.cell.strategy: cell_name(p.cell) for p in plans(run, run.dataset.recordings[0])}
        for run in (run_of(), run_of(**fields))
    )
    assert {name for name in before if before[name] != after[name]} == changed


def test_cells_change_with_the_data() -> None:
    recording = office_recording()
    probes = (replace(recording.probes[0], answer="5434"), *recording.probes[1:])
    for other in (
        replace(recording, probes=probes),
        replace(recording, conversations=recording.conversations[:1], probes=()),
    ):
        one, two = (plans(run_of(data=dataset(r)), r)[0].cell for r in (recording, other))
        assert one.digest != two.digest
