from __future__ import annotations

from typing import Any

import pytest

from mnemo_lab.conversation import Attachment, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models.errors import Declined, Refused, Unavailable
from mnemo_lab.language_models.openai_compatible import OpenAICompatible, chat_messages
from mnemo_lab.tokens import open_counter
from tests.language_models.scripted import Reply, events, scripted
from tests.language_models.vendors import ASK, OPENAI

CALLED = [
    Message("system", "Be brief.", id="1", timestamp="2025-01-01"),
    Message("user", "Weather in 上海?", name="Ann"),
    Message("assistant", None, tool_calls=(ToolCall("c1", "weather", '{"city": "上海"}'), ToolCall("c2", "time"))),
    Message("tool", "3 °C", tool_call_id="c1", name="weather"),
    Message("tool", "noon", tool_call_id="c2"),
]


def test_calls_and_results_go_there_and_back() -> None:
    with scripted(Reply(OPENAI.answer)) as server:
        OPENAI.model(server.url, model="gpt-x").chat(CALLED, 9)
    assert server.requests[0] == {
        "model": "gpt-x",
        "max_tokens": 9,
        "temperature": 0.0,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Weather in 上海?", "name": "Ann"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "上海"}'}},
                    {"id": "c2", "type": "function", "function": {"name": "time", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "content": "3 °C", "tool_call_id": "c1"},
            {"role": "tool", "content": "noon", "tool_call_id": "c2"},
        ],
    }


def test_what_json_or_the_vendor_cannot_take() -> None:
    odd = Message("user", "a\ud83dz", name="Ann Lee", attachments=(Attachment("image", "image/png", name="cat.png"),))
    assert chat_messages([odd]) == [{"role": "user", "content": "a?z\n[image: cat.png]"}]
    half = ToolCall("c\ud83d", "f\ud83d", '{"a": "\ud83d"}')
    called, result = chat_messages(
        [Message("assistant", None, tool_calls=(half,)), Message("tool", "x", tool_call_id="c\ud83d")]
    )
    function = {"name": "f?", "arguments": '{"a": "?"}'}
    assert called["tool_calls"] == [{"id": "c?", "type": "function", "function": function}]
    assert result["tool_call_id"] == "c?"


def test_settings_after_the_name_are_sent() -> None:
    with scripted(Reply(OPENAI.answer)) as server:
        model = OPENAI.model(server.url, model="gpt-x?temperature=0.7&seed=3")
        model.chat(ASK, 9)
    assert {name: server.requests[0][name] for name in ("model", "temperature", "seed")} == {
        "model": "gpt-x",
        "temperature": 0.7,
        "seed": 3,
    }
    assert model.name == "openai:gpt-x?temperature=0.7&seed=3"


def test_the_limits_new_name_where_the_old_one_is_refused() -> None:
    said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    refused = Reply({"error": {"message": said, "param": "max_tokens", "code": "unsupported_parameter"}}, 400)
    with scripted(refused, Reply(OPENAI.answer)) as server:
        assert OPENAI.model(server.url).chat(ASK, 9).text == "under the mat"
    assert [request.get("max_tokens") for request in server.requests] == [9, None]
    assert [request.get("max_completion_tokens") for request in server.requests] == [None, 9]


@pytest.mark.parametrize(
    ("said", "requests"),
    [
        ("max_tokens is too large: 100000. This model supports at most 16384 completion tokens", 1),
        ("max_tokens, max_completion_tokens: extra inputs are not permitted", 2),
    ],
)
def test_nothing_is_asked_without_a_limit(said: str, requests: int) -> None:
    with scripted(Reply({"error": {"message": said}}, 422)) as server, pytest.raises(Refused, match="max_tokens"):
        OPENAI.model(server.url).chat(ASK, 100_000)
    assert len(server.requests) == requests
    assert all({"max_tokens", "max_completion_tokens"} & request.keys() for request in server.requests)


def test_openai_itself_gets_the_new_name() -> None:
    request = OpenAICompatible("o3", None, "k").request(ASK, 9, stream=False, unwanted=frozenset())
    assert request["max_completion_tokens"] == 9 and "max_tokens" not in request


def test_a_stream_asks_for_usage_and_does_without() -> None:
    refused = Reply({"detail": "stream_options: not supported"}, 400)
    chunk: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": "好的"}, "finish_reason": "length"}]}
    with scripted(refused, Reply(events(chunk), kind="text/event-stream")) as server:
        *parts, done = OPENAI.model(server.url).stream(ASK, 9)
    counter = open_counter("o200k_base")
    assert parts == ["好的"]
    assert done == ("好的", counter.message(ASK[0]), counter.count("好的"), "length", 0), "counted here, then"
    assert [request.get("stream_options") for request in server.requests] == [{"include_usage": True}, None]


def test_an_answer_cut_at_its_limit_and_one_that_is_filtered() -> None:
    def answer(reason: str) -> Reply:
        choice = {"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": reason}
        return Reply(OPENAI.answer | {"choices": [choice]})

    with scripted(answer("length")) as server:
        assert OPENAI.model(server.url).chat(ASK, 9)[:4] == ("", 12, 3, "length")
    with scripted(answer("content_filter")) as server, pytest.raises(Declined, match="declined to answer"):
        OPENAI.model(server.url).chat(ASK, 9)


def test_an_error_that_comes_as_an_answer() -> None:
    late = Reply({"error": {"message": "Provider returned error", "code": 502}})
    slept: list[float] = []
    with scripted(late, Reply(OPENAI.answer)) as server:
        assert OPENAI.model(server.url, slept).chat(ASK, 9).text == "under the mat"
    assert slept == [1]
    broken = events({"error": {"message": "the server ran out of memory", "code": 500}})
    with (
        scripted(Reply(broken, kind="text/event-stream")) as server,
        pytest.raises(Unavailable, match="out of memory"),
    ):
        list(OPENAI.model(server.url).stream(ASK, 9))


def test_what_identifies_a_model_is_no_secret() -> None:
    model = OpenAICompatible("qwen", "http://ann:pass@host:8000/v1/?token=t", "k")
    assert model.who == "openai:qwen at http://host:8000/v1"
    assert model.fingerprint == f"{model.who} Settings(temperature=0.0, seed=None, window=None)"


@pytest.mark.parametrize("url", ["localhost:8000/v1", "http://", "http://host:port/v1", "ftp://host/v1", "v1"])
def test_an_endpoint_that_is_no_address(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"http://HOST:PORT/v1 in MNEMO_LLM_BASE_URL"):
        OpenAICompatible("m", url, None)


def test_the_window_is_the_tables_or_the_one_given() -> None:
    windows = [OpenAICompatible(m, None, None).window for m in ("gpt-4o-mini", "nobody", "nobody?window=4096")]
    assert windows == [128000, None, 4096]
