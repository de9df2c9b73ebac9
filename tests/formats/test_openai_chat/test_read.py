"""Chat Completions, read: the samples, layouts, what is kept, and the breakages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.conversation import MISSING, Attachment, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import openai_chat
from mnemo_lab.formats.base import Format, Reading, Writer
from tests.formats.test_openai_chat.common import (
    FINAL,
    PDF,
    PIXEL,
    SYSTEM,
    WEATHER,
    body,
    codes,
    read_back,
    read_value,
    readings,
    sample_path,
    tree_of,
    written,
)


def test_module_has_the_shape_of_a_format_and_a_writer() -> None:
    assert isinstance(openai_chat, Format)
    assert isinstance(openai_chat, Writer)
    assert (openai_chat.name, openai_chat.suffix, openai_chat.several) == ("openai-chat", ".json", True)


def test_sample_is_read_in_full() -> None:
    [reading] = readings(openai_chat, sample_path("openai_chat.json"))
    assert [(loss.code, loss.pointer) for loss in reading.losses] == [("role_mapped", "/messages/0/role")]
    found = reading.conversation
    assert found is not None
    assert (found.model, found.system_prompt) == ("gpt-5-mini", SYSTEM)
    assert [message.role for message in found.messages] == "user assistant tool tool assistant user assistant".split()
    look, calls, first, second, answer, sound, no = found.messages
    assert look.text == "看看这张云图，再查一下杭州今天的天气 🌦️"
    assert look.attachments == (
        Attachment("image", "image/png", data=PIXEL, extensions={"openai-chat": {"detail": "low"}}),
    )
    assert calls.content is None
    assert [(call.id, call.name, call.arguments) for call in calls.tool_calls] == [
        ("call_a1", "get_weather", '{"city":"杭州"}'),
        ("call_a2", "get_weather", '{"city":"宁波"}'),
    ]
    assert (first.tool_call_id, first.name, first.text) == ("call_a1", "get_weather", WEATHER)
    assert (second.tool_call_id, second.text) == ("call_a2", '{"city":"宁波","temp_c":20}')
    assert answer.text == FINAL
    assert (sound.name, sound.content) == ("lin", "")
    assert sound.attachments == (
        Attachment("file", "audio/wav", data="UklGRiQAAABXQVZF"),
        Attachment("file", "application/pdf", data=PDF, name="说明.pdf"),
    )
    assert (no.content, no.extensions) == (None, {"refusal": "抱歉，我无法处理这段录音。"})


def test_sample_with_older_functions() -> None:
    [reading] = readings(openai_chat, sample_path("openai_chat_legacy_function.json"))
    assert [(loss.code, loss.pointer) for loss in reading.losses] == [
        ("tool_id_made", "/messages/2/function_call"),
        ("role_mapped", "/messages/3/role"),
    ]
    assert reading.conversation is not None
    _, call, result, _ = reading.conversation.messages
    assert call.tool_calls == (ToolCall("call_1", "get_weather", '{"city":"杭州"}'),)
    assert (result.role, result.tool_call_id, result.name) == ("tool", "call_1", "get_weather")


def test_samples_come_back_as_they_were(tmp_path: Path) -> None:
    path = sample_path("openai_chat.json")
    [reading] = readings(openai_chat, path)
    assert reading.conversation is not None
    result = written(openai_chat, reading.conversation)
    assert result.losses == ()
    original = json.loads(path.read_text("utf-8"))
    original["messages"][4]["content"] = original["messages"][4]["content"][0]["text"]
    original["messages"][7] = {"role": "assistant", "content": None, "refusal": "抱歉，我无法处理这段录音。"}
    assert tree_of(result) == original
    assert read_back(openai_chat, tmp_path, result.data) == reading.conversation


def test_null_missing_empty_and_no_parts_stay_apart(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    value = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": ""},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "user", "content": []},
    ]
    found = read_back(openai_chat, tmp_path, value)
    assert [message.content for message in found.messages] == ["a", None, "", MISSING, "", ""]
    assert body(openai_chat, found)["messages"] == [
        value[0],
        value[1],
        value[2],
        {"role": "assistant", "tool_calls": [{**call, "id": "c_2"}]},
        {"role": "assistant", "content": "", "tool_calls": [{**call, "id": "c_3"}]},
        value[5],
    ]
    empty = body(openai_chat, found, empty_content="empty")["messages"]
    assert [message.get("content", "-") for message in empty] == ["a", "", "", "", "", []]
    omitted = body(openai_chat, found, empty_content="omit")["messages"]
    assert [message.get("content", "-") for message in omitted] == ["a", "-", "", "-", "-", []]


def test_layouts_body_list_array_and_lines(tmp_path: Path) -> None:
    one = [{"role": "user", "content": "一"}, {"role": "assistant", "content": "二"}]
    two = [{"role": "user", "content": "三"}]

    def texts(value: Any, name: str = "a.json") -> list[list[str]]:
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), "utf-8")
        found = [reading.conversation for reading in readings(openai_chat, path)]
        return [[message.text for message in item.messages] for item in found if item]

    both = [["一", "二"], ["三"]]
    lines = "\n".join(json.dumps({"messages": item}) for item in (one, two))
    assert texts(one) == texts({"messages": one}) == both[:1]
    assert texts([{"messages": one}, {"messages": two}]) == both
    assert texts(lines, "train.jsonl") == both
    assert texts(lines + '\n{"messages": [', "cut.jsonl") == both
    assert texts("\n".join(map(json.dumps, one)), "log.jsonl") == both[:1]


def test_unknown_parts_and_fields_are_kept_and_put_back(tmp_path: Path) -> None:
    video = {"type": "video_url", "video_url": {"url": "https://example.org/v.mp4"}}
    value = {
        "model": "m",
        "temperature": 0.2,
        "messages": [
            {"role": "user", "content": [video, {"type": "text", "text": "看"}]},
            {"role": "assistant", "content": "好", "weight": 0},
        ],
    }
    reading = read_value(openai_chat, tmp_path, value)
    assert [(loss.code, loss.pointer, loss.values) for loss in reading.losses] == [
        ("unknown_block", "/messages/0/content/0", (("type", "video_url"),))
    ]
    assert reading.conversation is not None
    assert reading.conversation.messages[0].extensions == {"openai-chat": {"parts": [{"at": 0, "part": video}]}}
    result = written(openai_chat, reading.conversation)
    assert tree_of(result) == value
    assert result.losses == ()


def test_custom_calls_audio_answers_reasoning_and_annotations(tmp_path: Path) -> None:
    value = [
        {"role": "user", "content": "a"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "run", "input": "ls -l"}}],
            "reasoning_content": "先看文件",
        },
        {"role": "tool", "tool_call_id": "c", "content": "x"},
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
        {
            "role": "assistant",
            "content": "见此",
            "annotations": [{"type": "url_citation", "url_citation": {"url": "https://example.org", "start_index": 0}}],
        },
    ]
    reading = read_value(openai_chat, tmp_path, value)
    found = reading.conversation
    assert found is not None
    assert reading.losses == ()
    assert found.messages[1].tool_calls == (ToolCall("c", "run", "ls -l", {"openai-chat": {"type": "custom"}}),)
    assert found.messages[1].extensions == {"reasoning": [{"text": "先看文件"}]}
    assert found.messages[4].extensions["citations"] == [
        {"type": "url_citation", "url": "https://example.org", "start_index": 0}
    ]
    result = written(openai_chat, found)
    assert codes(result.losses) == ["citation_dropped", "content_filled", "reasoning_dropped"]
    again = tree_of(result)["messages"]
    assert again[1] == {key: value[1][key] for key in ("role", "content", "tool_calls")}
    assert again[3] == {"role": "assistant", "content": "", "audio": {"id": "audio_1"}}
    assert body(openai_chat, found, reasoning=True)["messages"][1]["reasoning_content"] == "先看文件"


def test_odd_arguments_are_kept_and_listed(tmp_path: Path) -> None:
    def call(arguments: Any) -> dict[str, Any]:
        return {"type": "function", "function": {"name": "f", "arguments": arguments}}

    odd = ['{"k":', "[1]", "", {"k": "值"}, None]
    reading = read_value(openai_chat, tmp_path, [{"role": "assistant", "tool_calls": [call(item) for item in odd]}])
    assert reading.conversation is not None
    calls = reading.conversation.messages[0].tool_calls
    assert [item.arguments for item in calls] == ['{"k":', "[1]", "", '{"k":"值"}', "{}"]
    assert [item.id for item in calls] == [f"call_{number}" for number in range(1, 6)]
    assert [loss.pointer for loss in reading.losses if loss.code == "bad_arguments"] == [
        "/0/tool_calls/0",
        "/0/tool_calls/1",
    ]


def test_made_ids_keep_clear_of_those_that_are_there(tmp_path: Path) -> None:
    function = {"name": "f", "arguments": "{}"}
    value = [{"role": "assistant", "tool_calls": [{"function": function}, {"id": "call_1", "function": function}]}]
    found = read_back(openai_chat, tmp_path, value)
    assert [call.id for call in found.messages[0].tool_calls] == ["call_2", "call_1"]


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"a": 1}', "[1, 2]", '{"messages": 3}', "null"])
def test_a_file_without_messages_is_refused_with_a_next_step(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    try:
        found = readings(openai_chat, path)
    except InvalidInput as error:
        assert str(path) in str(error)
    else:
        assert all(reading.conversation is None for reading in found)


# -------------------------------------------------------------------------------------------------- breakages


def broken(name: str) -> Reading:
    [reading] = readings(openai_chat, sample_path(f"breakages/{name}"))
    return reading


@pytest.mark.parametrize(
    ("name", "code", "pointer"),
    [
        ("01_orphan_tool_result_after_trim.json", "orphan_tool_result", "/messages/0"),
        ("02_call_without_all_results.json", "unanswered_tool_call", "/messages/1"),
        ("03_tool_result_not_adjacent.json", "late_tool_result", "/messages/3"),
    ],
)
def test_calls_and_results_that_do_not_meet(name: str, code: str, pointer: str) -> None:
    reading = broken(name)
    assert reading.losses == ()
    assert reading.conversation is not None
    result = written(openai_chat, reading.conversation)
    assert (code, pointer) in [(loss.code, loss.pointer) for loss in result.losses]


def test_duplicate_ids_are_renamed_with_their_results() -> None:
    conversation = broken("05_duplicate_tool_ids.json").conversation
    assert conversation is not None
    result = written(openai_chat, conversation)
    found = tree_of(result)["messages"]
    assert [call["id"] for message in found for call in message.get("tool_calls", [])] == ["dup", "dup_2", "dup_3"]
    assert [(m["tool_call_id"], m["content"]) for m in found if m["role"] == "tool"] == [
        ("dup", "1"),
        ("dup_2", "2"),
        ("dup_3", "3"),
    ]
    renamed = [dict(loss.values) for loss in result.losses if loss.code == "id_renamed"]
    assert [(item["id"], item["new"]) for item in renamed] == [("dup", "dup_2"), ("dup", "dup_3")]


def test_half_characters_are_replaced_and_whole_ones_joined() -> None:
    reading = broken("06_lone_surrogate.json")
    assert [(loss.code, loss.pointer) for loss in reading.losses] == [("unicode_replaced", "/messages/0/content")]
    assert reading.conversation is not None
    assert [message.text for message in reading.conversation.messages] == ["cut here \ufffd…", "ok 😀"]


def test_not_a_number_becomes_null() -> None:
    reading = broken("18b_nan.json")
    assert codes(reading.losses) == ["value_nulled", "value_nulled"]
    assert reading.conversation is not None
    assert reading.conversation.messages[0].text == "a"


def test_developer_and_late_system() -> None:
    reading = broken("13_developer_and_late_system.json")
    found = reading.conversation
    assert found is not None
    assert found.system_prompt == "S1"
    assert [(m.role, m.text) for m in found.messages] == [
        ("system", "D1"),
        ("user", "a"),
        ("assistant", "b"),
        ("system", "S2 在中间"),
        ("user", "c"),
    ]
    roles = [message["role"] for message in body(openai_chat, found)["messages"]]
    assert roles == ["system", "developer", "user", "assistant", "system", "user"]


def test_image_variants() -> None:
    reading = broken("30_image_variants.json")
    assert [(loss.code, loss.pointer) for loss in reading.losses] == [
        ("image_dropped", "/messages/0/content/1"),
        ("parts_reordered", "/messages/0/content/3"),
    ]
    found = reading.conversation
    assert found is not None
    assert found.messages[0].attachments == (
        Attachment("image", reference="https://example.org/x.png"),
        Attachment("image", "image/png", data="iVBORw0KGgo="),
    )
    assert found.messages[0].extensions["openai-chat"]["broken"][0]["image_url"]["url"].endswith("NOT_BASE64!")
    result = written(openai_chat, found)
    assert [(loss.code, loss.pointer) for loss in result.losses if loss.severity == "error"] == [
        ("orphan_tool_result", "/messages/1"),
        ("image_dropped", "/messages/1"),
    ]
    assert tree_of(result)["messages"][1] == {"role": "tool", "tool_call_id": "x", "content": ""}
