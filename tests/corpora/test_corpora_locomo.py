from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.corpora import load
from mnemo_lab.corpora.locomo import iso_time
from mnemo_lab.corpora.locomo_audit import corrected_answer
from mnemo_lab.errors import InvalidInput
from mnemo_lab.losses import count_by_code
from mnemo_lab.recording import Recording


def turn(name: str, speaker: str = "Ann", text: str = "hi", **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": name, "text": text} | more


def question(category: int, evidence: list[str], **more: Any) -> dict[str, Any]:
    return {"question": "?", "category": category, "evidence": evidence} | more


SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_10_date_time": "12:05 am on 1 January, 2024",
        "session_10": [turn("D10:1")],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            turn("D2:1", "Bob", "look", blip_caption="a red car", query="ferrari 488 gtb", img_url=["x"]),
            turn("D2:2", "Ann", ""),
        ],
        "session_11_date_time": "1:00 pm on 9 May, 2024",
    },
    "qa": [
        question(1, ["D2:1; D10:01"], answer=2022),
        question(2, ["D", "D2:2"], answer="May"),
        question(3, ["D:11:26"], answer="x"),
        question(4, ["D4:36", "D2:1", "D2:1"], answer="y"),
        question(5, ["D2:2"], adversarial_answer="No"),
    ],
}


def read(tmp_path: Path, *samples: Any) -> list[Recording]:
    (tmp_path / "locomo10.json").write_text(json.dumps(samples))
    return list(load("locomo", tmp_path))


def test_sample_becomes_one_conversation_with_dated_sessions(tmp_path: Path) -> None:
    (recording,) = read(tmp_path, SAMPLE)
    (conversation,) = recording.conversations
    first, second, third = conversation.messages
    assert (recording.id, recording.split, conversation.id) == ("conv-1", "dev", "conv-1")
    assert [m.id for m in conversation.messages] == ["D2:1", "D2:2", "D10:1"]
    assert [m.extensions["session"] for m in conversation.messages] == ["session_2", "session_2", "session_10"]
    assert [m.timestamp for m in conversation.messages] == ["2023-05-08T13:56:00"] * 2 + ["2024-01-01T00:05:00"]
    assert (first.role, first.name, first.text) == ("assistant", "Bob", "look [image: a red car]")
    assert (second.role, second.name, second.text) == ("user", "Ann", "")
    assert third.text == "hi"


def test_questions_and_mended_evidence(tmp_path: Path) -> None:
    (tmp_path / "locomo10.json").write_text(json.dumps([SAMPLE]))
    data = load("locomo", tmp_path)
    names = ["multi_hop", "temporal", "open_domain", "single_hop", "adversarial"]
    assert [p.category for p in data.probes] == names
    assert [p.evidence for p in data.probes] == [("D2:1", "D10:1"), ("D2:2",), (), ("D2:1",), ("D2:2",)]
    assert [p.answer for p in data.probes] == ["2022", "May", "x", "y", None]
    assert [p.answerable for p in data.probes] == [True] * 4 + [False]
    assert [p.id for p in data.probes] == [f"locomo_0_qa{n}" for n in range(5)]
    assert data.probes[4].extensions == {"adversarial_answer": "No"}
    counts = {"malformed_evidence": 3, "probe_without_evidence": 1, "unknown_evidence": 1}
    assert count_by_code(data.losses) == counts
    said = [item.sentence() for item in data.losses]
    assert said[0] == "evidence D2:1; D10:01 of question locomo_0_qa0 was read as D2:1, D10:1"
    assert said[1] == "evidence D of question locomo_0_qa1 was read as nothing"


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00"),
        ("12:30 pm on 1 june, 2022", "2022-06-01T12:30:00"),
        ("8 May 2023", None),
        ("1:56 pm on 8 Mayo, 2023", None),
        ("", None),
    ],
)
def test_times(written: str, read_as: str | None) -> None:
    assert iso_time(written) == read_as


def test_unreadable_time_is_listed(tmp_path: Path) -> None:
    conversation = {"speaker_a": "A", "speaker_b": "B", "session_1": [turn("D1:1")], "session_1_date_time": "soon"}
    (tmp_path / "locomo10.json").write_text(json.dumps([{"sample_id": "s", "conversation": conversation, "qa": []}]))
    data = load("locomo", tmp_path)
    assert data.conversations[0].messages[0].timestamp is None
    assert count_by_code(data.losses) == {"unreadable_timestamp": 1}


@pytest.mark.parametrize("content", ["{", "{}", "[]", "[3]", '[{"sample_id": "x"}]', '[{"conversation": []}]'])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "locomo10.json").write_text(content)
    with pytest.raises(InvalidInput, match=r"locomo10\.json.*(JSON|LoCoMo)"):
        load("locomo", tmp_path)


def test_folder_without_the_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"locomo10\.json: no such file"):
        load("locomo", tmp_path)


def audit(n: int, **fields: Any) -> dict[str, Any]:
    entry = {"question_id": f"locomo_0_qa{n}", "question": "?", "error_type": "WRONG_CITATION"}
    return entry | {"correct_answer": "z", "correct_evidence": ["D2:2"]} | fields


def test_audit_is_applied_over_the_original(tmp_path: Path) -> None:
    (tmp_path / "locomo10.json").write_text(json.dumps([SAMPLE]))
    entries = [
        audit(0, correct_answer="2021 (but see D2:1)"),
        audit(2, correct_evidence=["D10:1", "D99:9"], correct_answer="x"),
        audit(3, correct_evidence=[]),
        audit(1, question="another one"),
        audit(77),
    ]
    (tmp_path / "errors.json").write_text(json.dumps(entries))
    data = load("locomo_audited", tmp_path)
    assert [p.evidence for p in data.probes] == [("D2:2",), ("D2:2",), ("D10:1",), (), ("D2:2",)]
    assert [p.answer for p in data.probes] == ["2021", "May", "x", "z", None]
    assert data.probes[0].extensions["audit"] == {
        "error_type": "wrong_citation",
        "answer": "2022",
        "evidence": ["D2:1", "D10:1"],
        "correct_answer": "2021 (but see D2:1)",
    }
    assert count_by_code(data.losses) == {
        "correction_not_applied": 2,
        "malformed_evidence": 1,
        "probe_corrected": 3,
        "probe_without_evidence": 1,
        "unknown_evidence": 1,
    }
    corrected = [dict(item.values)["changed"] for item in data.losses if item.code == "probe_corrected"]
    assert corrected == ["answer and evidence", "evidence", "answer and evidence"]
    assert data.name == "locomo_audited"


@pytest.mark.parametrize(
    ("corrected", "answer"),
    [
        ("Cakes (answer is correct, D25:19 should be D25:20)", "Cakes"),
        ("six months (correct answer, wrong citation - should cite D6:2 not D6:1)", "six months"),
        ("Indiana (but the visit was in summer 2022).", "Indiana."),
        ("A drawing (D17:21), a poster (D17:17), and a sign", "A drawing, a poster, and a sign"),
        ("The golden answer is factually correct; only the citation D4:36 is invalid.", "old"),
        ("stuffed toy pup (Tilly)", "stuffed toy pup (Tilly)"),
        ("Two paintings: (1) one (D17:12), and (2) two", "Two paintings: (1) one, and (2) two"),
        ("", "old"),
        (None, "old"),
    ],
)
def test_audited_answers_without_remarks(corrected: str | None, answer: str) -> None:
    assert corrected_answer(corrected, "old") == answer


def test_missing_audit_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MNEMO_DATA_DIR", raising=False)
    monkeypatch.setenv("MNEMO_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "locomo10.json").write_text(json.dumps([SAMPLE]))
    with pytest.raises(InvalidInput, match="mnemo data fetch locomo_audit"):
        load("locomo_audited", tmp_path / "data")
    (tmp_path / "data" / "errors.json").write_text('["x"]')
    with pytest.raises(InvalidInput, match="not the LoCoMo audit"):
        load("locomo_audited", tmp_path / "data")


def test_real_set(public_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(public_data))
    data = load("locomo")
    assert data.counts == data.card.counts
    assert data.counts == {
        "recordings": 10,
        "conversations": 10,
        "sessions": 272,
        "messages": 5882,
        "probes": 1986,
        "usable_probes": 1982,
    }
    assert count_by_code(data.losses) == {"malformed_evidence": 7, "probe_without_evidence": 4, "unknown_evidence": 2}
    assert [r.id for r in data.select("dev")] == ["conv-26", "conv-30", "conv-41", "conv-42", "conv-43"]
    assert [r.id for r in data.select("test")] == ["conv-44", "conv-47", "conv-48", "conv-49", "conv-50"]
    categories = {c: sum(p.category == c for p in data.probes) for c in dict.fromkeys(p.category for p in data.probes)}
    assert categories == {"temporal": 321, "open_domain": 96, "multi_hop": 282, "single_hop": 841, "adversarial": 446}
    messages = [m for c in data.conversations for m in c.messages]
    assert sum("[image: " in m.text for m in messages) == 1226
    assert all(m.timestamp for m in messages)
    assert not any("Ferrari 488" in m.text for m in messages)
    assert all(sum(1 for _ in r.messages()) == len({m.id for m in r.messages()}) for r in data)


def test_real_audit(public_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(public_data))
    data = load("locomo_audited")
    assert data.counts == data.card.counts
    assert data.counts["usable_probes"] == 1981
    assert count_by_code(data.losses)["probe_corrected"] == 156
    assert "correction_not_applied" not in count_by_code(data.losses)
    raw = load("locomo")
    assert data.digest != raw.digest
    assert [p.id for p in data.probes] == [p.id for p in raw.probes]
    sunrise = data.probes[1]
    assert (sunrise.answer, sunrise.evidence) == ("2022", ("D1:14",))
    assert not any("D4:36" in (p.answer or "") for p in data.probes)
