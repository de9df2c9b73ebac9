"""ShareGPT: turns, marks for pictures, calls one at a time, and what trainers would refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats import sharegpt
from mnemo_lab.formats.base import Sample, Writer
from mnemo_lab.losses import loss
from tests.formats.exports import sample
from tests.formats.list_formats import again, codes, names, only, read_text, read_value, spiced, written
from tests.formats.test_portable_roundtrip import thorough

RECORD = {
    "id": "sg1",
    "conversations": [
        {"from": "human", "value": "<image>看看"},
        {"from": "function_call", "value": '{"name":"f","arguments":{"城":"杭州"}}'},
        {"from": "observation", "value": "小雨"},
        {"from": "gpt", "value": "<think>\n先想\n</think>\n\n带伞。"},
    ],
    "system": "你是气象助手。",
    "tools": '[{"name":"f"}]',
    "images": ["cloud.png"],
    "lang": "zh",
}


def test_a_record_is_read_and_written_as_it_was() -> None:
    conversation, losses = only(read_value(sharegpt, [RECORD]))
    assert conversation == Conversation(
        (
            Message("user", "看看", attachments=(Attachment("image", reference="cloud.png"),)),
            Message("assistant", None, tool_calls=(ToolCall("call_1", "f", '{"城":"杭州"}'),)),
            Message("tool", "小雨", name="f", tool_call_id="call_1"),
            Message("assistant", "带伞。", extensions={"reasoning": [{"text": "先想"}]}),
        ),
        id="sg1",
        system_prompt="你是气象助手。",
        extensions={"sharegpt": {"lang": "zh", "tools": [{"name": "f"}]}},
    )
    assert losses == (loss("tool_id_made", name="f", id="call_1"),)
    result = written(sharegpt, conversation)
    assert json.loads(result.data) == [RECORD]
    assert names(result.losses) == ["tool_id_dropped"]


def test_the_shared_sample_stays_as_it_was() -> None:
    raw = sample("sharegpt.json").read_bytes()
    result = written(sharegpt, only(read_text(sharegpt, raw))[0])
    first, second = json.loads(raw)[0], json.loads(result.data)[0]
    assert json.loads(first.pop("tools")) == json.loads(second.pop("tools"))
    assert first == second


def test_aliases_unknown_roles_and_bare_turns() -> None:
    turns = [{"from": "user", "value": "a"}, {"from": "bing", "value": "b"}, {"from": "weaver", "value": "c", "w": 1}]
    conversation, losses = only(read_value(sharegpt, turns))
    assert [(m.role, m.text) for m in conversation.messages] == [("user", "a"), ("assistant", "b"), ("user", "c")]
    assert conversation.messages[2].extensions == {"sharegpt": {"w": 1, "from": "weaver"}}
    assert codes(losses) == [("role_mapped", None, None), ("role_guessed", None, "/conversations/2")]


def test_calls_in_a_list_calls_that_are_none_and_arguments_that_are_none() -> None:
    turns = [
        {"from": "human", "value": "a"},
        {"from": "function_call", "value": '[{"name":"f","arguments":{}},{"name":"g","arguments":"x"}]'},
        {"from": "observation", "value": "1"},
        {"from": "observation", "value": "2"},
        {"from": "function_call", "value": "not json"},
    ]
    conversation, losses = only(read_value(sharegpt, {"conversations": turns}))
    calls = (ToolCall("call_1", "f", "{}"), ToolCall("call_2", "g", "x"))
    assert conversation.messages[1].tool_calls == calls
    assert [m.tool_call_id for m in conversation.messages[2:4]] == ["call_1", "call_2"]
    assert conversation.messages[4].text == "not json"
    assert names(losses) == ["bad_arguments", "tool_id_made", "unknown_block"]


def test_marks_and_pictures_that_do_not_match() -> None:
    few = {"conversations": [{"from": "human", "value": "<image><image>a"}], "images": ["1.png"]}
    conversation, losses = only(read_value(sharegpt, few))
    assert (conversation.messages[0].text, losses) == ("<image>a", ())
    many = {"conversations": [{"from": "human", "value": "a<image>"}], "images": ["1.png", "2.png"]}
    conversation, losses = only(read_value(sharegpt, many))
    assert (conversation.messages[0].text, len(conversation.messages[0].attachments)) == ("a", 1)
    assert conversation.extensions == {"sharegpt": {"images": ["2.png"]}}
    assert codes(losses) == [("parts_reordered", None, "/conversations/0"), ("unknown_block", None, "/images")]


def turns_of(conversation: Conversation) -> list[tuple[str, str]]:
    (record,) = json.loads(written(sharegpt, conversation).data)
    return [(turn["from"], turn["value"]) for turn in record["conversations"]]


def test_parallel_calls_come_one_after_another_each_with_its_result() -> None:
    calls = (ToolCall("a", "f", '{"k":1}'), ToolCall("b", "g", '{"k":2}'))
    given_ = Conversation(
        (
            Message("user", "q"),
            Message("assistant", None, "m", tool_calls=calls),
            Message("tool", "rb", name="g", tool_call_id="b"),
            Message("tool", "ra", name="f", tool_call_id="a"),
            Message("assistant", "done"),
        )
    )
    assert turns_of(given_) == [
        ("human", "q"),
        ("function_call", '{"name":"f","arguments":{"k":1}}'),
        ("observation", "ra"),
        ("function_call", '{"name":"g","arguments":{"k":2}}'),
        ("observation", "rb"),
        ("gpt", "done"),
    ]
    assert ("pair_repaired", "m", "/messages/1") in codes(written(sharegpt, given_).losses)
    assert "refused_by_target" not in names(written(sharegpt, given_).losses)


def test_turns_in_a_row_are_merged_and_system_texts_moved() -> None:
    given_ = Conversation(
        (
            Message("user", "一"),
            Message("user", "二"),
            Message("assistant", "三"),
            Message("system", "S2", "s"),
            Message("assistant", "四"),
        ),
        system_prompt="S1",
    )
    assert turns_of(given_) == [("human", "一\n\n二"), ("gpt", "三\n\n四")]
    result = written(sharegpt, given_)
    assert json.loads(result.data)[0]["system"] == "S1\n\nS2"
    assert names(result.losses) == ["message_id_dropped", "roles_merged", "system_moved"]


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ((Message("assistant", "hi"), Message("user", "a"), Message("assistant", "b")), "gpt stands where a human"),
        ((Message("user", "a"),), "ends with human"),
        ((Message("user", "a"), Message("tool", "r"), Message("assistant", "b")), "observation stands where an answer"),
        (
            (Message("user", "a"), Message("assistant", "text", tool_calls=(ToolCall("c", "f"),))),
            "text beside a call",
        ),
    ],
)
def test_what_trainers_refuse_is_said(messages: tuple[Message, ...], why: str) -> None:
    losses = written(sharegpt, Conversation(messages)).losses
    assert [why in item.sentence() for item in losses if item.code == "refused_by_target"] == [True]


def test_text_beside_a_call_is_read_again() -> None:
    message = Message("assistant", "let me see", tool_calls=(ToolCall("call_1", "f"),))
    given_ = Conversation((Message("user", "a"), message))
    assert again(sharegpt, given_) == given_


def test_a_mark_in_a_text_is_no_picture() -> None:
    call = ToolCall("c", "f", '{"html":"<image>"}')
    given_ = Conversation(
        (Message("user", "what does <image> mean?", "m"), Message("assistant", "", tool_calls=(call,)))
    )
    result = written(sharegpt, given_)
    assert result.data.count(b"<image>") == 0
    assert ("placeholder_added", "m", "/messages/0") in codes(result.losses)
    calls = again(sharegpt, given_).messages[1].tool_calls
    assert calls[0].arguments == '{"html":"<image>"}'


@thorough
@given(spiced())
def test_any_conversation_is_written_and_stays_as_it_is_read(conversation: Conversation) -> None:
    result = written(sharegpt, conversation)
    (record,) = json.loads(result.data)
    marks = sum(turn["value"].count("<image>") for turn in record["conversations"])
    assert marks == len(record.get("images", []))
    refused = "refused_by_target" in names(result.losses)
    kinds = [turn["from"] in ("human", "observation") for turn in record["conversations"]]
    assert refused or kinds == [True, False] * (len(kinds) // 2)
    first = only(read_text(sharegpt, result.data))[0]
    assert again(sharegpt, first) == first


def test_broken_records_cost_only_themselves_and_other_files_are_refused() -> None:
    readings = read_text(sharegpt, '[{"conversations":[{"from":"human","value":"a"}]},{"x":1},{"conversations":[5]}]')
    assert [r.conversation is None for r in readings] == [False, True, True]
    for text in ("", "no", '{"a":1}', '{"conversations":[{"role":"user"}]}'):
        with pytest.raises(InvalidInput):
            read_text(sharegpt, text)


def test_detection() -> None:
    def score(value: Any) -> float | None:
        found = sharegpt.detect(Sample("a.json", ("a.json",), value))
        return found.score if found else None

    assert score([RECORD]) == 0.97
    assert score(RECORD["conversations"]) == 0.8
    assert score([{"conversations": [{"role": "user", "content": "a"}]}]) is None
    assert score(None) is None
    assert isinstance(sharegpt, Writer)
