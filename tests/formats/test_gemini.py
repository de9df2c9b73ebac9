"""Gemini: contents to messages and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import gemini, openai_chat
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


def test_module_has_the_shape_of_a_format_and_a_writer() -> None:
    assert isinstance(gemini, Format)
    assert isinstance(gemini, Writer)
    assert gemini.name == "gemini"


def test_sample_is_read_in_full() -> None:
    [reading] = common.readings(gemini, common.sample_path("gemini_contents.json"))
    assert [(loss.code, loss.pointer) for loss in reading.losses] == [("tool_id_made", "/contents/1/parts/2")]
    found = reading.conversation
    assert found is not None
    assert found.system_prompt == SYSTEM
    user, calls, first, second, answer = found.messages
    assert user.attachments == (Attachment("image", "image/png", data=PIXEL),)
    assert calls.extensions == {"reasoning": [{"text": "先查天气。", "provider": "google"}]}
    assert calls.tool_calls == (
        ToolCall("fc1", "get_weather", '{"city":"杭州"}', {"gemini": {"thoughtSignature": "c3ludGg="}}),
        ToolCall("call_1", "get_weather", '{"city":"宁波"}'),
    )
    assert (first.tool_call_id, first.name, first.text, dict(first.extensions)) == ("fc1", "get_weather", WEATHER, {})
    assert (second.tool_call_id, second.text, dict(second.extensions)) == ("call_1", "超时", {"is_error": True})
    assert answer.text == FINAL


def test_sample_comes_back() -> None:
    path = common.sample_path("gemini_contents.json")
    [reading] = common.readings(gemini, path)
    assert reading.conversation is not None
    result = written(gemini, reading.conversation)
    assert result.losses == ()
    original = json.loads(path.read_text("utf-8"))
    original["contents"][1]["parts"][2]["functionCall"]["id"] = "call_1"
    original["contents"][2]["parts"][1]["functionResponse"]["id"] = "call_1"
    assert tree_of(result) == original


def test_snake_case_is_the_same_and_arguments_are_left_alone(tmp_path: Path) -> None:
    snake = {
        "system_instruction": {"parts": [{"text": "S"}]},
        "contents": [
            {"parts": [{"inline_data": {"mime_type": "image/png", "data": PIXEL}}, {"text": "a"}]},
            {
                "role": "model",
                "parts": [{"function_call": {"name": "f", "args": {"my_key": 1}}, "thought_signature": "cw=="}],
            },
            {"role": "user", "parts": [{"function_response": {"name": "f", "response": {"output": {"my_key": 2}}}}]},
        ],
    }
    camel = {
        "systemInstruction": {"parts": [{"text": "S"}]},
        "contents": [
            {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": PIXEL}}, {"text": "a"}]},
            {
                "role": "model",
                "parts": [{"functionCall": {"name": "f", "args": {"my_key": 1}}, "thoughtSignature": "cw=="}],
            },
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": {"my_key": 2}}}}]},
        ],
    }
    found = common.read_back(gemini, tmp_path, snake)
    assert found == common.read_back(gemini, tmp_path, camel)
    assert found.messages[1].tool_calls[0].arguments == '{"my_key":1}'
    assert found.messages[2].text == '{"my_key":2}'


def test_tool_output_is_wrapped_and_unwrapped(tmp_path: Path) -> None:
    outputs: dict[str, Any] = {
        "18": "18",
        "小雨": "小雨",
        '{"a":1}': {"a": 1},
        '{"a": 1}': '{"a": 1}',
        "[1,2]": [1, 2],
        '{"a":1,"a":2}': '{"a":1,"a":2}',
        "": "",
        "null": "null",
    }
    for text, expected in outputs.items():
        conversation = talk(
            Message("user", "a"),
            Message("assistant", None, tool_calls=(ToolCall("c", "f"),)),
            Message("tool", text, tool_call_id="c"),
        )
        contents = body(gemini, conversation)["contents"]
        response = contents[2]["parts"][0]["functionResponse"]
        assert response == {"id": "c", "name": "f", "response": {"output": expected}}
        assert common.read_back(gemini, tmp_path, {"contents": contents}).messages[2].text == text


def test_results_without_ids_are_paired_by_name_then_order(tmp_path: Path) -> None:
    def call(name: str) -> dict[str, Any]:
        return {"functionCall": {"name": name, "args": {}}}

    def result(name: str, text: str) -> dict[str, Any]:
        return {"functionResponse": {"name": name, "response": {"output": text}}}

    value = [
        {"role": "user", "parts": [{"text": "a"}]},
        {"role": "model", "parts": [call("f"), call("g"), call("f")]},
        {"role": "user", "parts": [result("g", "1"), result("f", "2"), result("f", "3"), {"text": "继续"}]},
    ]
    found = common.read_back(gemini, tmp_path, value)
    assert [(m.tool_call_id, m.text) for m in found.messages[2:]] == [
        ("call_2", "1"),
        ("call_1", "2"),
        ("call_3", "3"),
        (None, "继续"),
    ]


def test_signatures_stay_with_their_model_only(tmp_path: Path) -> None:
    value = {
        "model": "gemini-3-pro",
        "contents": [
            {"role": "user", "parts": [{"text": "a"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "想", "thought": True, "thoughtSignature": "dA=="},
                    {"text": "查", "thoughtSignature": "eA=="},
                    {"functionCall": {"id": "c", "name": "f", "args": {}}, "thoughtSignature": "Yw=="},
                ],
            },
            {"role": "user", "parts": [{"functionResponse": {"id": "c", "name": "f", "response": {"output": "r"}}}]},
        ],
    }
    found = common.read_back(gemini, tmp_path, value)
    same = written(gemini, found)
    assert (tree_of(same), same.losses) == (value, ())
    other = written(gemini, found, model="gemini-2.5-pro")
    assert set(codes(other.losses)) == {"signature_dropped"}
    assert b"thoughtSignature" not in other.data
    assert "signature_dropped" in codes(written(openai_chat, found).losses)


def test_unsigned_calls_for_gemini_3() -> None:
    conversation = talk(
        Message("user", "a"),
        Message("assistant", None, "m", tool_calls=(ToolCall("c", "f"), ToolCall("d", "f"))),
        Message("tool", "1", tool_call_id="c"),
        Message("tool", "2", tool_call_id="d"),
    )
    assert "refused_by_target" not in codes(written(gemini, conversation, model="gemini-2.5-pro").losses)
    refused = written(gemini, conversation, model="gemini-3-pro").losses
    assert ("refused_by_target", "m") in [(loss.code, loss.message_id) for loss in refused]
    marked = written(gemini, conversation, model="gemini-3-pro", skip_signatures=True)
    assert codes(marked.losses) == ["message_id_dropped", "placeholder_added"]
    parts = tree_of(marked)["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == ["skip_thought_signature_validator", None]
    accepted(tree_of(marked)["contents"])


def test_system_turns_merges_media_and_a_leading_model() -> None:
    conversation = talk(
        Message("assistant", "你好", "m1"),
        Message("system", "说中文", "m2"),
        Message(
            "user",
            "听",
            "m3",
            attachments=(
                Attachment("file", "audio/wav", data=PDF, name="录音"),
                Attachment("image", reference="gs://b/x.png"),
                Attachment("image", reference="pixel.png"),
            ),
        ),
        system_prompt="S",
    )
    result = written(gemini, conversation)
    assert tree_of(result) == {
        "systemInstruction": {"parts": [{"text": "S"}]},
        "contents": [
            {"role": "model", "parts": [{"text": "你好"}]},
            {
                "role": "user",
                "parts": [
                    {"text": "说中文\n\n"},
                    {"text": "听"},
                    {"inlineData": {"mimeType": "audio/wav", "data": PDF, "displayName": "录音"}},
                    {"fileData": {"fileUri": "gs://b/x.png"}},
                ],
            },
        ],
    }
    assert [(loss.code, loss.message_id) for loss in result.losses] == [
        ("message_id_dropped", None),
        ("system_moved", "m2"),
        ("image_dropped", "m3"),
        ("roles_merged", None),
        ("refused_by_target", "m1"),
    ]
    filled = written(gemini, conversation, filler="开始")
    assert tree_of(filled)["contents"][0] == {"role": "user", "parts": [{"text": "开始"}]}


def test_code_execution_is_kept_in_place(tmp_path: Path) -> None:
    parts = [
        {"text": "算"},
        {"executableCode": {"language": "PYTHON", "code": "1+1"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
    ]
    value = {"contents": [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": parts}]}
    reading = common.read_value(gemini, tmp_path, value)
    assert [dict(loss.values)["type"] for loss in reading.losses] == ["executableCode", "codeExecutionResult"]
    assert reading.conversation is not None
    again = tree_of(written(gemini, reading.conversation))
    assert again == value
    accepted(again["contents"])


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"messages": []}', "3"])
def test_a_file_without_contents_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    try:
        found = common.readings(gemini, path)
    except InvalidInput as error:
        assert str(path) in str(error)
    else:
        assert all(reading.conversation is None for reading in found)


def test_detection() -> None:
    contents = [{"role": "user", "parts": [{"text": "a"}]}]
    typed = [{"role": "user", "parts": [{"type": "text", "content": "a"}]}]
    ui_messages = [{"id": "1", "role": "user", "parts": [{"type": "text", "text": "a"}]}]
    assert common.score(gemini, {"contents": contents}) == 0.95
    assert common.score(gemini, contents) == 0.85
    for other in (typed, ui_messages, {"messages": contents}, [{"role": "user", "content": "a"}]):
        assert common.score(gemini, other) == 0.0


def accepted(contents: Any) -> None:
    from google.genai import types

    for content in contents:
        types.Content.model_validate(content)


@FEW
@given(conversation=common.conversations())
def test_whatever_is_written_is_taken_by_the_sdk(conversation: Conversation, tmp_path_factory: Any) -> None:
    result = written(gemini, conversation)
    accepted(tree_of(result)["contents"])
    assert all(content["parts"] for content in tree_of(result)["contents"])
    common.check_law(gemini, tmp_path_factory.mktemp("law"), conversation)
    assert all(loss.sentence("en") and loss.sentence("zh") for loss in result.losses)


@FEW
@given(conversation=common.conversations(common.with_own_junk("gemini")))
def test_own_extensions_that_are_junk_do_no_harm(conversation: Conversation) -> None:
    tree_of(written(gemini, conversation))


KEYS = ["text", "thought", "functionCall", "function_response", "inlineData", "fileData", "thoughtSignature", "x"]
INNER = st.dictionaries(
    st.sampled_from(["name", "args", "response", "id", "data", "mimeType", "fileUri", "parts"]), common.JSON, max_size=3
)
NEARLY = st.fixed_dictionaries(
    {
        "contents": st.lists(
            st.fixed_dictionaries(
                {"parts": st.lists(st.dictionaries(st.sampled_from(KEYS), st.one_of(common.JSON, INNER), max_size=3))},
                optional={"role": st.sampled_from(["user", "model", "function", "odd"])},
            ),
            max_size=4,
        )
    },
    optional={"systemInstruction": st.one_of(common.JSON, INNER)},
)


@FEW
@given(value=st.one_of(common.JSON, NEARLY))
def test_whatever_is_read_ends_in_readings_or_a_clear_error(value: Any, tmp_path_factory: Any) -> None:
    common.check_reading(gemini, tmp_path_factory.mktemp("junk"), value)
