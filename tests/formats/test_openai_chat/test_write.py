"""Chat Completions, written and detected, and any conversation through both."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.formats import openai_chat
from tests.formats.test_openai_chat.common import (
    FEW,
    JSON,
    NEARLY,
    PDF,
    body,
    check_law,
    check_reading,
    check_type,
    codes,
    conversations,
    read_back,
    score,
    talk,
    tree_of,
    with_own_junk,
    written,
)


def test_every_loss_of_the_matrix_is_listed() -> None:
    conversation = talk(
        Message("user", "问", "m1", "2026-03-01T00:00:00Z", name="林 一"),
        Message("assistant", None, "m2", tool_calls=(ToolCall("k" * 50, "看 图", "{}"),)),
        Message("tool", "错", "m3", tool_call_id="k" * 50, extensions={"is_error": True}),
        Message(
            "assistant",
            "答",
            "m4",
            extensions={
                "reasoning": [{"text": "想", "signature": "s", "provider": "anthropic", "model": "x"}],
                "citations": [{"url": "https://example.org"}],
                "hidden": True,
                "chatgpt": {"weight": 0},
            },
        ),
        Message(
            "user",
            "附",
            "m5",
            attachments=(
                Attachment("image", reference="pixel.png"),
                Attachment("file", "text/csv", data=PDF),
                Attachment("file", "audio/ogg", data=PDF),
                Attachment("image", data="NOT_BASE64!"),
            ),
        ),
        id="c",
        title="题",
    )
    result = written(openai_chat, conversation)
    assert {(loss.code, loss.message_id) for loss in result.losses} == {
        ("message_id_dropped", None),
        ("timestamp_dropped", None),
        ("field_dropped", None),
        ("id_renamed", None),
        ("refused_by_target", "m2"),
        ("tool_error_flag_dropped", "m3"),
        ("reasoning_dropped", "m4"),
        ("signature_dropped", "m4"),
        ("citation_dropped", "m4"),
        ("image_dropped", "m5"),
        ("file_dropped", "m5"),
        ("audio_dropped", "m5"),
    }
    dropped = sorted(dict(loss.values)["field"] for loss in result.losses if loss.code == "field_dropped")
    assert dropped == ["conversation.id", "conversation.title", "extensions.chatgpt", "extensions.hidden"]
    assert all(loss.sentence("en") and loss.sentence("zh") for loss in result.losses)
    found = tree_of(result)["messages"]
    assert found[0]["name"] == "林_一"
    assert len(found[1]["tool_calls"][0]["id"]) == 40
    assert found[2]["tool_call_id"] == found[1]["tool_calls"][0]["id"]
    assert found[4] == {"role": "user", "content": "附"}


def test_a_system_message_that_repeats_the_prompt_is_written_once() -> None:
    twice = talk(Message("system", "S"), Message("user", "a"), system_prompt="S")
    once = talk(Message("system", "S"), Message("user", "a"))
    both = talk(Message("system", "T"), Message("user", "a"), system_prompt="S")
    assert body(openai_chat, twice) == body(openai_chat, once)
    assert [message["content"] for message in body(openai_chat, both)["messages"]] == ["S", "T", "a"]


def test_branches_are_taken_by_their_active_path() -> None:
    conversation = talk(
        Message("user", "a", "1"),
        Message("assistant", "b", "2", parent_id="1"),
        Message("assistant", "c", "3", parent_id="1"),
        extensions={"active_leaf": "2"},
    )
    result = written(openai_chat, conversation)
    assert [message["content"] for message in tree_of(result)["messages"]] == ["a", "b"]
    assert "branch_dropped" in codes(result.losses)


def test_several_conversations_and_lines() -> None:
    one, two = talk(Message("user", "一")), talk(Message("user", "二", "m"))
    result = written(openai_chat, one, two)
    assert [item["messages"][0]["content"] for item in tree_of(result)] == ["一", "二"]
    lines = written(openai_chat, one, two, jsonl=True).data.decode().splitlines()
    assert [json.loads(line)["messages"][0]["content"] for line in lines] == ["一", "二"]
    assert "一" in lines[0]


def test_detection_by_distinctive_keys() -> None:
    plain_body = {"messages": [{"role": "user", "content": "a"}]}
    with_calls = [
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": ""},
    ]
    assert score(openai_chat, plain_body) == score(openai_chat, None, (plain_body,)) == 0.6
    assert score(openai_chat, {"messages": with_calls}) == score(openai_chat, with_calls) == 0.9
    assert score(openai_chat, {"system": "S", **plain_body}) == 0.2
    assert score(openai_chat, {"messages": [{"role": "user", "content": "a", "images": ["x"]}]}) == 0.2
    for other in ({"mapping": {}}, [{"parts": [], "role": "user"}], [1], "text", {"messages": [{"sender": "User"}]}):
        assert score(openai_chat, other) == 0.0


def accepted_by_openai(messages: list[Any]) -> None:
    from openai.types.chat import ChatCompletionMessageParam

    check_type(list[ChatCompletionMessageParam], messages)


@FEW
@given(conversation=conversations())
def test_whatever_is_written_is_taken_by_the_sdk(conversation: Conversation, tmp_path_factory: Any) -> None:
    result = written(openai_chat, conversation)
    accepted_by_openai(tree_of(result)["messages"])
    check_law(openai_chat, tmp_path_factory.mktemp("law"), conversation)
    assert all(loss.sentence("en") and loss.sentence("zh") for loss in result.losses)


@FEW
@given(conversation=conversations(with_own_junk("openai-chat")))
def test_own_extensions_that_are_junk_do_no_harm(conversation: Conversation) -> None:
    tree_of(written(openai_chat, conversation))


@FEW
@given(value=st.one_of(JSON, st.fixed_dictionaries({"messages": st.lists(JSON)}), st.lists(JSON)))
def test_whatever_is_read_ends_in_readings_or_a_clear_error(value: Any, tmp_path_factory: Any) -> None:
    check_reading(openai_chat, tmp_path_factory.mktemp("junk"), value)


@FEW
@given(value=NEARLY)
def test_nearly_right_bodies(value: Any, tmp_path_factory: Any) -> None:
    check_reading(openai_chat, tmp_path_factory.mktemp("nearly"), value)


def test_pairs_survive_renaming(tmp_path: Path) -> None:
    calls = tuple(ToolCall("same", "f", json.dumps({"n": number})) for number in range(3))
    results = tuple(Message("tool", str(number), tool_call_id="same") for number in range(3))
    conversation = talk(Message("user", "a"), Message("assistant", None, tool_calls=calls), *results)
    found = read_back(openai_chat, tmp_path, written(openai_chat, conversation).data)
    ids = [call.id for call in found.messages[1].tool_calls]
    assert len(set(ids)) == 3
    assert [message.tool_call_id for message in found.messages[2:]] == ids
    assert replace(found.messages[2], tool_call_id=None, name=None).text == "0"
