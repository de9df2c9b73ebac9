"""TIAGE and QMSum as segmentation sets: small files by hand, and the real ones where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.corpora import load
from mnemo_lab.corpora.topics import TOPIC_KEY, starts_of
from mnemo_lab.errors import InvalidInput

DIALOGUES = {"7": [["hi !", "-1"], ["hello", "0"], ["do you cook ?", "1"], ["no", "0"], ["any pets ?", "1"]]}
MEETING = {
    "topic_list": [
        {"topic": "Budget", "relevant_text_span": [["5", "6"], ["2", "3"]]},
        {"topic": "Colour", "relevant_text_span": [["3", "4"]]},
    ],
    "meeting_transcripts": [{"speaker": name, "content": f"c{n}"} for n, name in enumerate("ABABABAB")],
}


def put_tiage(folder: Path, train: Any = DIALOGUES, dev: Any = DIALOGUES) -> Path:
    (folder / "anno_train.json").write_text(json.dumps(train))
    (folder / "anno_dev.json").write_text(json.dumps(dev))
    return folder


def put_qmsum(folder: Path, *meetings: Any) -> Path:
    (folder / "data_ALL_jsonl_val.jsonl").write_text("".join(f"{json.dumps(m)}\n" for m in meetings))
    return folder


def test_starts_are_where_a_label_changes() -> None:
    labels = ["a", "a", "b", "b", None, "c"]
    messages = [Message("user", extensions={TOPIC_KEY: label} if label else {}) for label in labels]
    assert starts_of(messages) == [2, 4, 5] and starts_of(messages, "session") == [] and starts_of([]) == []


def test_tiage(tmp_path: Path) -> None:
    data = load("tiage", put_tiage(tmp_path))
    assert [(r.id, r.split, r.language) for r in data] == [("tiage-dev-7", "dev", "en"), ("tiage-test-7", "test", "en")]
    messages = data.recordings[0].conversations[0].messages
    assert [m.text for m in messages] == ["hi !", "hello", "do you cook ?", "no", "any pets ?"]
    assert {m.role for m in messages} == {"user"} and messages[2].id == "tiage-dev-7-2"
    assert starts_of(messages) == [2, 4]


def test_qmsum(tmp_path: Path) -> None:
    """A stretch opens where it begins, in the order of the meeting; what comes before the first is apart."""
    data = load("qmsum", put_qmsum(tmp_path, MEETING, MEETING, MEETING, MEETING))
    assert [(r.id, r.split) for r in data] == [
        ("qmsum-0", "dev"), ("qmsum-1", "test"), ("qmsum-2", "test"), ("qmsum-3", "dev"),
    ]  # fmt: skip
    messages = data.recordings[0].conversations[0].messages
    assert [m.name for m in messages] == list("ABABABAB") and {m.role for m in messages} == {"user"}
    assert starts_of(messages) == [2, 3, 5]
    assert [m.extensions[TOPIC_KEY] for m in messages[1:4]] == ["0: opening", "2: Budget", "3: Colour"]
    assert messages[7].extensions[TOPIC_KEY] == "5: Budget"


@pytest.mark.parametrize("found", [[], {}, {"1": [["hi"]]}, {"1": []}, {"1": 3}])
def test_other_files_are_not_tiage(tmp_path: Path, found: Any) -> None:
    with pytest.raises(InvalidInput, match=r"anno_train\.json: not .*TIAGE.*mnemo data fetch tiage"):
        load("tiage", put_tiage(tmp_path, found))


def test_other_files_are_not_qmsum(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"line 2: not a QMSum meeting \(KeyError: 'topic_list'\); fetch it again"):
        load("qmsum", put_qmsum(tmp_path, MEETING, {}))
    with pytest.raises(InvalidInput, match=r"line 1: not a QMSum meeting \(TypeError"):
        load("qmsum", put_qmsum(tmp_path, 3))
    (tmp_path / "data_ALL_jsonl_val.jsonl").write_text("{")
    with pytest.raises(InvalidInput, match=r"line 1: not a QMSum meeting \(JSONDecodeError"):
        load("qmsum", tmp_path)
    with pytest.raises(InvalidInput, match="no such file"):
        load("qmsum", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "dev", "test"),
    [("tiage", (300, 4692, 887), (100, 1546, 311)), ("qmsum", (12, 6416, 42), (23, 13707, 104))],
)
def test_real_sets(
    name: str, dev: tuple[int, ...], test: tuple[int, ...], public_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(public_data))
    data = load(name)
    assert data.counts == data.card.counts and data.losses == ()
    for split, expected in (("dev", dev), ("test", test)):
        half = [c.messages for c in data.select(split).conversations]  # type: ignore[arg-type]
        assert (len(half), sum(map(len, half)), sum(len(starts_of(m)) for m in half)) == expected
