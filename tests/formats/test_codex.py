"""Codex: items read once, calls of every kind, what was injected, compacted and rolled back, the older bare lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import codex
from mnemo_lab.formats.base import Format, Reading, Sample
from mnemo_lab.formats.source import Source
from mnemo_lab.units import validate_messages
from tests.formats.exports import sample

Record = dict[str, Any]
META: Record = {"type": "session_meta", "payload": {"id": "sid", "timestamp": "2026-03-01T08:00:00Z"}}


def read(path: Path) -> list[Reading]:
    with Source(path) as source:
        return list(codex.read(source))


def told(reading: Reading) -> list[tuple[str, str | None]]:
    return [(item.code, item.pointer) for item in reading.losses]


def one(
    folder: Path, *records: Any, name: str = "rollout-x.jsonl"
) -> tuple[Conversation, list[tuple[str, str | None]]]:
    path = folder / name
    lines = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (reading,) = read(path)
    assert reading.conversation is not None
    return reading.conversation, told(reading)


def item(kind: str, **fields: Any) -> Record:
    return {"timestamp": "2026-03-01T08:00:01Z", "type": "response_item", "payload": {"type": kind, **fields}}


def event(kind: str, **fields: Any) -> Record:
    return {"timestamp": "2026-03-01T08:00:01Z", "type": "event_msg", "payload": {"type": kind, **fields}}


def said(role: str, *texts: str, **more: Any) -> Record:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts], **more)


def thought(text: str) -> Record:
    return item("reasoning", summary=[{"type": "summary_text", "text": text}], encrypted_content=None)


def call(call_id: str, name: str = "shell", arguments: str = "{}") -> Record:
    return item("function_call", call_id=call_id, name=name, arguments=arguments)


def output(call_id: str, value: Any) -> Record:
    return item("function_call_output", call_id=call_id, output=value)


def shape(conversation: Conversation) -> list[tuple[str, str | None, list[str], str | None]]:
    return [
        (m.role, m.content if isinstance(m.content, str) else None, [c.id for c in m.tool_calls], m.tool_call_id)
        for m in conversation.messages
    ]


def test_the_sample() -> None:
    (reading,) = read(sample("codex_rollout.jsonl"))
    conversation = reading.conversation
    assert conversation is not None
    assert shape(conversation) == [
        ("system", "<permissions instructions>只读</permissions instructions>", [], None),
        ("user", "<environment_context><cwd>/home/ada/demo</cwd></environment_context>", [], None),
        ("user", "看看这张云图，再查一下杭州今天的天气 🌦️", [], None),
        ("assistant", None, ["call_1"], None),
        ("tool", "README.md\n", [], "call_1"),
        ("assistant", None, ["call_2"], None),
        ("tool", "Done", [], "call_2"),
        ("assistant", "云图显示东侧有雨带；杭州今天小雨，18°C，出门请带伞。", [], None),
        ("user", "摘要：已列目录。", [], None),
    ]
    assert [bool(message.extensions.get("hidden")) for message in conversation.messages] == [
        *(True, True, False, False, False, False, False, False, True),
    ]
    assert conversation.id == "019a0000-0000-7000-8000-000000000001"
    assert (conversation.model, conversation.system_prompt) == (
        "gpt-5-codex",
        "你是一名简洁的气象助手。回答不超过两句。",
    )
    picture = conversation.messages[2].attachments[0]
    assert (picture.kind, picture.media_type, (picture.data or "")[:8]) == ("image", "image/png", "iVBORw0K")
    _, _, _, asks, result, patches, _, answer, summary = conversation.messages
    assert asks.extensions["reasoning"] == [
        {"text": "先列目录", "provider": "openai", "model": "gpt-5-codex", "signature": "gAAAAB-synthetic"},
    ]
    assert asks.tool_calls[0].arguments == '{"command":"ls"}'
    assert (result.name, result.timestamp) == ("shell_command", "2026-03-01T08:00:03.000Z")
    assert patches.tool_calls[0].arguments == '{"input":"*** Begin Patch\\n*** End Patch"}'
    assert patches.tool_calls[0].extensions["codex"]["type"] == "custom_tool_call"
    assert answer.extensions == {"codex": {"phase": "final_answer"}}
    assert summary.extensions["codex"] == {"compact_summary": True}
    (compaction,) = conversation.extensions["codex"]["compactions"]
    assert compaction["after"] == 8
    assert compaction["replacement_history"][0]["content"][0]["text"] == "摘要后的历史"
    assert told(reading) == [("role_mapped", "/3/payload/role"), ("hidden_message", "/3/payload")]
    assert validate_messages(conversation.messages[1:]) == []


def test_parallel_calls_words_and_late_outputs_form_one_step(tmp_path: Path) -> None:
    conversation, losses = one(
        tmp_path,
        META,
        said("user", "问"),
        thought("想"),
        said("assistant", "我来看。", phase="commentary"),
        call("c1"),
        call("c2"),
        output("c2", "二"),
        said("assistant", "中间"),
        output("c1", "一"),
        thought("再想"),
        said("assistant", "答"),
    )
    assert shape(conversation) == [
        ("user", "问", [], None),
        ("assistant", "我来看。", ["c1", "c2"], None),
        ("tool", "二", [], "c2"),
        ("tool", "一", [], "c1"),
        ("assistant", "中间", [], None),
        ("assistant", "答", [], None),
    ]
    assert [m.extensions.get("reasoning", [{}])[0].get("text") for m in conversation.messages] == [
        *(None, "想", None, None, None, "再想"),
    ]
    assert losses == [("pair_repaired", "/9/payload")]


def test_calls_of_other_kinds_and_their_outputs(tmp_path: Path) -> None:
    search = item("web_search_call", id="ws", status="completed", action={"type": "search", "query": "杭州"})
    conversation, losses = one(
        tmp_path,
        META,
        item("local_shell_call", call_id="l", status="completed", action={"type": "exec", "command": ["ls", "-l"]}),
        output("l", {"content": "无此文件", "success": False}),
        call("b", arguments='{"a":'),
        output("b", [{"type": "input_text", "text": "甲"}, {"type": "input_image", "image_url": "https://a.cn/x.png"}]),
        item("tool_search_call", call_id="s", arguments={"query": "天气"}),
        item("tool_search_output", call_id="s", tools=[{"name": "f"}]),
        search,
        item("ghost_snapshot", ghost_commit={"id": "x"}),
        output("none", "?"),
    )
    shell, failed, broken, pictured, tools, found, web, orphan = conversation.messages
    assert (shell.tool_calls[0].name, shell.tool_calls[0].arguments) == (
        "local_shell",
        '{"type":"exec","command":["ls","-l"]}',
    )
    assert (failed.content, failed.extensions, failed.name) == ("无此文件", {"is_error": True}, "local_shell")
    assert broken.tool_calls[0].arguments == '{"a":'
    assert (pictured.content, pictured.attachments[0].reference) == ("甲", "https://a.cn/x.png")
    assert (tools.tool_calls[0].name, tools.tool_calls[0].arguments) == ("tool_search", '{"query":"天气"}')
    assert found.extensions == {"codex": {"tools": [{"name": "f"}]}}
    assert web.extensions["codex"]["blocks"] == [search["payload"]]
    assert (orphan.role, orphan.tool_call_id) == ("tool", "none")
    assert losses == [
        ("bad_arguments", "/4/payload"),
        ("unknown_block", "/8/payload"),
        ("orphan_tool_result", "/10/payload"),
    ]


def test_what_the_tool_injected_is_hidden_and_what_stands_beside_it_is_not(tmp_path: Path) -> None:
    agents, where = "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>短</INSTRUCTIONS>", "<environment_context>x"
    conversation, losses = one(
        tmp_path,
        META,
        said("developer", "<permissions instructions>只读"),
        said("user", agents, where),
        said("user", "<user_instructions>中文回答</user_instructions>"),
        said("user", where, "真正的问题"),
        said("user", "说说 <environment_context>"),
    )
    assert [bool(message.extensions.get("hidden")) for message in conversation.messages] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert conversation.system_prompt is None
    assert losses == [("role_mapped", "/2/payload/role"), ("hidden_message", "/2/payload")]


def test_a_leading_developer_message_is_the_system_prompt(tmp_path: Path) -> None:
    conversation, _ = one(tmp_path, META, said("developer", "简短。"), said("user", "问"), said("developer", "改口"))
    assert conversation.system_prompt == "简短。"
    assert [(message.role, message.content) for message in conversation.messages] == [
        ("user", "问"),
        ("system", "改口"),
    ]


def test_rolled_back_turns_are_left_out(tmp_path: Path) -> None:
    conversation, losses = one(
        tmp_path,
        META,
        said("user", "一"),
        said("assistant", "答一"),
        said("user", "<environment_context>x"),
        said("user", "二"),
        call("c"),
        output("c", "x"),
        said("user", "三"),
        said("assistant", "答三"),
        event("thread_rolled_back", num_turns=2),
        said("user", "新二"),
        said("assistant", "答新二"),
        event("thread_rolled_back", num_turns="x"),
    )
    assert [message.content for message in conversation.messages] == [
        *("一", "答一", "<environment_context>x", "新二", "答新二"),
    ]
    assert losses == [("hidden_message", "/4/payload"), ("branch_dropped", "/10/payload")]


def test_events_are_not_read_twice_but_are_all_there_is_without_items(tmp_path: Path) -> None:
    events = [
        event("user_message", message="问"),
        event("agent_reasoning", text="想"),
        event("agent_message", message="答"),
    ]
    conversation, losses = one(tmp_path, META, *events, event("thread_name_updated", thread_name="天气"))
    assert [(message.role, message.content) for message in conversation.messages] == [
        ("user", "问"),
        ("assistant", "答"),
    ]
    assert (conversation.title, losses) == ("天气", [])
    conversation, losses = one(tmp_path, META, events[0], said("user", "问"), events[2], said("assistant", "答"))
    assert [(message.role, message.content) for message in conversation.messages] == [
        ("user", "问"),
        ("assistant", "答"),
    ]


def test_compaction_keeps_what_was_said(tmp_path: Path) -> None:
    history = [{"type": "message", "role": "user", "content": []}, {"type": "compaction", "encrypted_content": "gAAA"}]
    conversation, _ = one(
        tmp_path,
        META,
        said("user", "问"),
        said("assistant", "答"),
        {
            "timestamp": "2026-03-01T09:00:00Z",
            "type": "compacted",
            "payload": {"message": "", "replacement_history": history},
        },
        said("user", "再问"),
    )
    assert [message.content for message in conversation.messages] == ["问", "答", "再问"]
    assert conversation.extensions["codex"]["compactions"] == [
        {"after": 2, "timestamp": "2026-03-01T09:00:00Z", "replacement_history": history},
    ]


def test_the_older_bare_lines(tmp_path: Path) -> None:
    conversation, losses = one(
        tmp_path,
        {"id": "old", "timestamp": "2025-06-01T08:00:00Z", "instructions": "简短。", "git": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "问"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c", "id": "fc_1"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output":"x","metadata":{"exit_code":0}}'},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "答"}]},
    )
    assert (conversation.id, conversation.system_prompt) == ("old", "简短。")
    assert [(message.role, message.id) for message in conversation.messages] == [
        *(("user", ""), ("assistant", ""), ("tool", ""), ("assistant", "msg_1")),
    ]
    assert conversation.messages[2].content == '{"output":"x","metadata":{"exit_code":0}}'
    assert losses == []


def test_odd_lines_cost_only_themselves(tmp_path: Path) -> None:
    conversation, losses = one(
        tmp_path,
        META,
        "[1]",
        {"type": "world_state", "payload": {}},
        {"type": "world_state", "payload": {}},
        {"type": ["x"], "payload": {}},
        item("message", role="robot", content="甲"),
        '{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"半\\ud83d"}]}}',
        item("message", role="assistant", content=[{"type": "refusal", "refusal": "不行"}, {"type": "hologram"}]),
        item("message", role="user", content=[]),
        item("message", role="user", content=[{"type": "input_image", "image_url": "data:image/png;base64,你"}]),
        '{"type":"response_item","payl',
    )
    assert [message.content for message in conversation.messages] == ["甲", "半\ufffd", "不行", ""]
    assert conversation.messages[2].extensions == {"refusal": "不行", "codex": {"blocks": [{"type": "hologram"}]}}
    assert losses == [
        ("unreadable_record", "/2"),
        ("unknown_record", "/3"),
        ("unknown_record", "/5"),
        ("role_guessed", "/6/payload/role"),
        ("unicode_replaced", "/7/payload/content/0/text"),
        ("unknown_block", "/8/payload/content/1"),
        ("image_dropped", "/10/payload/content/0"),
        ("unreadable_record", "/11"),
        ("empty_message", "/9/payload"),
    ]


def test_a_folder_is_one_conversation_a_file(tmp_path: Path) -> None:
    for name in ("b", "a"):
        one(tmp_path, META | {"payload": {"id": name}}, said("user", f"问 {name}"), name=f"rollout-{name}.jsonl")
    (tmp_path / "history.jsonl").write_text('{"session_id": "x", "text": "y"}\n')
    readings = read(tmp_path)
    assert [reading.conversation.id if reading.conversation else None for reading in readings] == [None, "a", "b"]


@pytest.mark.parametrize("data", [b"", b"plain\n", b'{"a": 1}\n', b'[{"type": "message"}]'])
def test_nonsense_is_refused_with_its_place(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match=r"x\.jsonl: not a Codex rollout"):
        read(path)


def test_detection() -> None:
    assert isinstance(codex, Format)

    def judge(*records: Any, path: str = "a.jsonl") -> float:
        found = codex.detect(Sample(path, (path,), None, records))
        return found.score if found else 0.0

    bare = {"type": "message", "role": "user", "content": []}
    assert judge(META) == 0.95
    assert judge({"id": "x", "timestamp": "t", "instructions": None}, bare) == 0.8
    assert judge(bare, path="rollout-1.jsonl") == 0.6
    assert judge(bare) == 0.0
    assert judge({"type": "user", "uuid": "u", "sessionId": "s"}, None, {"type": ["x"], "payload": {}}) == 0.0
