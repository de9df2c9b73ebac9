from __future__ import annotations

from typing import Any

import pytest

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.language_models.anthropic import turns
from mnemo_lab.language_models.errors import Declined, Unavailable
from tests.language_models.scripted import Reply, scripted, typed_events
from tests.language_models.vendors import ANTHROPIC, ASK

MORE = {"input_tokens": 4, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 8, "output_tokens": 3}


def text(content: str) -> dict[str, str]:
    return {"type": "text", "text": content}


def test_calls_and_results_go_there_and_back() -> None:
    asked = [
        Message("system", "Be brief."),
        Message("user", "Weather?"),
        Message("user", "In 上海."),
        Message("assistant", "Looking.", tool_calls=(ToolCall("c1", "weather", '{"city": "上海"}'),)),
        Message("tool", "3 °C", tool_call_id="c1"),
        Message("system", "Metric only."),
        Message("user", "And?"),
    ]
    with scripted(Reply(ANTHROPIC.answer)) as server:
        ANTHROPIC.model(server.url, model="claude-x").chat(asked, 9)
    assert server.requests[0] == {
        "model": "claude-x",
        "max_tokens": 9,
        "temperature": 0.0,
        "system": "Be brief.\n\nMetric only.",
        "tools": [{"name": "weather", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "none"},
        "messages": [
            {"role": "user", "content": [text("Weather?"), text("In 上海.")]},
            {
                "role": "assistant",
                "content": [
                    text("Looking."),
                    {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "上海"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "3 °C"}, text("And?")],
            },
        ],
    }


@pytest.mark.parametrize(
    ("messages", "roles"),
    [
        ([Message("assistant", "Hi."), Message("user", "Hello.")], ["user", "assistant", "user"]),
        ([Message("user", "a"), Message("assistant", "  "), Message("user", "b")], ["user"]),
        ([Message("system", "s")], []),
    ],
)
def test_turns_alternate_and_the_user_begins(messages: list[Message], roles: list[str]) -> None:
    assert [turn["role"] for turn in turns(messages)] == roles


def test_arguments_that_are_no_object_are_kept() -> None:
    calls = tuple(ToolCall(f"c{i}", "f", written) for i, written in enumerate(['{"a": 1', "[1]"]))
    _, turn = turns([Message("user", "x"), Message("assistant", None, tool_calls=calls)])
    assert [block["input"] for block in turn["content"]] == [{"arguments": '{"a": 1'}, {"arguments": [1]}]


def test_halves_of_characters_are_sent_as_question_marks() -> None:
    written = ('{"a\\ud83d": ["\\ud83d", "\\ud83d\\ude00"]}', '{"a": "\ud83d"}', "\ud83d", '{"n": 1.50}')
    calls = tuple(ToolCall("c\ud83d", "f\ud83d", arguments) for arguments in written)
    asked = [
        Message("user", "x"),
        Message("assistant", None, tool_calls=calls),
        Message("tool", "y", tool_call_id="c\ud83d"),
    ]
    with scripted(Reply(ANTHROPIC.answer)) as server:
        ANTHROPIC.model(server.url).chat(asked, 9)
    _, turn, result = server.requests[0]["messages"]
    assert [block["input"] for block in turn["content"]] == [
        {"a?": ["?", "😀"]},
        {"a": "?"},
        {"arguments": "?"},
        {"n": 1.5},
    ]
    assert {(block["id"], block["name"]) for block in turn["content"]} == {("c?", "f?")}
    assert result["content"][0]["tool_use_id"] == "c?" and server.requests[0]["tools"][0]["name"] == "f?"


def test_what_went_into_the_cache_was_read_too() -> None:
    with scripted(Reply(ANTHROPIC.answer | {"usage": MORE})) as server:
        assert ANTHROPIC.model(server.url).chat(ASK, 9)[1:] == (112, 3, "stop", 8)


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_an_answer_cut_at_its_limit(reason: str) -> None:
    with scripted(Reply(ANTHROPIC.answer | {"stop_reason": reason})) as server:
        assert ANTHROPIC.model(server.url).chat(ASK, 9).finish == "length"


def test_a_refusal_is_no_answer() -> None:
    with (
        scripted(Reply(ANTHROPIC.answer | {"stop_reason": "refusal"})) as server,
        pytest.raises(Declined, match="declined"),
    ):
        ANTHROPIC.model(server.url).chat(ASK, 9)


def test_an_error_inside_a_stream() -> None:
    overloaded: dict[str, Any] = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    late = Reply(typed_events(overloaded), kind="text/event-stream")
    slept: list[float] = []
    with scripted(late, Reply(ANTHROPIC.stream, kind="text/event-stream")) as server:
        assert next(ANTHROPIC.model(server.url, slept).stream(ASK, 9)) == "under "
    assert slept == [1]
    with scripted(late) as server, pytest.raises(Unavailable, match="Overloaded"):
        list(ANTHROPIC.model(server.url).stream(ASK, 9))
