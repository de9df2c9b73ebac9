"""``mnemo run --conversations`` and ``mnemo probes mine``: from a file of anyone's to a report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import mnemo_lab as ml
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import WriteOptions
from mnemo_lab.formats.portable import write
from mnemo_lab.probes.own import FOLDER, Settings, Taken, longest, prepare
from tests.cli.conftest import Mnemo, mnemo
from tests.probes.talk import talk

__all__ = ["mnemo"]
KEY = "sk-ant-api03-Q7rT2vX9bN4mK8pL1wZ6cY3dF5gH0jS2aE7uR9tB4nM6kP8xV1qW3"
FIRST = replace(talk("Staging is at host-7781.internal.", f"My key is {KEY}.", "Is host-7781.internal down?"), id="one")
SECOND = replace(talk("Permit PS-41377 it is.", "What of PS-41377?"), id="two", title="Permits: old/new")
SHORT = replace(talk("Hi."), id="short")
BARREN = replace(talk(*["Hello again."] * 3), id="barren")
RUN = ("run", "--strategies", "bm25", "--budgets", "64", "200", "--out", "out", "--quiet")


def save(path: Path, conversations: Sequence[Conversation]) -> Path:
    path.write_bytes(write(conversations, WriteOptions(now=datetime(2026, 5, 1, tzinfo=UTC))).data)
    return path


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return save(tmp_path / "export.json", [FIRST, SHORT, BARREN, SECOND])


def test_prepared_recordings_are_an_ordinary_data_set(export: Path, tmp_path: Path) -> None:
    place = tmp_path / "out" / FOLDER
    place.parent.mkdir()
    data, taken = prepare([export], place, Settings(fewest=10))
    assert [r.id for r in data] == ["01-one", "03-Permits-old-new"]
    assert taken == Taken(read=4, short=1, barren=1, kept=2, probes=2)
    assert [p.question for p in data.probes] == ["Is [HOST_1] down?", "What of PS-41377?"], "a placeholder is a thing"
    assert [p.extensions["things"] for p in data.probes] == [["host_1"], ["ps-41377"]]
    assert ml.load(str(place)).digest == data.digest
    again, _ = prepare([export], place, Settings(fewest=10))
    assert again.digest == data.digest and not list(place.parent.glob(".*"))


def test_it_is_redacted_unless_told_not_to(export: Path, tmp_path: Path) -> None:
    for redact in (True, False):
        place = tmp_path / f"out-{redact}"
        prepare([export], place, Settings(fewest=10, redact=redact))
        written = "".join(p.read_text(encoding="utf-8") for p in place.rglob("*") if p.is_file())
        assert (KEY in written) is not redact


def test_the_longest_in_their_order() -> None:
    taken = Taken()
    many = [Conversation((Message("user", "x"),) * n, str(n)) for n in (5, 9, 2, 7, 9)]
    assert [c.id for c in longest(many, Settings(fewest=3, most=3), taken)] == ["9", "7", "9"]
    assert (taken.short, taken.beyond) == (1, 1)


def test_nothing_to_ask_says_what_to_do(tmp_path: Path) -> None:
    file = save(tmp_path / "a.json", [SHORT, BARREN])
    with pytest.raises(InvalidInput, match=r"no probes to ask: 2 conversations read; .*Next: lower --min-messages"):
        prepare([file], tmp_path / "out" / FOLDER, Settings())
    assert not list((tmp_path / "out").iterdir())


def test_a_folder_of_the_users_is_left_alone(export: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine" / "notes.txt"
    own.parent.mkdir()
    own.write_text("keep", encoding="utf-8")
    with pytest.raises(InvalidInput, match="was not written by mnemo run --conversations"):
        prepare([export], own.parent, Settings(fewest=10))
    assert own.read_text(encoding="utf-8") == "keep"


def test_run_resume_and_report(mnemo: Mnemo, export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (*RUN, "--conversations", str(export), "--min-messages", "10")
    said = mnemo(*words)
    assert said.status == 0, said.err
    rows = Path("out/rows.jsonl").read_bytes()
    report = Path("out/report.md").read_text(encoding="utf-8")
    assert "Nobody wrote these questions" in report
    assert "introduced at least 6 turns earlier" in report and "4 conversations read; 1 skipped" in report
    assert mnemo(*words).status == 0 and Path("out/rows.jsonl").read_bytes() == rows
    export.unlink()
    out = str(Path("out").resolve())
    monkeypatch.chdir("/")
    assert mnemo("report", out, "--quiet").status == 0
    run = ml.open_run(out)
    assert len(run.rows) == 6 * 2 * 2 and run.rows["category"].unique().to_list() is not None
    recall = {(r["strategy"], r["budget_tokens"]): r["evidence_recall"] for r in run.rows.iter_rows(named=True)}
    assert recall["bm25", 64] == 1.0 and recall["recent", 64] == 0.0
    assert run.rows["answer_in_context"].null_count() == len(run.rows)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--dataset", "bilingual"), "two sources"),
        (("--min-turns", "0"), "--min-turns is 0; use 1 or more"),
        (("--strategies", "bm52"), "unknown strategy 'bm52'"),
        (("--min-turns", "500"), "no probes to ask"),
    ],
)
def test_what_is_refused(mnemo: Mnemo, export: Path, more: tuple[str, ...], says: str) -> None:
    said = mnemo(*RUN, "--conversations", str(export), "--min-messages", "10", *more)
    assert said.status == 2 and says in said.err
    assert not Path("out/rows.jsonl").exists()


def test_a_file_that_is_not_there(mnemo: Mnemo) -> None:
    said = mnemo("run", "--conversations", "nowhere.json")
    assert said.status == 2 and "nowhere.json" in said.err


def test_mined_lines_load_beside_their_file(mnemo: Mnemo, tmp_path: Path) -> None:
    """Two conversations with the same message ids in one file: the probes still find their messages."""
    file = save(tmp_path / "both.json", [FIRST, SECOND])
    said = mnemo("probes", "mine", str(file), "-o", str(tmp_path / "both.probes.jsonl"))
    assert said.status == 0 and "2 conversations, 2 probes: mined:error_code 1, mined:identifier 1" in said.err
    data = ml.load(str(file))
    assert not [item for item in data.losses if item.code in ("unreadable_probe", "unknown_evidence", "span_not_found")]
    assert {p.id: p.evidence for p in data.probes} == {
        "c01-mined-one/m032": ("one/m000",),
        "c02-mined-two/m016": ("two/m000",),
    }


def test_mined_lines_on_the_terminal(mnemo: Mnemo, tmp_path: Path) -> None:
    file = save(tmp_path / "one.json", [FIRST])
    said = mnemo("probes", "mine", str(file), "--masked")
    (line,) = map(json.loads, said.out.splitlines())
    assert line["question"] == "Is … down?" and line["evidence"] == ["m000"] and line["after"] == "m031"
    assert line["spans"] == [{"message": "m000", "text": "Staging is at host-7781.internal."}]
    assert mnemo("probes", "mine", str(file), "--min-turns", "99").status == 1


def test_in_python() -> None:
    assert [p.evidence for p in ml.probes.mine(SECOND)] == [("m000",)]
    data = ml.probes.dataset_of([FIRST, SECOND])
    run = ml.run(data, ["bm25"], [64], embedder="hashing", progress=False)
    assert set(run.rows["category"].to_list()) == {"mined:identifier", "mined:error_code"}
