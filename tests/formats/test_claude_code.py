"""Claude Code: answers written line by line, steps that are no messages, phantoms, compaction, subagents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import claude_code
from mnemo_lab.formats.base import Format, Reading, Sample
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.tree import active_path
from mnemo_lab.units import validate_messages
from tests.formats.exports import sample

Record = dict[str, Any]
Told = list[tuple[str, str | None, str | None]]


def read(path: Path) -> list[Reading]:
    with Source(path) as source:
        return list(claude_code.read(source))


def told(reading: Reading) -> Told:
    return [(item.code, item.message_id, item.pointer) for item in reading.losses]


def saved(folder: Path, *records: Record | str, name: str = "s.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def one(folder: Path, *records: Record | str) -> tuple[Conversation, Told]:
    (reading,) = read(saved(folder, *records))
    assert reading.conversation is not None
    return reading.conversation, told(reading)


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> Record:
    return _record("user", uuid, parent) | {"message": {"role": "user", "content": content}} | more


def assistant(uuid: str, parent: str | None, reply: str, *content: Any, **more: Any) -> Record:
    message = {"id": f"msg_{reply}", "role": "assistant", "model": "claude-x", "content": list(content)}
    return _record("assistant", uuid, parent) | {"message": message, "requestId": f"req_{reply}"} | more


def _record(kind: str, uuid: str, parent: str | None) -> Record:
    common = {"sessionId": "s", "isSidechain": False, "timestamp": "2026-03-01T08:00:00.000Z"}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, **common}


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def use(call: str) -> Record:
    return {"type": "tool_use", "id": call, "name": "Read", "input": {"file": call}}


def result(call: str, content: Any = "ok") -> Record:
    return {"type": "tool_result", "tool_use_id": call, "content": content}


def shape(conversation: Conversation) -> list[tuple[str, str, str | None]]:
    return [(message.id, message.text, message.parent_id) for message in conversation.messages]


def path_of(conversation: Conversation) -> list[str]:
    return [message.id for message in active_path(conversation).conversation.messages]


def test_the_sample() -> None:
    session, agent = read(sample("claude_code_session.jsonl"))
    conversation = session.conversation
    assert conversation is not None
    assert shape(conversation) == [
        ("c1", "读一下 README，再看图", None),
        ("c1m", "<local-command-stdout>ok</local-command-stdout>", "c1"),
        ("c2", "我先读文件。", "c1m"),
        ("c5", "     1→# 演示", "c2"),
        ("c6", "图里是什么？", "c5"),
        ("c6x", "（被 rewind 掉的分支）", "c5"),
        ("c7", "一个蓝色像素。", "c6"),
        ("c8", "此前摘要：读了 README，看了图。", "c7"),
        ("c9", "继续。", "c8"),
        ("c10", "父节点缺失的一条", "c9"),
    ]
    assert path_of(conversation) == ["c1", "c1m", "c2", "c5", "c6", "c7", "c8", "c9", "c10"]
    assert (conversation.id, conversation.title, conversation.model) == ("sess-1", "读文件并报天气", "claude-opus-4-6")
    assert conversation.extensions["claude-code"] == {
        "cwd": "/home/ada/demo",
        "version": "2.1.37",
        "gitBranch": "main",
        "compactions": [{"uuid": "cb", "trigger": "auto", "preTokens": 155000}],
    }
    by_id = {message.id: message for message in conversation.messages}
    answer = by_id["c2"]
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("toolu_R", "Read", '{"file_path":"/home/ada/demo/README.md"}'),
    ]
    thought = {"text": "先读文件", "provider": "anthropic", "model": "claude-opus-4-6", "signature": "c2ln"}
    assert answer.extensions["reasoning"] == [thought]
    assert answer.extensions["claude-code"]["uuids"] == ["c2", "c3", "c4"]
    assert (by_id["c5"].role, by_id["c5"].tool_call_id, by_id["c5"].name) == ("tool", "toolu_R", "Read")
    assert by_id["c6"].attachments[0].media_type == "image/png"
    assert by_id["c8"].extensions == {"hidden": True, "claude-code": {"compact_summary": True}}
    assert [message.id for message in conversation.messages if message.extensions.get("hidden")] == ["c1m", "c8"]
    assert told(session) == [
        ("field_dropped", None, "/9/toolUseResult"),
        ("unknown_record", None, "/1"),
        ("hidden_message", "c1m", "/5"),
        ("parent_missing", "c10", "/18"),
        ("leaf_guessed", "c10", None),
    ]
    assert agent.conversation is not None
    assert (agent.conversation.id, agent.place.rpartition("#")[2]) == ("sess-1#a1", "a1")
    assert shape(agent.conversation) == [("sc1", "子代理任务", None)]
    assert agent.conversation.extensions["claude-code"]["sidechain"] is True
    assert agent.losses == ()


def test_phantom_parents_twice_the_same_line_and_a_cut_end() -> None:
    """Breakage 24."""
    (reading,) = read(sample("breakages/24_claude_code_phantom_parent.jsonl"))
    assert reading.conversation is not None
    assert shape(reading.conversation) == [
        ("a", "第一句", None),
        ("b", "答一", "a"),
        ("c", "父是 progress", "b"),
        ("d", "父不存在", "c"),
    ]
    assert told(reading) == [
        ("unreadable_record", None, "/7"),
        ("duplicate_record", "d", "/6"),
        ("parent_missing", "a", "/1"),
        ("parent_missing", "d", "/5"),
    ]


def test_parallel_calls_are_all_answered_on_the_path(tmp_path: Path) -> None:
    """Each result names the line of its own call; the path to the next message must pass all of them."""
    conversation, losses = one(
        tmp_path,
        user("u", None, "读三个"),
        assistant("a1", "u", "1", text("好"), use("t1")),
        assistant("a2", "a1", "1", use("t2")),
        user("r1", "a1", [result("t1", "一")]),
        assistant("a3", "a2", "1", use("t3")),
        user("r3", "a3", [result("t3", "三")]),
        user("x", "r1", "插话"),
        user("r2", "a2", [result("t2", "二")]),
        assistant("b", "r2", "2", text("完")),
    )
    assert [message.id for message in conversation.messages] == ["u", "a1", "r1", "r3", "r2", "x", "b"]
    assert path_of(conversation) == ["u", "a1", "r1", "r3", "r2", "b"]
    assert validate_messages(active_path(conversation).conversation.messages) == []
    assert [call.id for call in conversation.messages[1].tool_calls] == ["t1", "t2", "t3"]
    assert {message.id: message.parent_id for message in conversation.messages}["x"] == "r2"
    assert losses == [("leaf_guessed", "b", None)]


def test_a_second_answer_to_a_call_stays_a_branch(tmp_path: Path) -> None:
    conversation, _ = one(
        tmp_path,
        user("u", None, "问"),
        assistant("a", "u", "1", use("t1")),
        user("r", "a", [result("t1", "拒绝")]),
        user("again", "a", [result("t1", "好")]),
        assistant("b", "again", "2", text("完")),
    )
    assert {message.id: message.parent_id for message in conversation.messages}["again"] == "a"
    assert path_of(conversation) == ["u", "a", "again", "b"]


def test_snapshots_of_an_answer_that_grows(tmp_path: Path) -> None:
    conversation, losses = one(
        tmp_path,
        user("u", None, "问"),
        assistant("a", "u", "1", text("今天")),
        assistant("b", "a", "1", text("今天小雨")),
        assistant("c", "b", "1", text("今天小雨"), use("t")),
        assistant("c", "b", "1", text("今天小雨"), use("t")),
        user("r", "c", [result("t"), text("还有"), {"type": "document", "source": {"type": "text", "data": "甲"}}]),
    )
    assert shape(conversation) == [("u", "问", None), ("a", "今天小雨", "u"), ("r", "ok", "a"), ("r#2", "还有", "r")]
    assert conversation.messages[1].extensions["claude-code"]["uuids"] == ["a", "b", "c"]
    assert conversation.messages[3].attachments[0].data == "55Sy"
    assert losses == [("duplicate_record", "c", "/5")]


def test_compaction_walks_on_to_what_it_summed_up(tmp_path: Path) -> None:
    boundary = _record("system", "cb", None) | {"subtype": "compact_boundary", "logicalParentUuid": "a"}
    lost = _record("system", "cc", None) | {"subtype": "compact_boundary", "logicalParentUuid": "gone"}
    conversation, losses = one(
        tmp_path,
        user("u", None, "问"),
        assistant("a", "u", "1", text("答")),
        boundary,
        user("s", "cb", "摘要", isCompactSummary=True),
        lost,
        user("v", "cc", "再问"),
    )
    assert path_of(conversation) == ["u", "a", "s", "v"]
    assert losses == [("hidden_message", "s", "/4"), ("parent_missing", "v", "/6")]


def test_commands_are_marked_and_their_output_is_hidden(tmp_path: Path) -> None:
    typed = "<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n"
    conversation, _ = one(
        tmp_path,
        user("a", None, f"{typed}<command-args>第 3 章\n全部</command-args>"),
        user("b", "a", "<local-command-stdout>好</local-command-stdout>"),
        user("c", "b", "Caveat: …", isMeta=True),
        user("d", "c", "说说 <command-name>"),
    )
    command, output, caveat, plain = conversation.messages
    assert command.extensions == {"claude-code": {"command": {"name": "/review", "arguments": "第 3 章\n全部"}}}
    assert output.extensions == {"hidden": True}
    assert caveat.extensions == {"hidden": True, "claude-code": {"meta": True}}
    assert plain.extensions == {}


def test_titles(tmp_path: Path) -> None:
    foreign = {"type": "summary", "summary": "别处", "leafUuid": "zz"}
    ours = {"type": "summary", "summary": "此处", "leafUuid": "u"}
    made = {"type": "ai-title", "aiTitle": "自动", "sessionId": "s"}
    named = {"type": "custom-title", "customTitle": "自定", "sessionId": "s"}
    said = user("u", None, "问")
    for records, title in (
        ((foreign, said), None),
        ((foreign, made, said), "自动"),
        ((ours, foreign, made, said), "此处"),
        ((ours, named, said), "自定"),
    ):
        conversation, losses = one(tmp_path, *records)
        assert conversation.title == title
        assert ("unknown_record" in [code for code, _, _ in losses]) == (foreign in records)


def test_subagents_are_conversations_of_their_own(tmp_path: Path) -> None:
    def side(record: Record, agent: str | None = None) -> Record:
        return record | {"isSidechain": True} | ({"agentId": agent} if agent else {})

    readings = read(
        saved(
            tmp_path,
            user("u", None, "问"),
            assistant("a", "u", "1", use("t")),
            side(user("p", "a", "任务一"), "x"),
            side(user("q", None, "任务二")),
            side(assistant("p2", "p", "2", text("一答")), "x"),
            side(assistant("q2", "q", "3", text("二答"))),
            user("r", "a", [result("t")]),
        )
    )
    found = {item.conversation.id: shape(item.conversation) for item in readings if item.conversation}
    assert found == {
        "s": [("u", "问", None), ("a", "", "u"), ("r", "ok", "a")],
        "s#x": [("p", "任务一", None), ("p2", "一答", "p")],
        "s#q": [("q", "任务二", None), ("q2", "二答", "q")],
    }
    assert [told(item) for item in readings] == [[], [], []]


def test_a_folder_of_sessions_with_one_that_is_none(tmp_path: Path) -> None:
    saved(tmp_path, user("u", None, "甲"), name="p/one.jsonl")
    saved(tmp_path, user("v", None, "乙") | {"isSidechain": True, "agentId": "z"}, name="p/one/subagents/agent-z.jsonl")
    saved(tmp_path, {"display": "x"}, name="history.jsonl")
    saved(tmp_path, {"type": "summary", "summary": "只有摘要", "leafUuid": "q"}, name="p/only.jsonl")
    readings = read(tmp_path)
    named = {reading.place.rpartition(":")[2]: reading for reading in readings}
    texts = {place: [m.text for m in r.conversation.messages] if r.conversation else None for place, r in named.items()}
    assert texts == {
        "history.jsonl": None,
        "p/one.jsonl": ["甲"],
        "p/one/subagents/agent-z.jsonl#z": ["乙"],
        "p/only.jsonl": [],
    }
    assert [code for code, _, _ in told(named["history.jsonl"])] == ["unreadable_conversation"]
    assert [code for code, _, _ in told(named["p/only.jsonl"])] == ["unknown_record", "empty_conversation"]


def test_records_that_are_not_read_are_listed_once_by_type(tmp_path: Path) -> None:
    hooks = [_record("attachment", f"h{n}", "u" if n == 0 else f"h{n - 1}") for n in range(3)]
    (reading,) = read(
        saved(
            tmp_path,
            user("u", None, "问", novelty=[1]),
            *hooks,
            _record("system", "e", "h2") | {"subtype": "api_error"},
            _record("progress", "p", "e"),
            user("v", "p", "再问"),
        )
    )
    assert reading.conversation is not None
    assert shape(reading.conversation) == [("u", "问", None), ("v", "再问", "u")]
    assert [(item.code, dict(item.values)) for item in reading.losses] == [
        ("unknown_record", {"type": "attachment", "count": "3"}),
        ("unknown_record", {"type": "system/api_error", "count": "1"}),
        ("field_dropped", {"field": "novelty", "count": "1"}),
    ]


def test_cycles_and_children_before_their_parents(tmp_path: Path) -> None:
    conversation, losses = one(
        tmp_path,
        user("b", "a", "二"),
        assistant("a", None, "1", text("一")),
        user("x", "y", "甲"),
        user("y", "x", "乙"),
        _record("progress", "p", "q"),
        _record("progress", "q", "p"),
        user("z", "p", "丙", timestamp="2026-03-02T00:00:00Z"),
    )
    parents = {message.id: message.parent_id for message in conversation.messages}
    assert parents == {"b": "a", "a": None, "x": None, "y": "x", "z": None}
    assert losses == [("cycle_cut", "x", None), ("leaf_guessed", "z", None)]


def test_odd_records_cost_only_themselves(tmp_path: Path) -> None:
    deep = '{"type":"user","uuid":"deep","message":{"role":"user","content":' + "[" * 400 + "]" * 400 + "}}"
    conversation, losses = one(
        tmp_path,
        "not json",
        "[1, 2]",
        user("u", None, "好"),
        '{"type":"user","uuid":"h","parentUuid":"u","sessionId":"s","message":{"role":"user","content":"半\\ud83d"}}',
        '{"type":["user"],"uuid":5,"message":7}',
        {"type": "user", "message": {"content": [text("没有编号")]}},
        deep,
        user("e", "h", ""),
    )
    assert [(message.id, message.text) for message in conversation.messages][1:3] == [
        ("h", "半\ufffd"),
        ("line_6", "没有编号"),
    ]
    codes = [code for code, _, _ in losses]
    assert codes[:2] == ["unreadable_record", "unreadable_record"]
    assert {"unicode_replaced", "unknown_record", "empty_message"} <= set(codes)


def test_answers_the_tool_wrote_itself(tmp_path: Path) -> None:
    broken = assistant("b", "a", "2", text("API Error"), isApiErrorMessage=True)
    broken["message"]["model"] = "<synthetic>"
    conversation, _ = one(tmp_path, user("u", None, "问"), assistant("a", "u", "1", text("答")), broken)
    assert conversation.model == "claude-x"
    assert conversation.messages[2].extensions["claude-code"]["api_error"] is True


@pytest.mark.parametrize("data", [b"", b"plain\nwords\n", b'{"a": 1}\n', b"\x89PNG\r\n\x1a\n\x00\x00"])
def test_nonsense_is_refused_with_its_place(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match=r"x\.jsonl.*(not a Claude Code session|save the file as UTF-8)"):
        read(path)


def test_a_mark_at_the_start_and_utf_16(tmp_path: Path) -> None:
    """Breakage 26, in the shape of a session."""
    data = json.dumps(user("u", None, "带 BOM"), ensure_ascii=False) + "\r\n"
    for encoding in ("utf-8-sig", "utf-16"):
        path = tmp_path / f"{encoding}.jsonl"
        path.write_bytes(data.encode(encoding))
        (reading,) = read(path)
        assert reading.conversation is not None
        assert ([m.text for m in reading.conversation.messages], reading.losses) == (["带 BOM"], ())


def test_a_huge_answer_in_many_lines_takes_no_huge_time(tmp_path: Path) -> None:
    lines = (assistant(f"a{n}", f"a{n - 1}" if n else None, "1", use(f"t{n}")) for n in range(3000))
    conversation, _ = one(tmp_path, *lines)
    (answer,) = conversation.messages
    assert len(answer.tool_calls) == 3000


def test_detection() -> None:
    assert isinstance(claude_code, Format)

    def judge(*records: Any) -> float:
        found = claude_code.detect(Sample("a.jsonl", ("a.jsonl",), None, records))
        return found.score if found else 0.0

    assert judge({"type": "summary", "summary": "x", "leafUuid": "y"}, user("u", None, "问")) == 0.95
    assert judge({"type": "summary", "summary": "x", "leafUuid": "y"}) == 0.7
    assert judge({"type": "response_item", "payload": {}}) == 0.0
    assert judge({"sessionId": "s", "projectHash": "h"}, 5, None) == 0.0
