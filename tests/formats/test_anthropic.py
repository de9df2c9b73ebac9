"""Anthropic Messages: blocks to messages and back."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import anthropic as form
from mnemo_lab.formats import openai_chat
from mnemo_lab.formats.base import Format, Writer
from tests.formats.test_openai_chat import common
from tests.formats.test_openai_chat.common import (
    FEW,
    FINAL,
    PDF,
    PIXEL,
    SYSTEM,
    WEATHER,
    body,
    codes,
    talk,
    tree_of,
    written,
)

OWN = {"provider": "anthropic", "model": "claude-sonnet-4-5"}


def test_module_has_the_shape_of_a_format_and_does_not_shadow_the_sdk() -> None:
    import anthropic

    assert isinstance(form, Format)
    assert isinstance(form, Writer)
    assert form.name == "anthropic"
    assert hasattr(anthropic, "Anthropic")


def test_sample_is_read_in_full() -> None:
    [reading] = common.readings(form, common.sample_path("anthropic_messages.json"))
    assert reading.losses == ()
    found = reading.conversation
    assert found is not None
    assert (found.model, found.system_prompt) == ("claude-sonnet-4-5", SYSTEM)
    assert [message.role for message in found.messages] == "user assistant tool user assistant user".split()
    look, call, result, please, answer, document = found.messages
    assert look.attachments == (Attachment("image", "image/png", data=PIXEL),)
    assert call.text == "我来查一下。"
    assert call.tool_calls == (ToolCall("toolu_01", "get_weather", '{"city":"杭州"}'),)
    assert call.extensions["reasoning"] == [
        {"text": "需要调用天气工具。", "signature": "c3ludGhldGljLXNpZw==", **OWN},
        {"text": "", "data": "b3BhcXVl", **OWN},
    ]
    assert (result.tool_call_id, result.name, result.text) == ("toolu_01", "get_weather", WEATHER)
    assert result.attachments == (Attachment("image", "image/png", data=PIXEL),)
    assert "is_error" not in result.extensions
    assert (please.text, answer.text, document.text) == ("顺便总结成一句。", FINAL, "按文档补充。")
    assert document.attachments[0].name == "说明"
    assert document.attachments[0].media_type == "text/plain"


def test_sample_comes_back() -> None:
    path = common.sample_path("anthropic_messages.json")
    [reading] = common.readings(form, path)
    assert reading.conversation is not None
    result = written(form, reading.conversation)
    assert result.losses == ()
    original = json.loads(path.read_text("utf-8"))
    original["system"] = SYSTEM
    del original["messages"][2]["content"][0]["is_error"]
    original["messages"][3]["content"] = FINAL
    assert tree_of(result) == original


def test_results_stand_first_and_neighbours_are_merged() -> None:
    conversation = talk(
        Message("user", "一"),
        Message("user", "二"),
        Message("assistant", "三"),
        Message("assistant", None, tool_calls=(ToolCall("a", "f"), ToolCall("b", "f"))),
        Message("tool", "乙", tool_call_id="b"),
        Message("tool", "甲", tool_call_id="a"),
        Message("user", "五"),
        Message("user", "六"),
    )
    result = written(form, conversation)
    first, second, third = tree_of(result)["messages"]
    assert [block["text"] for block in first["content"]] == ["一", "二"]
    assert [block["type"] for block in second["content"]] == ["text", "tool_use", "tool_use"]
    assert [block.get("tool_use_id", block.get("text")) for block in third["content"]] == ["b", "a", "五", "六"]
    merged = [dict(loss.values) for loss in result.losses if loss.code == "roles_merged"]
    assert [(item["role"], item["count"]) for item in merged] == [("user", "2"), ("assistant", "2")]


def test_breakage_consecutive_roles() -> None:
    [reading] = common.readings(openai_chat, common.sample_path("breakages/12_consecutive_roles.json"))
    assert reading.conversation is not None
    result = written(form, reading.conversation)
    assert [message["role"] for message in tree_of(result)["messages"]] == ["user", "assistant", "user"]


def test_breakage_empty_blocks() -> None:
    [reading] = common.readings(form, common.sample_path("breakages/10_empty_text_blocks.json"))
    found = reading.conversation
    assert found is not None
    assert [(m.role, m.content) for m in found.messages] == [
        ("user", "a"),
        ("assistant", ""),
        ("user", "   "),
        ("assistant", None),
    ]
    result = written(form, found)
    assert tree_of(result)["messages"] == [{"role": "user", "content": "a"}]
    assert [(loss.code, loss.pointer) for loss in result.losses] == [
        ("empty_message", "/messages/1"),
        ("empty_message", "/messages/2"),
        ("empty_message", "/messages/3"),
    ]


def test_system_messages_are_moved_kept_or_put_back(tmp_path: Path) -> None:
    [reading] = common.readings(openai_chat, common.sample_path("breakages/13_developer_and_late_system.json"))
    assert reading.conversation is not None
    result = written(form, reading.conversation)
    assert tree_of(result)["system"] == "S1\n\nD1\n\nS2 在中间"
    assert [message["role"] for message in tree_of(result)["messages"]] == ["user", "assistant", "user"]
    assert codes(result.losses).count("system_moved") == 2
    kept = body(form, reading.conversation, mid_system=True)
    assert kept["system"] == "S1"
    assert [message["role"] for message in kept["messages"]] == ["system", "user", "assistant", "system", "user"]

    value = {
        "system": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "system", "content": "现在说中文"},
            {"role": "assistant", "content": "好"},
        ],
    }
    again = common.read_value(form, tmp_path, value)
    assert again.losses == ()
    assert again.conversation is not None
    assert again.conversation.system_prompt == "S"
    assert tree_of(written(form, again.conversation)) == value


def test_reasoning_is_kept_only_where_it_was_signed() -> None:
    def one(**entry: str) -> Message:
        return Message("assistant", "b", "m", extensions={"reasoning": [{"text": "想", **entry}]})

    def blocks(message: Message, model: str | None = None) -> tuple[list[str], list[str]]:
        result = written(form, talk(Message("user", "a"), message), model=model)
        content = tree_of(result)["messages"][1]["content"]
        kinds = ["text"] if isinstance(content, str) else [block["type"] for block in content]
        return kinds, [loss.code for loss in result.losses if loss.code != "message_id_dropped"]

    both = ["signature_dropped", "reasoning_dropped"]
    assert blocks(one(signature="s", **OWN)) == (["thinking", "text"], [])
    assert blocks(one(data="s", **OWN)) == (["redacted_thinking", "text"], [])
    assert blocks(one(signature="s", provider="anthropic")) == (["thinking", "text"], [])
    assert blocks(one(signature="s", **OWN), model="claude-opus-5") == (["text"], both)
    assert blocks(one(signature="s", provider="google")) == (["text"], both)
    assert blocks(one(signature="s")) == (["text"], both)
    assert blocks(one(provider="anthropic")) == (["text"], ["reasoning_dropped"])


def test_ids_arguments_errors_and_attachments(tmp_path: Path) -> None:
    conversation = talk(
        Message(
            "user",
            "看",
            "m1",
            name="林",
            attachments=(
                Attachment("image", "image/tiff", data=PIXEL),
                Attachment("image", reference="https://example.org/x.png"),
                Attachment("file", "application/pdf", data=PDF, name="说明"),
                Attachment("file", "text/csv", data=PDF),
                Attachment("file", "audio/wav", data=PDF),
            ),
        ),
        Message("assistant", "", "m2", tool_calls=(ToolCall("调用.1", "f", "[1]"), ToolCall("调用:1", "f", "{"))),
        Message("tool", "坏", "m3", tool_call_id="调用:1", extensions={"is_error": True}),
        Message("tool", "", "m4", tool_call_id="调用.1"),
    )
    result = written(form, conversation)
    user, calls, results = tree_of(result)["messages"]
    assert [block["type"] for block in user["content"]] == ["image", "document", "text"]
    ids = [block["id"] for block in calls["content"]]
    assert len(set(ids)) == 2
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", id_) for id_ in ids)
    assert [block["input"] for block in calls["content"]] == [{"raw_arguments": "[1]"}, {"raw_arguments": "{"}]
    assert results["content"] == [
        {"type": "tool_result", "tool_use_id": ids[1], "content": "坏", "is_error": True},
        {"type": "tool_result", "tool_use_id": ids[0], "content": ""},
    ]
    assert [(loss.code, loss.message_id) for loss in result.losses if loss.severity != "info"] == [
        ("name_dropped", "m1"),
        ("image_dropped", "m1"),
        ("file_dropped", "m1"),
        ("audio_dropped", "m1"),
        ("bad_arguments", "m2"),
    ]
    assert written(form, conversation) == result
    accepted(tree_of(result)["messages"])


def test_text_before_results_is_put_behind_them_and_listed(tmp_path: Path) -> None:
    value = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "先"}, {"type": "tool_result", "tool_use_id": "t", "content": "r"}],
        },
    ]
    reading = common.read_value(form, tmp_path, value)
    assert codes(reading.losses) == ["parts_reordered"]
    assert reading.conversation is not None
    assert [message.text for message in reading.conversation.messages] == ["a", "", "r", "先"]


def test_server_tools_are_kept_in_place(tmp_path: Path) -> None:
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "雨"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    value = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [use, found, {"type": "text", "text": "有雨"}]},
    ]
    reading = common.read_value(form, tmp_path, value)
    assert codes(reading.losses) == ["unknown_block", "unknown_block"]
    assert reading.conversation is not None
    again = tree_of(written(form, reading.conversation))["messages"]
    assert again == value
    accepted(again)


def test_citations_keep_their_place(tmp_path: Path) -> None:
    citation = {
        "type": "char_location",
        "cited_text": "雨量",
        "document_index": 0,
        "document_title": None,
        "start_char_index": 0,
        "end_char_index": 2,
    }
    content = [
        {"type": "text", "text": "文档说"},
        {"type": "text", "text": "要带伞", "citations": [citation]},
        {"type": "text", "text": "。"},
    ]
    value = [{"role": "user", "content": "a"}, {"role": "assistant", "content": content}]
    found = common.read_back(form, tmp_path, value)
    assert found.messages[1].text == "文档说要带伞。"
    assert found.messages[1].extensions["citations"] == [{**citation, "start": 3, "end": 6}]
    result = written(form, found)
    assert tree_of(result)["messages"] == value
    assert result.losses == ()
    foreign = talk(Message("user", "a"), Message("assistant", "b", extensions={"citations": [{"url": "u"}]}))
    assert codes(written(form, foreign).losses) == ["citation_dropped"]


def test_first_turn_must_be_the_users() -> None:
    conversation = talk(Message("assistant", "你好", "m"), Message("user", "a"))
    result = written(form, conversation)
    assert ("refused_by_target", "m") in [(loss.code, loss.message_id) for loss in result.losses]
    filled = written(form, conversation, filler="（开始）")
    assert tree_of(filled)["messages"][0] == {"role": "user", "content": "（开始）"}
    assert "placeholder_added" in codes(filled.losses)
    assert "refused_by_target" not in codes(filled.losses)


def test_a_lone_response_is_a_conversation(tmp_path: Path) -> None:
    value = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "好"}],
    }
    [message] = common.read_back(form, tmp_path, value).messages
    assert (message.id, message.role, message.text) == ("msg_1", "assistant", "好")


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"input": []}', "3"])
def test_a_file_without_messages_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    try:
        found = common.readings(form, path)
    except InvalidInput as error:
        assert str(path) in str(error)
    else:
        assert all(reading.conversation is None for reading in found)


def test_detection() -> None:
    plain = [{"role": "user", "content": "a"}]
    use = [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}]
    assert common.score(form, {"messages": use}) == common.score(form, use) == 0.95
    assert common.score(form, {"system": "S", "messages": plain}) == 0.95
    assert common.score(form, {"max_tokens": 9, "messages": plain}) == 0.5
    assert common.score(form, plain) == 0.35
    for other in ([{"role": "tool", "content": "a"}], [{"role": "system", "content": "a"}], {"chat_messages": []}):
        assert common.score(form, other) == 0.0


def accepted(messages: Any) -> None:
    from anthropic.types import MessageParam

    common.check_type(list[MessageParam], messages)


def check_api_rules(messages: list[Any]) -> None:
    """What the types cannot say: alternating roles, results first, no blank text, ids of the alphabet, once each."""
    roles = [message["role"] for message in messages if message["role"] != "system"]
    assert all(one != two for one, two in pairwise(roles))
    ids = []
    for message in messages:
        assert message["content"]
        blocks = (
            [{"type": "text", "text": message["content"]}]
            if isinstance(message["content"], str)
            else message["content"]
        )
        kinds = [block["type"] for block in blocks]
        assert "tool_result" not in kinds[kinds.count("tool_result") :]
        for block in blocks:
            assert block["type"] != "text" or block["text"].strip()
            if block["type"] == "tool_use":
                ids.append(block["id"])
                assert isinstance(block["input"], dict)
            if block["type"] in ("tool_use", "tool_result"):
                assert re.fullmatch(r"[a-zA-Z0-9_-]+", block.get("id") or block["tool_use_id"])
    assert len(set(ids)) == len(ids)


@FEW
@given(conversation=common.conversations())
def test_whatever_is_written_is_taken_by_the_sdk(conversation: Conversation, tmp_path_factory: Any) -> None:
    result = written(form, conversation)
    accepted(tree_of(result)["messages"])
    check_api_rules(tree_of(result)["messages"])
    common.check_law(form, tmp_path_factory.mktemp("law"), conversation)
    assert all(loss.sentence("en") and loss.sentence("zh") for loss in result.losses)


@FEW
@given(conversation=common.conversations(common.with_own_junk("anthropic")))
def test_own_extensions_that_are_junk_do_no_harm(conversation: Conversation) -> None:
    tree_of(written(form, conversation, mid_system=True))


@FEW
@given(value=st.one_of(common.JSON, common.NEARLY))
def test_whatever_is_read_ends_in_readings_or_a_clear_error(value: Any, tmp_path_factory: Any) -> None:
    common.check_reading(form, tmp_path_factory.mktemp("junk"), value)
