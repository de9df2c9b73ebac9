"""Hugging Face messages: what arrives of data sets as they are, and what templates get."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import hf_messages
from mnemo_lab.formats.base import Sample, WriteOptions, Writer
from mnemo_lab.losses import loss
from tests.formats.exports import sample
from tests.formats.list_formats import again, codes, names, only, read_text, read_value, spiced, written
from tests.formats.test_portable_roundtrip import thorough

WEATHER = {
    "id": "w1",
    "source": "made",
    "messages": [
        {"role": "system", "content": "你是气象助手。"},
        {"role": "user", "content": [{"type": "image", "path": "cloud.png"}, {"type": "text", "text": "看看"}]},
        {
            "role": "assistant",
            "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {"城": "杭州"}}}],
        },
        {"role": "tool", "name": "f", "content": "小雨"},
        {"role": "assistant", "content": "<think>\n先想\n</think>\n\n带伞。"},
    ],
    "tools": [{"type": "function", "function": {"name": "f"}}],
}


def test_a_record_is_read_with_made_ids_and_thoughts_apart() -> None:
    conversation, losses = only(read_value(hf_messages, WEATHER))
    assert conversation == Conversation(
        (
            Message("user", "看看", attachments=(Attachment("image", reference="cloud.png"),)),
            Message("assistant", MISSING, tool_calls=(ToolCall("call_1", "f", '{"城":"杭州"}'),)),
            Message("tool", "小雨", name="f", tool_call_id="call_1"),
            Message("assistant", "带伞。", extensions={"reasoning": [{"text": "先想"}]}),
        ),
        id="w1",
        system_prompt="你是气象助手。",
        extensions={"hf-messages": {"source": "made", "tools": WEATHER["tools"]}},
    )
    assert losses == (loss("tool_id_made", name="f", id="call_1"),)
    assert again(hf_messages, conversation) == conversation


def test_what_templates_take_is_written() -> None:
    data = json.loads(written(hf_messages, only(read_value(hf_messages, WEATHER))[0]).data)
    assert [m["role"] for m in data["messages"]] == ["system", "user", "assistant", "tool", "assistant"]
    assert data["messages"][1]["content"] == [{"type": "image", "path": "cloud.png"}, {"type": "text", "text": "看看"}]
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": {"城": "杭州"}}}
    assert data["messages"][2] == {"role": "assistant", "tool_calls": [call]}
    assert data["messages"][3] == {"role": "tool", "content": "小雨", "name": "f", "tool_call_id": "call_1"}
    assert data["messages"][4] == {"role": "assistant", "reasoning_content": "先想", "content": "带伞。"}
    assert (data["id"], data["source"], data["tools"]) == ("w1", "made", WEATHER["tools"])


def test_the_shared_sample() -> None:
    text = sample("hf_messages.jsonl").read_bytes()
    conversation, losses = only(read_text(hf_messages, text, "a.jsonl"))
    assert conversation.system_prompt == "你是一名简洁的气象助手。回答不超过两句。"
    assert [m.role for m in conversation.messages] == ["user", "assistant", "tool", "assistant"]
    assert conversation.messages[1].tool_calls == (ToolCall("call_1", "get_weather", '{"city":"杭州"}'),)
    assert names(losses) == ["tool_id_made"]
    assert again(hf_messages, conversation) == conversation


@pytest.mark.parametrize(
    "text",
    [
        '[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]',
        '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n',
        '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}',
        '[[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]]',
        '{\n"conversations": [{"role":"human","content":"a"},{"role":"gpt","content":"b"}]\n}',
    ],
)
def test_layouts(text: str) -> None:
    conversation, _ = only(read_text(hf_messages, text))
    assert [(m.role, m.text) for m in conversation.messages] == [("user", "a"), ("assistant", "b")]


def test_a_broken_line_costs_only_itself() -> None:
    good = '{"messages":[{"role":"user","content":"%s"}]}'
    text = "\n".join(
        [good % "a", '{"messages":[{"role":', '{"messages": 5}', '{"messages":["x",{"role":"user"}]}', "7"]
    )
    readings = read_text(hf_messages, text, "a.jsonl")
    assert [r.conversation and [m.text for m in r.conversation.messages] for r in readings] == [
        ["a"],
        None,
        None,
        [""],
        None,
    ]
    assert codes(readings[3].losses) == [("unreadable_record", None, "/messages/0")]
    assert readings[1].place.endswith("a.jsonl:2")
    assert "no list of messages" in readings[2].losses[0].sentence()


@pytest.mark.parametrize("text", ["", "hello", "<html>", '{"a": 1}', '"x"', "\x00\x01"])
def test_another_kind_of_file_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_text(hf_messages, text)


def test_null_missing_and_empty_stay_apart_and_nan_becomes_null() -> None:
    raw = '[{"role":"user","content":null},{"role":"user"},{"role":"user","content":""},{"role":"user","content":NaN}]'
    conversation, losses = only(read_text(hf_messages, raw))
    assert [m.content for m in conversation.messages] == [None, MISSING, "", None]
    assert codes(losses) == [("value_nulled", None, "/3/content")]
    assert again(hf_messages, conversation) == conversation


def test_roles_and_arguments_that_are_not_as_they_should_be() -> None:
    call = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"city":'}}]
    raw = [
        {"role": "developer", "content": "D"},
        {"role": "critic", "content": "x", "id": "m1"},
        {"role": "assistant", "content": "", "tool_calls": [*call, {"odd": 1}]},
    ]
    conversation, losses = only(read_value(hf_messages, raw))
    assert conversation.system_prompt == "D"
    assert conversation.messages[0].extensions == {"hf-messages": {"role": "critic"}}
    assert conversation.messages[1].tool_calls == (ToolCall("c", "f", '{"city":'),)
    assert conversation.messages[1].extensions == {"hf-messages": {"unread_calls": [{"odd": 1}]}}
    assert codes(losses) == [
        ("role_mapped", None, None),
        ("role_guessed", "m1", "/messages/1"),
        ("bad_arguments", None, "/messages/2/tool_calls/0"),
        ("unknown_block", None, "/messages/2/tool_calls/1"),
    ]
    back = json.loads(written(hf_messages, conversation).data)["messages"][2]["tool_calls"]
    assert [item.get("function", item) for item in back] == [{"name": "f", "arguments": '{"city":'}, {"odd": 1}]


@pytest.mark.parametrize("arguments", ['{"a":1,"a":2}', '{"a":NaN}', '{"a":1e999}', "[1]", '{"a":"\\ud83d"}', "{"])
def test_arguments_that_would_change_as_an_object_stay_text(arguments: str) -> None:
    message = Message("assistant", "", id="m", tool_calls=(ToolCall("c", "f", arguments),))
    result = written(hf_messages, Conversation((message,)))
    assert json.loads(result.data)["messages"][0]["tool_calls"][0]["function"]["arguments"] == arguments
    assert ("bad_arguments", "m", "/messages/0") in codes(result.losses)


def test_pictures_in_all_their_forms() -> None:
    parts: list[Any] = [
        {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}},
        {"type": "image_url", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "image", "base64": "iVBORw0KGgo="},
        {"type": "image"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,NOT_BASE64!"}},
        {"type": "text", "text": "图"},
    ]
    raw = {"messages": [{"role": "user", "content": parts, "id": "u"}], "images": ["next.png"]}
    conversation, losses = only(read_value(hf_messages, raw))
    assert conversation.messages[0].attachments == (
        Attachment("image", reference="https://example.org/x.png"),
        Attachment("image", "image/png", data="iVBORw0KGgo="),
        Attachment("image", data="iVBORw0KGgo="),
        Attachment("image", reference="next.png"),
    )
    assert codes(losses) == [("image_dropped", "u", "/messages/0/content/4")]
    assert conversation.messages[0].extensions == {"hf-messages": {"blocks": [parts[4]]}}


def test_losses_follow_the_matrix() -> None:
    audio = Attachment("file", "audio/wav", data="aGk=")
    picture = Attachment("image", "image/png", data="aGk=")
    thought = [{"text": "t", "signature": "s", "provider": "anthropic"}]
    messages = (
        Message("user", "a", "m1", "2026-03-01T12:00:00Z", "Ann", attachments=(picture, audio)),
        Message("assistant", "b", "m2", tool_calls=(ToolCall("c", "f"),), extensions={"reasoning": thought}),
        Message("tool", "r", "m3", None, "f", tool_call_id="c", attachments=(picture,), extensions={"is_error": True}),
        Message("assistant", "", "m4", extensions={"refusal": "no", "citations": [1, 2], "hidden": True, "x": 1}),
    )
    result = written(hf_messages, Conversation(messages, extensions={"chatgpt": {"a": 1}}))
    assert [(item.code, item.message_id) for item in result.losses] == [
        ("message_id_dropped", None),
        ("timestamp_dropped", None),
        ("name_dropped", "m1"),
        ("audio_dropped", "m1"),
        ("signature_dropped", "m2"),
        ("tool_error_flag_dropped", "m3"),
        ("image_dropped", "m3"),
        ("citation_dropped", "m4"),
        ("field_dropped", None),
        ("field_dropped", None),
        ("refusal_as_text", None),
        ("field_dropped", None),
    ]
    fields = [dict(item.values)["field"] for item in result.losses if item.code == "field_dropped"]
    assert fields == ["hidden", "extensions.x", "extensions.chatgpt"]
    assert [m.get("content") for m in json.loads(result.data)["messages"]][-1] == "no"


def test_branches_are_taken_by_their_active_path() -> None:
    messages = (
        Message("user", "a", "1"),
        Message("assistant", "b", "2", parent_id="1"),
        Message("user", "c", "3", parent_id="1"),
    )
    result = written(hf_messages, Conversation(messages, extensions={"active_leaf": "2"}))
    assert [m["content"] for m in json.loads(result.data)["messages"]] == ["a", "b"]
    assert "branch_dropped" in names(result.losses)


def test_definitions_of_tools_come_along_from_sharegpt() -> None:
    given_ = Conversation(
        (Message("user", "a"),), extensions={"sharegpt": {"tools": [{"name": "f", "parameters": {}}]}}
    )
    result = written(hf_messages, given_)
    assert json.loads(result.data)["tools"] == [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    assert result.losses == ()


@thorough
@given(spiced())
def test_any_conversation_is_written_and_stays_as_it_is_read(conversation: Conversation) -> None:
    data = written(hf_messages, conversation).data
    assert data.count(b"\n") == 1
    first = only(read_text(hf_messages, data, "a.jsonl"))[0]
    assert again(hf_messages, first) == first


def test_several_conversations_are_lines() -> None:
    data = hf_messages.write([Conversation((Message("user", "a"),)), Conversation(())], WriteOptions()).data
    readings = read_text(hf_messages, data, "a.jsonl")
    assert [r.conversation and len(r.conversation.messages) for r in readings] == [1, 0]
    assert codes(readings[1].losses) == [("empty_conversation", None, "/messages")]
    assert isinstance(hf_messages, Writer)


def test_detection() -> None:
    def score(value: Any) -> float | None:
        found = hf_messages.detect(Sample("a.jsonl", ("a.jsonl",), None, (value,)))
        return found.score if found else None

    assert score(WEATHER) == 0.9
    assert score({"messages": [{"role": "user", "content": "a"}]}) == 0.45
    assert score({"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}) == 0.2
    assert score({"conversations": [{"from": "human", "value": "a"}]}) is None
    assert score(None) is None
