"""Bad input through the command line: a sentence that says what to do, status 2, and never a traceback."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mnemo_lab.conversation import Conversation
from mnemo_lab.corpora.card import read_card
from tests.cli.conftest import Mnemo
from tests.conversations import office_recording
from tests.saved import save_office, save_recording

RUN = ("run", "--dataset", "office", "--strategies", "bm25", "--budgets", "64", "--quiet")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run",), "name a grid file or --dataset; e.g. mnemo run evals/bilingual.toml"),
        (("run", "nope.toml"), "nope.toml: no such file; grids that come with the project are in evals/"),
        (("run", "bilingaul"), "unknown grid 'bilingaul'; known: "),
        (("run", "--dataset", "nope"), "unknown data set 'nope'; known: "),
        (("run", "--dataset", "no/such"), "no such file or folder; check the path"),
        (("run", "--dataset", "office", "--strategies", "bm52"), "command line: unknown strategy 'bm52'; known: "),
        (("run", "--dataset", "office", "--strategies", "bm25(k=0)"), "bm25(k=0): must be 1 or more"),
        (("run", "--dataset", "office", "--strategies", "bm25(x=1)"), "unknown parameter of bm25 'x'; known: b, k"),
        (("run", "--dataset", "office", "--budgets", "-5"), "budgets must be 0 or more tokens, got [-5]"),
        (("run", "--dataset", "office", "--baseline", "best"), "unknown strategy 'best'"),
        (("run", "--dataset", "office", "--split", "dev"), "no recording has split='dev'"),
        (("run", "--dataset", "office", "--out", "office/0.json"), "cannot write the run into office/0.json"),
        (("run", "locomo"), "the data set 'locomo'"),
        (("report", "nowhere"), "nowhere: no run here (manifest.json is missing); make one with: mnemo run"),
        (("report", "office"), "office: no run here"),
        (("report", "torn"), "manifest.json: not a run's manifest"),
        (("inspect", "nope.json"), "nope.json: "),
        (("inspect", "empty"), "empty: no format fits (nothing to read in it)"),
        (("convert", "office", "-o", "x.json", "--to", "antropic"), "Did you mean 'anthropic'?"),
        (("convert", "office", "-o", "x.json", "--to", "chatgpt"), "can be read but not written; writable: "),
        (("convert", "office", "-o", "x.json", "--to", "portable@3"), "allowed: 1.0.0, 1.1.0"),
        (("convert", "office", "-o", "x.json", "--to", "portable", "--from", "x"), "unknown format 'x'"),
        (("convert", "office", "-o", "x.json", "--to", "portable", "--select", "no"), "see: mnemo list office"),
        (("convert", "office", "-o", "x.json", "--to", "portable", "--map", "m.json"), "--map needs --redact"),
        (("convert", "office", "-o", "x.json", "--to", "portable", "--losses", "no/l.json"), "create it first"),
        (("convert", "office", "-o", "x.json", "--to", "portable", "--system", "replace"), "go together"),
        (("convert", "office", "-o", "x.json", "--to", "portable", "--strategy", "recent"), "so give --max-tokens"),
        (("convert", "office", "-o", "x.json", "--to", "langchain"), "give a folder (-o DIR/)"),
        (("convert", "office", "-o", "office/0.json", "--to", "portable"), "is the input; name another output"),
        (("convert", "torn/manifest.json", "-o", "x.json", "--to", "portable"), "torn/manifest.json: no format fits"),
        (("export", "-i", "nope.json"), "nope.json: no such file"),
        (("export", "-i", "office", "--title", "T"), "holds several conversations, and --title would change them all"),
        (("export", "-i", "office", "--conv-id", "no"), "no conversation has the number, id or title 'no'"),
        (("import", "-c", "nope.json"), "nope.json: no such file"),
        (("import", "-c", "office"), "holds several conversations, and a request is for one; --select one"),
        (("import", "-c", "office/0.json", "--target-model", "gpt-99"), "'gpt-99' is not in the model table"),
        (("import", "-c", "office/0.json", "--max-tokens", "-1"), "max tokens -1 must be 1 or more"),
        (("import", "-c", "office/0.json", "--models", "no.toml"), "no.toml: cannot be read"),
        (("list", "nope.zip"), "nope.zip: no such file"),
        (("validate", "office", "--target", "antropic"), "unknown target 'antropic'"),
        (("inspect", "torn/manifest.json"), "torn/manifest.json: "),
        (("data", "fetch", "nope"), "unknown data set with a card 'nope'; known: "),
        (("data", "verify", "nope"), "unknown data set with a card 'nope'; known: "),
        (("data", "fetch", "locomo"), "--accept-licence"),
        (("strategies", "bm25("), "cannot read 'bm25('"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_says_what_is_wrong(mnemo: Mnemo, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    save_office(tmp_path / "office")
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "manifest.json").write_text('{"grid": ')
    before = sorted(path for path in tmp_path.rglob("*"))
    said = mnemo(*words)
    assert said.status == 2, said
    assert said.err.startswith(f"mnemo {words[0]}: ") and says in said.err
    assert said.out == ""
    assert words[0] in ("run", "report") or sorted(path for path in tmp_path.rglob("*")) == before
    assert not (tmp_path / "runs").exists() or not list((tmp_path / "runs").rglob("rows.jsonl"))


def lines(path: Path, *entries: object) -> None:
    path.write_text(
        "".join(e + "\n" if isinstance(e, str) else json.dumps(e) + "\n" for e in entries), encoding="utf-8"
    )


def rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]


def test_evidence_that_does_not_exist_is_a_listed_loss(mnemo: Mnemo, tmp_path: Path) -> None:
    """Broken questions cost themselves: the rest runs, and each loss is said and stands in the manifest."""
    save_office(tmp_path / "office")
    good = {"id": "good", "question": "Which port?", "category": "c", "evidence": ["m0"], "answer": "5433"}
    lines(
        tmp_path / "office" / "probes.jsonl", good,
        good | {"id": "half", "evidence": ["m0", "m99"]},
        good | {"id": "none", "evidence": ["m99"]},
        good | {"id": "late", "evidence": ["m12"], "after": "m3"},
        good | {"id": "lost", "after": "m99"},
        '{"id": "torn", ',
        '{"id": "odd \\ud800", "question": "Which \\ud800 port?", "category": "c", "answer": "5433\\udc00"}',
    )  # fmt: skip
    said = mnemo(*RUN[:-1])
    assert said.status == 0, said.err
    assert "office: office/probes.jsonl:2: evidence m99 of question half does not exist; left out" in said.err
    found = rows(tmp_path / "runs" / "office")
    recall = {r["probe"]: r["evidence_recall"] for r in found if r["strategy"] == "oracle"}
    assert {name: recall[name] for name in ("good", "half", "none", "late")} == {
        "good": 1,
        "half": 1,
        "none": None,
        "late": None,
    }
    assert recall.keys() == {"good", "half", "none", "late", "odd \ufffd"}
    assert not [r for r in found if r["error"]]
    losses = json.loads((tmp_path / "runs" / "office" / "manifest.json").read_text())["dataset"]["losses"]
    assert len([text for text in losses if "does not exist" in text]) >= 2


def test_no_questions_at_all(mnemo: Mnemo, tmp_path: Path) -> None:
    """A recording without probes, in an empty file or in none: no rows, and the report says so."""
    save_recording(replace(office_recording(), probes=()), tmp_path / "office")
    assert mnemo(*RUN).status == 0
    (tmp_path / "office" / "probes.jsonl").unlink()
    said = mnemo(*RUN[:-1])
    assert said.status == 0 and "The run has no rows" in said.out
    assert not (tmp_path / "runs" / "office" / "rows.jsonl").exists()
    assert "The run has no rows" in (tmp_path / "runs" / "office" / "report.md").read_text(encoding="utf-8")


def test_a_conversation_without_messages(mnemo: Mnemo, tmp_path: Path) -> None:
    """Between two others it is left out with a loss; alone there is nothing to load."""
    recording = office_recording()
    first, second = recording.conversations
    empty = Conversation((), "empty")
    save_recording(replace(recording, conversations=(first, empty, second)), tmp_path / "office")
    said = mnemo(*RUN[:-1])
    assert said.status == 0, said.err
    assert "the conversation has no messages" in said.err
    assert not [row for row in rows(tmp_path / "runs" / "office") if row["error"]]
    save_recording(replace(recording, conversations=(empty,), probes=()), tmp_path / "alone")
    said = mnemo("run", "--dataset", "alone", "--quiet")
    assert said.status == 2 and "nothing to load: the conversation has no messages" in said.err
    said = mnemo("inspect", "alone/0.json")
    assert said.status == 0 and "messages  0 in 0 units" in said.out and "the conversation has no messages" in said.out


def test_a_broken_document_beside_good_ones(mnemo: Mnemo, tmp_path: Path) -> None:
    save_office(tmp_path / "office")
    (tmp_path / "office" / "2.json").write_text('{"version": "1.0.0", "meta": ')
    said = mnemo(*RUN[:-1])
    assert said.status == 0
    assert "office/2.json: the conversation could not be read" in said.err
    several = f'[{(tmp_path / "office" / "0.json").read_text()}, {{"version": "9.0.0"}}]'
    (tmp_path / "several.json").write_text(several)
    said = mnemo("inspect", "several.json")
    assert said.status == 1 and "Kick-off" in said.out and "could not be read" in said.out


def test_a_data_set_with_a_wrong_hash(mnemo: Mnemo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``verify`` names the file and ends with 1; ``run`` says that the file is not what it should be."""
    monkeypatch.setenv("MNEMO_DATA_DIR", str(tmp_path / "data"))
    card = read_card("locomo")
    for file in card.files:
        path = tmp_path / "data" / card.places[0] / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('[{"sample_id": "conv-1"}]' if file.path.endswith("json") else "licence")
    said = mnemo("data", "verify", "locomo")
    assert said.status == 1
    assert all(f"{file.path}: WRONG: sha256 is" in said.out and file.sha256 in said.out for file in card.files)
    said = mnemo("run", "locomo", "--quiet")
    assert said.status == 2 and "not a LoCoMo sample" in said.err and "mnemo data fetch locomo" in said.err


def test_a_run_whose_data_changed(mnemo: Mnemo, tmp_path: Path) -> None:
    save_office(tmp_path / "office")
    assert mnemo(*RUN).status == 0
    probes = (tmp_path / "office" / "probes.jsonl").read_text(encoding="utf-8")
    (tmp_path / "office" / "probes.jsonl").write_text(probes.replace("5433", "6000"), encoding="utf-8")
    said = mnemo("report", "runs/office")
    assert (
        said.status == 2 and "has changed since this run" in said.err and "run it again into a new folder" in said.err
    )
    with (tmp_path / "runs" / "office" / "rows.jsonl").open("a") as stream:
        stream.write("nonsense\n")
    said = mnemo(*RUN)
    assert said.status == 2 and "not a row; delete that line to compute it again" in said.err
