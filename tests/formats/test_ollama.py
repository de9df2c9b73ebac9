"""Ollama: chat messages to messages and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import ollama as form
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


def test_module_has_the_shape_of_a_format_and_does_not_shadow_the_client() -> None:
    import ollama

    assert isinstance(form, Format)
    assert isinstance(form, Writer)
    assert form.name == "ollama"
    assert hasattr(ollama, "Client")


def test_sample_is_read_in_full_and_comes_back() -> None:
    path = common.sample_path("ollama_chat.json")
    [reading] = common.readings(form, path)
    assert [(loss.code, loss.pointer) for loss in reading.losses] == [("tool_id_made", "/messages/2/tool_calls/0")]
    found = reading.conversation
    assert found is not None
    assert (found.model, found.system_prompt) == ("qwen3", SYSTEM)
    user, call, result, answer = found.messages
    assert user.attachments == (Attachment("image", "image/png", data=PIXEL),)
    assert call.content == ""
    assert call.tool_calls == (ToolCall("call_1", "get_weather", '{"city":"杭州"}'),)
    assert call.extensions == {"reasoning": [{"text": "要调用工具。"}]}
    assert (result.tool_call_id, result.name, result.text) == ("call_1", "get_weather", WEATHER)
    assert answer.text == FINAL
    again = written(form, found)
    assert tree_of(again) == json.loads(path.read_text("utf-8"))
    assert codes(again.losses) == ["tool_id_dropped"]


def test_results_are_written_in_the_order_of_their_calls(tmp_path: Path) -> None:
    conversation = talk(
        Message("user", "a"),
        Message("assistant", None, tool_calls=(ToolCall("x", "f"), ToolCall("y", "f"), ToolCall("z", "g"))),
        Message("tool", "z", tool_call_id="z"),
        Message("tool", "y", tool_call_id="y"),
        Message("tool", "x", tool_call_id="x"),
        Message("user", "b"),
    )
    result = written(form, conversation)
    assert codes(result.losses) == ["content_filled", "pair_repaired", "tool_id_dropped"]
    results = [message for message in tree_of(result)["messages"] if message["role"] == "tool"]
    assert results == [
        {"role": "tool", "content": "x", "tool_name": "f"},
        {"role": "tool", "content": "y", "tool_name": "f"},
        {"role": "tool", "content": "z", "tool_name": "g"},
    ]
    found = common.read_back(form, tmp_path, result.data)
    assert [(m.tool_call_id, m.text) for m in found.messages if m.role == "tool"] == [
        ("call_1", "x"),
        ("call_2", "y"),
        ("call_3", "z"),
    ]


def test_null_content_is_written_empty_and_reasoning_is_kept() -> None:
    conversation = talk(
        Message("user", "a", "m1"),
        Message(
            "assistant",
            None,
            "m2",
            tool_calls=(ToolCall("c", "f", ""), ToolCall("d", "f", "oops")),
            extensions={"reasoning": [{"text": "想", "signature": "s", "provider": "google"}, {"text": "再想"}]},
        ),
    )
    result = written(form, conversation)
    assert tree_of(result)["messages"][1] == {
        "role": "assistant",
        "content": "",
        "thinking": "想\n\n再想",
        "tool_calls": [
            {"function": {"name": "f", "arguments": {}}},
            {"function": {"name": "f", "arguments": {"raw_arguments": "oops"}}},
        ],
    }
    assert [(loss.code, loss.message_id) for loss in result.losses] == [
        ("message_id_dropped", None),
        ("content_filled", None),
        ("signature_dropped", "m2"),
        ("tool_id_dropped", None),
        ("bad_arguments", "m2"),
    ]


def test_only_images_with_data_are_written() -> None:
    image = Attachment("image", "image/png", data=PIXEL)
    conversation = talk(
        Message(
            "user",
            "a",
            "m1",
            attachments=(
                image,
                Attachment("image", reference="https://example.org/x.png"),
                Attachment("file", "application/pdf", data=PDF),
                Attachment("file", "audio/wav", data=PDF),
                Attachment("image", data="NOT_BASE64!"),
            ),
        ),
        Message("assistant", "", "m2", tool_calls=(ToolCall("c", "f"),)),
        Message("tool", "r", "m3", tool_call_id="c", attachments=(image,)),
    )
    result = written(form, conversation)
    assert tree_of(result)["messages"][0] == {"role": "user", "content": "a", "images": [PIXEL]}
    assert "images" not in tree_of(result)["messages"][2]
    assert [(loss.code, loss.message_id) for loss in result.losses if loss.severity == "error"] == [
        ("image_dropped", "m1"),
        ("file_dropped", "m1"),
        ("audio_dropped", "m1"),
        ("image_dropped", "m1"),
        ("image_dropped", "m3"),
    ]


def test_breakage_image_variants_for_ollama() -> None:
    [reading] = common.readings(openai_chat, common.sample_path("breakages/30_image_variants.json"))
    assert reading.conversation is not None
    result = written(form, reading.conversation)
    assert tree_of(result)["messages"][0]["images"] == ["iVBORw0KGgo="]
    assert [loss.pointer for loss in result.losses if loss.code == "image_dropped"] == ["/messages/0", "/messages/1"]


def test_broken_images_and_odd_content(tmp_path: Path) -> None:
    value = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "a"}, {"x": 1}],
            "images": ["!!", f"data:image/png;base64,{PIXEL}", 3],
        },
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}, {"name": "g"}]},
        {"role": "tool", "content": "r"},
    ]
    reading = common.read_value(form, tmp_path, value)
    assert codes(reading.losses) == ["image_dropped", "image_dropped", "tool_id_made", "unknown_block", "unknown_block"]
    found = reading.conversation
    assert found is not None
    assert found.messages[0].attachments == (Attachment("image", "image/png", data=PIXEL),)
    assert found.messages[1].tool_calls == (ToolCall("call_1", "f", '{"a": 1}'),)
    assert (found.messages[2].tool_call_id, found.messages[2].name) == ("call_1", "f")


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"contents": []}', "3"])
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
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
    assert common.score(form, {"messages": [{"role": "user", "content": "a", "images": []}]}) == 0.9
    assert common.score(form, {"model": "m", "messages": [call]}) == 0.8
    assert common.score(form, [call]) == 0.5
    assert common.score(form, {"messages": [{"role": "user", "content": "a"}], "keep_alive": 0}) == 0.7
    assert common.score(form, [{"role": "user", "content": "a"}]) == 0.3
    for other in ([{"role": "user", "content": []}], [{"role": "tool", "content": "", "tool_call_id": "c"}], {"a": 1}):
        assert common.score(form, other) == 0.0


def accepted(messages: Any) -> None:
    import ollama

    for message in messages:
        images = [ollama.Image(value=image) for image in message.get("images", [])]
        ollama.Message.model_validate(message | ({"images": images} if images else {}))
        assert [image.model_dump() for image in images] == message.get("images", [])


@FEW
@given(conversation=common.conversations())
def test_whatever_is_written_is_taken_by_the_client(conversation: Conversation, tmp_path_factory: Any) -> None:
    result = written(form, conversation)
    accepted(tree_of(result)["messages"])
    common.check_law(form, tmp_path_factory.mktemp("law"), conversation)
    assert all(loss.sentence("en") and loss.sentence("zh") for loss in result.losses)


@FEW
@given(conversation=common.conversations(common.with_own_junk("ollama")))
def test_own_extensions_that_are_junk_do_no_harm(conversation: Conversation) -> None:
    tree_of(written(form, conversation))
    assert "messages" in body(form, conversation)


@FEW
@given(value=st.one_of(common.JSON, common.NEARLY))
def test_whatever_is_read_ends_in_readings_or_a_clear_error(value: Any, tmp_path_factory: Any) -> None:
    common.check_reading(form, tmp_path_factory.mktemp("junk"), value)
