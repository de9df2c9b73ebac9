"""LangChain messages, against LangChain's own classes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from langchain_core.load import dumps
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)

from mnemo_lab.conversation import MISSING, Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import langchain
from mnemo_lab.formats.base import Sample, WriteOptions, Writer
from mnemo_lab.losses import loss
from tests.formats.exports import sample
from tests.formats.list_formats import again, codes, names, only, read_text, read_value, spiced, written
from tests.formats.test_portable_roundtrip import thorough

CALL = {"name": "f", "args": {"城": "杭州"}, "id": "c1"}
MESSAGES: list[BaseMessage] = [
    SystemMessage("你是气象助手。"),
    HumanMessage("看看", id="h1", name="Lin"),
    AIMessage("查询中", id="r1", tool_calls=[CALL], response_metadata={"model_name": "gpt-4o"}),
    ToolMessage("小雨", tool_call_id="c1", name="f", status="error", artifact={"k": 1}),
    AIMessage("带伞。"),
]
READ = Conversation(
    (
        Message("user", "看看", "h1", name="Lin"),
        Message(
            "assistant",
            "查询中",
            "r1",
            tool_calls=(ToolCall("c1", "f", '{"城":"杭州"}'),),
            extensions={"langchain": {"response_metadata": {"model_name": "gpt-4o"}}},
        ),
        Message(
            "tool",
            "小雨",
            name="f",
            tool_call_id="c1",
            extensions={"is_error": True, "langchain": {"artifact": {"k": 1}}},
        ),
        Message("assistant", "带伞。"),
    ),
    model="gpt-4o",
    system_prompt="你是气象助手。",
)


def test_both_forms_of_saving_are_read_alike() -> None:
    for text in (json.dumps(messages_to_dict(MESSAGES)), dumps(MESSAGES)):
        assert only(read_text(langchain, text)) == (READ, ())


@pytest.mark.parametrize(
    "wrap",
    [
        lambda found: {"messages": found},
        lambda found: [found],
        lambda found: {"values": {"messages": found}},
        lambda found: {"lc": 1, "type": "constructor", "id": ["x", "ChatPromptValue"], "kwargs": {"messages": found}},
    ],
)
def test_states_and_lists_of_lists(wrap: Any) -> None:
    assert only(read_value(langchain, wrap(messages_to_dict(MESSAGES))))[0] == READ
    flat = [message.model_dump() for message in MESSAGES]
    assert only(read_value(langchain, wrap(flat)))[0] == READ


def test_langchain_reads_what_is_written() -> None:
    result = written(langchain, READ)
    found = messages_from_dict(json.loads(result.data))
    assert [type(item) for item in found] == [type(item) for item in MESSAGES]
    assert [item.text for item in found] == [item.text for item in MESSAGES]
    tool, calling = found[3], found[2]
    assert isinstance(tool, ToolMessage) and isinstance(calling, AIMessage)
    assert (tool.status, tool.artifact, tool.tool_call_id) == ("error", {"k": 1}, "c1")
    assert calling.tool_calls == [CALL | {"type": "tool_call"}]
    assert calling.response_metadata == {"model_name": "gpt-4o"}
    assert result.losses == ()
    assert again(langchain, READ) == READ


def test_the_shared_sample() -> None:
    conversation, losses = only(read_text(langchain, sample("langchain_messages.json").read_bytes()))
    assert conversation.system_prompt == "你是一名简洁的气象助手。回答不超过两句。"
    picture = conversation.messages[0].attachments[0]
    assert (picture.kind, picture.media_type, conversation.messages[0].id) == ("image", "image/png", "h1")
    assert conversation.messages[1].tool_calls == (ToolCall("call_a1", "get_weather", '{"city":"杭州"}'),)
    invalid = {"langchain": {"invalid": True, "error": "截断的 JSON"}}
    assert conversation.messages[3].tool_calls == (ToolCall("bad1", "get_weather", '{"city":', invalid),)
    assert losses == (
        loss("duplicate_record"),
        loss("bad_arguments", pointer="/4", name="get_weather"),
    )
    assert again(langchain, conversation) == conversation
    last = messages_from_dict(json.loads(written(langchain, conversation).data))[4]
    assert isinstance(last, AIMessage)
    assert [(c["id"], c["args"], c["error"]) for c in last.invalid_tool_calls] == [("bad1", '{"city":', "截断的 JSON")]


def test_calls_that_stand_in_four_places_are_read_once() -> None:
    data = {
        "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}],
        "tool_calls": [{"id": "c1", "name": "f", "args": {"a": 1}}, {"id": None, "name": "g", "args": {}}],
        "additional_kwargs": {
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
                {"id": "c3", "type": "function", "function": {"name": "h", "arguments": "{"}},
            ],
            "function_call": {"name": "g", "arguments": "{}"},
            "seed": 7,
        },
    }
    conversation, losses = only(read_value(langchain, [{"type": "ai", "data": data}]))
    (message,) = conversation.messages
    assert message.tool_calls == (
        ToolCall("c1", "f", '{"a":1}'),
        ToolCall("call_1", "g", "{}"),
        ToolCall("c3", "h", "{"),
    )
    assert message.extensions == {"langchain": {"additional_kwargs": {"seed": 7}}}
    assert codes(losses) == [
        ("duplicate_record", None, None),
        ("tool_id_made", None, None),
        ("bad_arguments", None, "/0"),
    ]


def test_chunks_of_one_stream_are_one_message() -> None:
    chunks = [
        AIMessageChunk(content="云图", id="r1"),
        AIMessageChunk(
            content="显示", id="r1", tool_call_chunks=[{"name": "f", "args": '{"a"', "id": "c", "index": 0}]
        ),
        AIMessageChunk(content="", id="r1", tool_call_chunks=[{"name": None, "args": ":1}", "id": None, "index": 0}]),
        AIMessageChunk(content="other", id="r2"),
    ]
    conversation, losses = only(read_value(langchain, messages_to_dict(chunks)))
    assert [m.text for m in conversation.messages] == ["云图显示", "other"]
    assert conversation.messages[0].tool_calls == (ToolCall("c", "f", '{"a":1}'),)
    assert ("roles_merged", "r1", None) in codes(losses)
    assert "bad_arguments" not in names(losses)


def test_other_types_of_messages() -> None:
    messages: list[BaseMessage] = [
        HumanMessage("q"),
        AIMessage("", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}}),
        FunctionMessage(name="f", content="r"),
        ChatMessage(role="critic", content="x"),
        RemoveMessage(id="gone"),
    ]
    conversation, losses = only(read_value(langchain, messages_to_dict(messages)))
    assert [(m.role, m.tool_call_id) for m in conversation.messages] == [
        ("user", None),
        ("assistant", None),
        ("tool", "call_1"),
        ("user", None),
    ]
    assert conversation.messages[3].extensions == {"langchain": {"type": "chat", "role": "critic"}}
    assert conversation.extensions == {"langchain": {"removed": ["gone"]}}
    assert names(losses) == ["role_guessed", "role_mapped", "tool_id_made", "unknown_record"]
    back = messages_from_dict(json.loads(written(langchain, conversation).data))
    assert isinstance(back[3], ChatMessage) and back[3].role == "critic"


def test_blocks_of_every_provider() -> None:
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "先想", "signature": "sig"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "s"}], "encrypted_content": "enc"},
        {"type": "reasoning", "reasoning": "r"},
        "a",
        {"type": "text", "text": "b", "annotations": [{"type": "citation", "url": "https://x.org"}]},
        {"type": "refusal", "refusal": "no"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        {"type": "image", "url": "https://x.org/i.png"},
        {"type": "audio", "source_type": "base64", "mime_type": "audio/wav", "data": "aGk="},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}},
        {"type": "image_url", "image_url": "data:image/png;base64,NOT!"},
        {"type": "computer_screen"},
    ]
    conversation, losses = only(read_value(langchain, [{"type": "ai", "data": {"content": blocks, "id": "m"}}]))
    (message,) = conversation.messages
    assert message.text == "ab"
    assert message.extensions == {
        "reasoning": [
            {"text": "先想", "signature": "sig", "provider": "anthropic"},
            {"text": "s", "signature": "enc", "provider": "openai"},
            {"text": "r"},
        ],
        "citations": [{"type": "citation", "url": "https://x.org"}],
        "refusal": "no",
        "langchain": {"blocks": blocks[-2:]},
    }
    assert message.attachments == (
        Attachment("image", "image/png", data="aGk="),
        Attachment("image", reference="https://x.org/i.png"),
        Attachment("file", "audio/wav", data="aGk="),
        Attachment("file", "application/pdf", data="aGk=", name="a.pdf"),
    )
    assert codes(losses) == [("image_dropped", "m", "/0/data/content/10"), ("unknown_block", "m", "/0/data/content/11")]
    assert again(langchain, conversation) == conversation


def test_losses_of_writing() -> None:
    calls = (ToolCall("x", "f", "{"), ToolCall("y", "g"))
    messages = (
        Message("user", None, "m1", "2026-03-01T12:00:00Z", attachments=(Attachment("image"),)),
        Message("assistant", MISSING, "m2", tool_calls=calls, extensions={"hidden": True, "chatgpt": 1}),
    )
    losses = written(langchain, Conversation(messages, "c", "T", "m", "s", "short")).losses
    assert [(item.code, item.message_id) for item in losses] == [
        ("timestamp_dropped", None),
        ("image_dropped", "m1"),
        ("content_filled", None),
        ("field_dropped", None),
        ("field_dropped", None),
        ("content_filled", None),
        ("bad_arguments", "m2"),
        ("parts_reordered", None),
        ("field_dropped", None),
        ("field_dropped", None),
        ("field_dropped", None),
        ("field_dropped", None),
    ]
    fields = [dict(item.values)["field"] for item in losses if item.code == "field_dropped"]
    assert fields == ["hidden", "extensions.chatgpt", "id", "title", "summary", "model"]


def test_one_file_holds_one_conversation() -> None:
    with pytest.raises(InvalidInput, match="one conversation, not 2; write each to a file of its own"):
        langchain.write([READ, READ], WriteOptions())
    assert isinstance(langchain, Writer)


@thorough
@given(spiced())
def test_langchain_accepts_any_conversation_and_it_stays_as_it_is_read(conversation: Conversation) -> None:
    data = written(langchain, conversation).data
    assert len(messages_from_dict(json.loads(data))) == len(json.loads(data))
    first = only(read_text(langchain, data))[0]
    assert again(langchain, first) == first


def test_nothing_is_instantiated_and_nonsense_is_refused() -> None:
    evil = {"lc": 1, "type": "constructor", "id": ["subprocess", "Popen"], "kwargs": {"content": "rm", "command": "x"}}
    conversation, losses = only(read_value(langchain, [evil, *messages_to_dict(MESSAGES)]))
    assert conversation.messages[0].text == "rm"
    assert codes(losses) == [("role_guessed", None, "/0")]
    for text in ("", "x", '{"a":1}'):
        with pytest.raises(InvalidInput):
            read_text(langchain, text)
    broken = read_value(langchain, [[{"type": "human", "data": {"content": "a"}}], [5], {"x": 1}])
    assert [r.conversation is None for r in broken] == [False, True, True]


def test_detection() -> None:
    def score(value: Any) -> float | None:
        found = langchain.detect(Sample("a.json", ("a.json",), value))
        return found.score if found else None

    assert score(messages_to_dict(MESSAGES)) == 0.95
    assert score(json.loads(dumps(MESSAGES))) == 0.95
    assert score([message.model_dump() for message in MESSAGES[1:]]) == 0.7
    assert score([{"role": "user", "content": "a"}]) is None
    assert score([{"type": "message", "payload": {}}]) is None
    assert score({"messages": [{"type": "human", "data": {"content": "a"}}]}) == 0.95
    assert score(None) is None
