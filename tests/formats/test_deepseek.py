"""The reader of DeepSeek's export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mnemo_lab.formats import deepseek
from mnemo_lab.formats.tree import active_path
from tests.formats.exports import codes, ids, one, read_value, readings, sample


def node(key: str, parent: str | None, *fragments: Any, **message: Any) -> dict[str, Any]:
    pairs = [{"type": f[0], "content": f[1]} if isinstance(f, tuple) else f for f in fragments]
    return {"id": key, "parent": parent, "message": {"files": [], "fragments": pairs, **message}}


def export(*nodes: dict[str, Any]) -> dict[str, Any]:
    root = {"id": "root", "parent": None, "message": None}
    return {"id": "d", "title": "t", "inserted_at": "2026-03-01T16:00:00+08:00",
            "mapping": {item["id"]: item for item in (root, *nodes)}}  # fmt: skip


def test_the_sample() -> None:
    (reading,) = readings(sample("deepseek_export"), deepseek)
    conversation = reading.conversation
    assert conversation
    assert (conversation.id, conversation.title, conversation.model) == ("ds1", "天气", "deepseek-reasoner")
    assert [(m.id, m.parent_id, m.role, m.text, m.timestamp) for m in conversation.messages] == [
        ("1", None, "user", "杭州天气？", "2026-03-01T16:00:00.505000+08:00"),
        ("2", "1", "assistant", "旧回答", "2026-03-01T16:00:02+08:00"),
        ("3", "1", "assistant", "云图显示东侧有雨带；杭州今天小雨，18°C，出门请带伞。", "2026-03-01T16:00:09+08:00"),
    ]
    assert conversation.messages[1].extensions["reasoning"] == [
        {"text": "想一想", "provider": "deepseek", "model": "deepseek-reasoner"}
    ]
    assert conversation.extensions == {
        "deepseek": {
            "inserted_at": "2026-03-01T16:00:00.505000+08:00", "updated_at": "2026-03-01T16:01:00.156000+08:00",
        },
        "active_leaf": "3",
    }  # fmt: skip
    assert ids(active_path(conversation).conversation.messages) == ["1", "3"]
    assert [(x.code, x.pointer) for x in reading.losses] == [("leaf_guessed", "/0/mapping")]


def test_a_conversation_without_branches_needs_no_guess(tmp_path: Path) -> None:
    value = export(node("1", "root", ("REQUEST", "q")), node("2", "1", ("THINK", "t"), ("RESPONSE", "a")))
    conversation, reading = one(tmp_path, value, deepseek)
    assert [(m.role, m.text, m.parent_id) for m in conversation.messages] == [
        ("user", "q", None), ("assistant", "a", None),
    ]  # fmt: skip
    assert reading.losses == ()


def test_searches_are_citations_and_other_fragments_are_kept(tmp_path: Path) -> None:
    search = {"type": "SEARCH", "content": None, "results": [{"url": "https://e.org", "title": "T", "snippet": "s"}, 7]}
    odd = {"type": "HOLOGRAM", "content": "?"}
    value = export(node("1", "root", ("REQUEST", "q")), node("2", "1", search, odd, ("RESPONSE", "a")))
    conversation, reading = one(tmp_path, value, deepseek)
    answer = conversation.messages[1]
    assert (answer.text, answer.extensions["citations"]) == ("a", [{"url": "https://e.org", "title": "T"}])
    assert answer.extensions["deepseek"]["fragments"] == [odd]
    assert codes(reading) == {"unknown_block": 1}


def test_the_older_shape_and_guessed_roles(tmp_path: Path) -> None:
    nodes = [
        {"id": "1", "parent": "root", "message": {"content": "q"}},
        {"id": "2", "parent": "1", "message": {"content": "a", "reasoning_content": "hm"}},
        {"id": "3", "parent": "2", "message": {"content": "q2", "role": "USER"}},
        {"id": "4", "parent": "3", "message": {"content": "a2"}},
    ]
    conversation, reading = one(tmp_path, export(*nodes), deepseek)
    assert [(m.role, m.text) for m in conversation.messages] == [
        ("user", "q"), ("assistant", "a"), ("user", "q2"), ("assistant", "a2"),
    ]  # fmt: skip
    assert conversation.messages[1].extensions["reasoning"] == [{"text": "hm", "provider": "deepseek"}]
    assert [x.message_id for x in reading.losses if x.code == "role_guessed"] == ["1", "4"]


def test_files_are_stubs(tmp_path: Path) -> None:
    value = export(node("1", "root", ("REQUEST", "q"), files=[{"id": "f1", "file_name": "plan.pdf"}, "odd"]))
    conversation, reading = one(tmp_path, value, deepseek)
    assert [(a.kind, a.name, a.reference) for a in conversation.messages[0].attachments] == [
        ("file", "plan.pdf", "f1"), ("file", None, None),
    ]  # fmt: skip
    assert codes(reading) == {"missing_asset": 2}


def test_broken_neighbours_cost_themselves(tmp_path: Path) -> None:
    fine = export(node("1", "root", ("REQUEST", "q"), inserted_at="soon"))
    found = read_value(tmp_path, [fine, None, {"id": "shell"}, {"id": "x", "mapping": 7}, fine], deepseek)
    assert [r.conversation.id if r.conversation else None for r in found] == ["d", None, "shell", None, "d"]
    assert [list(codes(r)) for r in found] == [
        ["unreadable_timestamp"], ["unreadable_conversation"], ["empty_conversation"], ["unreadable_conversation"],
        ["unreadable_timestamp"],
    ]  # fmt: skip
