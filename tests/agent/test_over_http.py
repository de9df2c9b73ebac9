"""The real way: an OpenAI-compatible server on loopback, through the vendor's SDK."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mnemo_lab.language_models.errors import BrokenAnswer, ContextTooLong
from tests.agent.models import new_agent
from tests.language_models.scripted import Reply, scripted
from tests.language_models.vendors import ANTHROPIC, OPENAI, Vendor

TOO_LONG = {
    "error": {"message": "This model's maximum context length is 1300 tokens.", "code": "context_length_exceeded"}
}


def streamed(vendor: Vendor) -> Reply:
    return Reply(vendor.stream, kind="text/event-stream")


@pytest.mark.parametrize("vendor", [OPENAI, ANTHROPIC], ids=lambda vendor: vendor.name)
def test_an_answer_in_parts_with_the_vendors_own_usage(tmp_path: Path, vendor: Vendor) -> None:
    with scripted(streamed(vendor)) as server, new_agent(tmp_path, vendor.model(server.url), recent=0) as agent:
        assert list(agent.stream("Where is the key?")) == ["under ", "the mat"]
        turn = agent.chat("Where was the key?")
        assert turn.completion[1:] == (12, 3, "stop", 8) and str(turn) == "under the mat"
        (row,) = agent.ledger.table()
        assert (row["calls"], row["input_tokens"], row["output_tokens"], row["cached_tokens"]) == (2, 24, 6, 16)
    sent = server.requests[1]["messages"]
    assert len(sent) == 1 and "user: Where is the key?" in str(sent) and "assistant: under the mat" in str(sent)


def test_a_prompt_that_is_too_long_is_sent_once_more_smaller(tmp_path: Path) -> None:
    refusal = Reply(TOO_LONG, status=400)
    with scripted(*[streamed(OPENAI)] * 3, refusal, streamed(OPENAI)) as server:
        model = OPENAI.model(server.url)
        with new_agent(tmp_path, model, max_tokens=4000, answer_tokens=1000) as agent:
            for number in range(3):
                agent.chat(f"fact {number}: " + "word " * 200)
            turn = agent.chat("Which fact?")
            assert turn.number == 4 and turn.sent.total <= turn.sent.budget == int((1300 - 1000) * 0.95)
            assert agent.chat("And now?").sent.budget == 285, "it is not tried again with more"
    sizes = [len(str(request["messages"])) for request in server.requests]
    assert len(sizes) == 6 and sizes[4] < sizes[3] / 2


def test_it_is_not_tried_a_third_time(tmp_path: Path) -> None:
    refusal = Reply(TOO_LONG, status=400)
    with scripted(streamed(OPENAI), refusal) as server, new_agent(tmp_path, OPENAI.model(server.url)) as agent:
        agent.chat("word " * 200)
        for requests in (3, 5):
            with pytest.raises(ContextTooLong):
                agent.chat("And now?")
            assert len(server.requests) == requests and agent.turns == 1 and agent.max_tokens == 4096
        agent.new_conversation()
        with pytest.raises(ContextTooLong):
            agent.chat("word " * 900)
        assert len(server.requests) == 6, "a question that does not fit alone is not sent again"


def test_an_answer_that_breaks_off_is_not_kept(tmp_path: Path) -> None:
    cut = Reply(OPENAI.cut, kind="text/event-stream")
    with scripted(cut) as server, new_agent(tmp_path, OPENAI.model(server.url)) as agent:
        parts = agent.stream("Where is the key?")
        assert next(parts) == "under "
        with pytest.raises(BrokenAnswer):
            next(parts)
        assert agent.turns == 0


def test_eight_sessions_over_one_server(tmp_path: Path) -> None:
    def talk(number: int) -> None:
        model = OPENAI.model(server.url, model=f"m{number}")
        with new_agent(tmp_path, model, "hydrate(trigger='every(n=2)')", session=f"s{number}") as agent:
            for turn in range(4):
                agent.chat(f"secret{number}x of turn {turn}")

    with scripted(streamed(OPENAI)) as server, ThreadPoolExecutor(8) as pool:
        list(pool.map(talk, range(8)))
    told: dict[str, list[Any]] = {}
    for request in server.requests:
        told.setdefault(request["model"], []).append(str(request["messages"]))
    assert len(told) == 8
    for model, prompts in told.items():
        own = f"secret{model[1:]}x"
        assert len(prompts) == 4 and all(own in text and text.count("secret") == text.count(own) for text in prompts)
