from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.corpora import load
from mnemo_lab.corpora.beam import iso_date
from mnemo_lab.errors import InvalidInput
from mnemo_lab.losses import count_by_code

CHAT = [
    {
        "batch_number": 1,
        "time_anchor": None,
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "Plan it ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Sure: a -> b ->-> c"},
            ],
            [{"role": "user", "id": 2, "content": "Use Messagepack ->-> 2,N/A"}],
        ],
    },
    {"batch_number": 2, "turns": [[{"role": "assistant", "id": 3, "content": "```py\nx\n```  ->->  5,14)\n"}]]},
]
QUESTIONS = {
    "abstention": [{"question": "Why?", "ideal_response": "Not said.", "rubric": ["r"]}],
    "knowledge_update": [
        {"question": "How many?", "answer": 165, "source_chat_ids": {"original_info": [0], "updated_info": [2, 0]}}
    ],
    "event_ordering": [{"question": "Order?", "answer": "1, 2", "source_chat_ids": [2, 2, 1, 99]}],
    "instruction_following": [{"question": "Show", "source_chat_ids": [], "instruction_being_tested": "Always x"}],
    "summarization": [{"question": "Sum up", "ideal_summary": "All.", "source_chat_ids": [[1], 3]}],
}


def put(folder: Path, number: int, chat: Any = CHAT, questions: Any = QUESTIONS) -> None:
    target = folder / str(number)
    target.mkdir(parents=True)
    (target / "chat.json").write_text(json.dumps(chat))
    (target / "probing_questions.json").write_text(json.dumps(questions))


def test_messages(tmp_path: Path) -> None:
    put(tmp_path, 1)
    data = load("beam", tmp_path)
    messages = data.conversations[0].messages
    assert [m.text for m in messages] == ["Plan it", "Sure: a -> b ->-> c", "Use Messagepack", "```py\nx\n```"]
    assert [m.id for m in messages] == ["0", "1", "2", "3"]
    assert [m.timestamp for m in messages] == ["2024-03-15", None, None, None]
    assert [m.extensions["session"] for m in messages] == ["batch_1"] * 3 + ["batch_2"]


def test_questions(tmp_path: Path) -> None:
    put(tmp_path, 1)
    data = load("beam", tmp_path)
    assert [p.evidence for p in data.probes] == [(), ("0", "2"), ("2", "1"), (), ("1", "3")]
    assert [p.answer for p in data.probes] == ["Not said.", "165", "1, 2", None, "All."]
    assert [p.answerable for p in data.probes] == [False, True, True, True, True]
    assert [p.category for p in data.probes] == list(QUESTIONS)
    assert data.probes[0].extensions == {"rubric": ["r"]}
    assert data.probes[3].extensions["instruction_being_tested"] == "Always x"
    assert data.probes[1].id == "beam-1-knowledge_update-1"
    assert count_by_code(data.losses) == {"probe_without_evidence": 1, "unknown_evidence": 1}


def test_folders_in_numeric_order_and_split(tmp_path: Path) -> None:
    for number in (10, 2, 1, 3, 4, 5):
        put(tmp_path, number)
    data = load("beam", tmp_path)
    assert [r.id for r in data] == ["beam-1", "beam-2", "beam-3", "beam-4", "beam-5", "beam-10"]
    assert [r.split for r in data] == ["dev"] * 5 + ["test"]


def test_dates() -> None:
    assert iso_date("April-05-2024") == "2024-04-05"
    assert iso_date("Sometime-05-2024") is None
    assert iso_date("2024-04-05") is None


def test_unreadable_date_is_listed(tmp_path: Path) -> None:
    entry = {"role": "user", "id": 0, "time_anchor": "soon", "content": "x"}
    put(tmp_path, 1, [{"batch_number": 1, "turns": [[entry]]}], {})
    assert count_by_code(load("beam", tmp_path).losses) == {"unreadable_timestamp": 1}


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not BEAM"):
        load("beam", tmp_path)
    put(tmp_path, 1, [{"turns": []}])
    with pytest.raises(InvalidInput, match=r"not a BEAM chat \(KeyError: 'batch_number'\)"):
        load("beam", tmp_path)
    (tmp_path / "1" / "probing_questions.json").unlink()
    with pytest.raises(InvalidInput, match=r"probing_questions\.json: no such file"):
        load("beam", tmp_path)


def test_real_set(public_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_DATA_DIR", str(public_data))
    data = load("beam")
    assert data.counts == data.card.counts
    assert (len(data), len(data.probes), data.counts["messages"]) == (10, 200, 2432)
    assert Counter(p.category for p in data.probes) == dict.fromkeys(
        (
            "abstention",
            "contradiction_resolution",
            "event_ordering",
            "information_extraction",
            "instruction_following",
            "knowledge_update",
            "multi_session_reasoning",
            "preference_following",
            "summarization",
            "temporal_reasoning",
        ),
        20,
    )
    messages = [m for c in data.conversations for m in c.messages]
    assert not any("->->" in m.text for m in messages)
    assert sum(m.timestamp is not None for m in messages) == 40
    assert sum(not p.answerable for p in data.probes) == 20
    assert [r.id for r in data.select("dev")] == [f"beam-{n}" for n in range(1, 6)]
    assert count_by_code(data.losses) == {"probe_without_evidence": 1}
    assert sum(p.answer is None for p in data.probes) == 40
