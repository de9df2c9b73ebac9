"""OpenAI Responses: items to messages and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import openai_responses
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

FORMAT = "openai-responses"
ITEMS = "message reasoning function_call function_call_output custom_tool_call custom_tool_call_output web_search_call"


def read(folder: Path, value: Any) -> Conversation:
    return common.read_back(openai_responses, folder, value)


def test_module_has_the_shape_of_a_format_and_a_writer() -> None:
    assert isinstance(openai_responses, Format)
    assert isinstance(openai_responses, Writer)
    assert openai_responses.name == FORMAT


def test_sample_is_read_in_full() -> None:
    [reading] = common.readings(openai_responses, common.sample_path("openai_responses.json"))
    assert reading.losses == ()
    found = reading.conversation
    assert found is not None
    assert (found.model, found.system_prompt, found.extensions) == (
        "gpt-5",
        SYSTEM,
        {FORMAT: {"fields": {"store": False}}},
    )
    user, calls, result, answer = found.messages
    assert user.attachments == (Attachment("image", "image/png", data=PIXEL, extensions={FORMAT: {"detail": "low"}}),)
    assert calls.content is None
    assert calls.tool_calls == (ToolCall("call_a1", "get_weather", '{"city":"杭州"}', {FORMAT: {"id": "fc_01"}}),)
    assert calls.extensions["reasoning"] == [
        {
            "text": "先看图，再调用天气工具。",
            "signature": "gAAAAB-synthetic",
            "provider": "openai",
            "model": "gpt-5",
            "id": "rs_01",
        }
    ]
    assert (result.role, result.tool_call_id, result.text) == ("tool", "call_a1", WEATHER)
    assert (answer.id, answer.text) == ("msg_01", FINAL)
    assert answer.extensions["citations"] == [
        {"type": "url_citation", "start_index": 0, "end_index": 3, "title": "示例", "url": "https://example.org/w"}
    ]


def test_sample_comes_back_without_ids_that_would_be_refused() -> None:
    path = common.sample_path("openai_responses.json")
    [reading] = common.readings(openai_responses, path)
    assert reading.conversation is not None
    result = written(openai_responses, reading.conversation)
    assert codes(result.losses) == ["message_id_dropped"]
    original = json.loads(path.read_text("utf-8"))
    del original["input"][2]["id"], original["input"][2]["status"]
    original["input"][4]["id"] = "msg_1"
    assert tree_of(result) == original


def test_several_items_are_one_message_and_a_second_answer_is_another(tmp_path: Path) -> None:
    value = {
        "input": "去哪儿？",
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {
                "type": "message",
                "role": "assistant",
                "phase": "commentary",
                "content": [{"type": "output_text", "text": "我查查"}],
            },
            {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
            {"type": "function_call", "call_id": "b", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "b", "output": "乙"},
            {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "甲"}]},
            {"type": "message", "role": "assistant", "phase": "commentary", "content": "好"},
            {"type": "message", "role": "assistant", "phase": "final_answer", "content": "走"},
        ],
    }
    found = read(tmp_path, value)
    assert [(m.role, m.text, len(m.tool_calls), m.tool_call_id) for m in found.messages] == [
        ("user", "去哪儿？", 0, None),
        ("assistant", "我查查", 2, None),
        ("tool", "乙", 0, "b"),
        ("tool", "甲", 0, "a"),
        ("assistant", "好", 0, None),
        ("assistant", "走", 0, None),
    ]
    again = body(openai_responses, found)["input"]
    assert [item.get("phase") for item in again if item.get("role") == "assistant"] == [
        "commentary",
        "commentary",
        "final_answer",
    ]
    assert again[1] == {"type": "reasoning", "id": "rs_1", "summary": []}


def test_other_items_are_kept_in_place_and_put_back(tmp_path: Path) -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "雨"},
    }
    value = {
        "input": [{"role": "user", "content": "a"}, search, {"type": "message", "role": "assistant", "content": "有雨"}]
    }
    reading = common.read_value(openai_responses, tmp_path, value)
    assert [(loss.code, loss.pointer, dict(loss.values)) for loss in reading.losses] == [
        ("unknown_block", "/input/1", {"type": "web_search_call"})
    ]
    found = reading.conversation
    assert found is not None
    assert [message.text for message in found.messages] == ["a", "有雨"]
    assert body(openai_responses, found)["input"][1:] == [search, value["input"][2]]


def test_custom_tools_refusals_and_files(tmp_path: Path) -> None:
    value = [
        {"type": "custom_tool_call", "call_id": "c", "name": "run", "input": "ls"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "x"},
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "refusal", "refusal": "不行"}],
        },
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_file", "file_data": f"data:application/pdf;base64,{PDF}", "filename": "说明.pdf"},
                {"type": "input_file", "file_url": "https://example.org/a.pdf"},
                {"type": "input_image", "file_id": "file-1", "detail": "auto"},
                {"type": "input_file", "file_data": "data:application/pdf;base64,!!"},
            ],
        },
    ]
    reading = common.read_value(openai_responses, tmp_path, value)
    assert codes(reading.losses) == ["file_dropped"]
    found = reading.conversation
    assert found is not None
    assert found.messages[0].tool_calls == (ToolCall("c", "run", "ls", {FORMAT: {"type": "custom"}}),)
    assert found.messages[2].extensions == {"refusal": "不行"}
    assert found.messages[3].attachments == (
        Attachment("file", "application/pdf", data=PDF, name="说明.pdf"),
        Attachment("file", reference="https://example.org/a.pdf"),
        Attachment("image", extensions={FORMAT: {"file_id": "file-1"}}),
    )
    again = body(openai_responses, found)["input"]
    value[2]["id"] = "msg_1"  # type: ignore[index]
    del value[3]["content"][3]  # type: ignore[attr-defined]
    assert again == value


def test_reasoning_that_nothing_follows() -> None:
    [reading] = common.readings(
        openai_responses, common.sample_path("breakages/09_responses_reasoning_without_follower.json")
    )
    assert [(loss.code, loss.pointer) for loss in reading.losses] == [
        ("reasoning_dropped", "/input/1"),
        ("reasoning_dropped", "/input/3"),
    ]
    found = reading.conversation
    assert found is not None
    assert [(message.role, message.text) for message in found.messages] == [("user", "a"), ("user", "b")]
    assert [item["id"] for item in found.extensions[FORMAT]["reasoning_without_follower"]] == ["rs_1", "rs_2"]
    assert [item["type"] for item in body(openai_responses, found)["input"]] == ["message", "message"]


def test_reasoning_of_others_is_dropped_and_listed() -> None:
    own = {"text": "想", "signature": "enc", "provider": "openai", "model": "gpt-5", "id": "rs_9"}
    foreign = {"text": "思", "signature": "sig", "provider": "anthropic"}
    conversation = talk(
        Message("user", "a"),
        Message("assistant", "b", "m1", extensions={"reasoning": [own]}),
        Message("assistant", "c", "m2", extensions={"reasoning": [foreign]}),
        model="gpt-5",
    )
    result = written(openai_responses, conversation)
    assert [(loss.code, loss.message_id) for loss in result.losses] == [
        ("message_id_dropped", None),
        ("signature_dropped", "m2"),
        ("reasoning_dropped", "m2"),
    ]
    assert [item["type"] for item in tree_of(result)["input"]] == ["message", "reasoning", "message", "message"]
    assert tree_of(result)["input"][1] == {
        "type": "reasoning",
        "id": "rs_9",
        "summary": [{"type": "summary_text", "text": "想"}],
        "encrypted_content": "enc",
    }
    elsewhere = written(openai_responses, conversation, model="gpt-6")
    assert codes(elsewhere.losses).count("signature_dropped") == 2
    kept = body(openai_responses, conversation, reasoning="summary")["input"]
    assert kept[3] == {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "思"}]}


def test_pictures_of_tool_results_are_written_and_audio_is_not() -> None:
    conversation = talk(
        Message("user", "a", attachments=(Attachment("file", "audio/wav", data=PDF),)),
        Message("assistant", None, tool_calls=(ToolCall("c", "f"),)),
        Message("tool", "图", tool_call_id="c", attachments=(Attachment("image", "image/png", data=PIXEL),)),
    )
    result = written(openai_responses, conversation)
    assert codes(result.losses) == ["audio_dropped"]
    assert tree_of(result)["input"][2]["output"] == [
        {"type": "input_text", "text": "图"},
        {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PIXEL}"},
    ]


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"messages": []}', "3"])
def test_a_file_without_items_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    try:
        found = common.readings(openai_responses, path)
    except InvalidInput as error:
        assert str(path) in str(error)
    else:
        assert all(reading.conversation is None for reading in found)


def test_detection() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    assert common.score(openai_responses, {"input": [said]}) == 0.95
    assert common.score(openai_responses, {"object": "response", "output": [call]}) == 0.95
    assert common.score(openai_responses, [said, call]) == 0.85
    assert common.score(openai_responses, {"model": "m", "input": "a"}) == 0.5
    rollout = ({"type": "response_item", "payload": said},)
    for other in (
        {"messages": []},
        {"contents": []},
        [{"role": "user", "content": "a"}],
        [{"type": "human", "data": {}}],
    ):
        assert common.score(openai_responses, other) == 0.0
    assert common.score(openai_responses, None, rollout) == 0.0


def accepted(items: Any) -> None:
    from openai.types.responses import ResponseInputParam

    common.check_type(ResponseInputParam, items)


@FEW
@given(conversation=common.conversations())
def test_whatever_is_written_is_taken_by_the_sdk(conversation: Conversation, tmp_path_factory: Any) -> None:
    result = written(openai_responses, conversation)
    accepted(tree_of(result)["input"])
    common.check_law(openai_responses, tmp_path_factory.mktemp("law"), conversation)
    assert all(loss.sentence("en") and loss.sentence("zh") for loss in result.losses)


@FEW
@given(conversation=common.conversations(common.with_own_junk(FORMAT)))
def test_own_extensions_that_are_junk_do_no_harm(conversation: Conversation) -> None:
    tree_of(written(openai_responses, conversation))


NEARLY = st.lists(
    st.builds(
        lambda kind, rest: {"type": kind, **rest},
        st.sampled_from(ITEMS.split()),
        st.dictionaries(
            st.sampled_from("role content output summary call_id name arguments input id phase".split()),
            st.one_of(st.sampled_from(["user", "assistant", "tool", "a"]), common.JSON),
            max_size=5,
        ),
    ),
    max_size=5,
)


@FEW
@given(value=st.one_of(common.JSON, NEARLY, NEARLY.map(lambda items: {"input": items, "instructions": items})))
def test_whatever_is_read_ends_in_readings_or_a_clear_error(value: Any, tmp_path_factory: Any) -> None:
    common.check_reading(openai_responses, tmp_path_factory.mktemp("junk"), value)
