"""The seed's stories and the client's promises, over a real server on loopback through both vendors' SDKs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from mnemo_lab.agent import MemoryClient
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput, MnemoError
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.moments import Moments
from mnemo_lab.language_models.errors import ContextTooLong, LanguageModelError, Refused
from mnemo_lab.memory.long_term import MemorySettings
from mnemo_lab.memory.stores import open_store
from tests.agent.models import Answering, noted
from tests.agent.places import INSTRUCTIONS, SPEC, SYSTEM, VENDORS, openai_says, place, said_in, system_of
from tests.language_models.scripted import Reply, scripted
from tests.language_models.vendors import OPENAI, Vendor

CONVENTION: Final = {
    "en": ("Our API always responds with {code, data, message}.", "Write the endpoint for users of our API."),
    "zh": ("我们的接口统一返回 {code, data, message} 格式。", "帮我写一个查询用户的接口。"),
}


@VENDORS
@pytest.mark.parametrize("language", CONVENTION)
def test_the_response_convention_told_on_day_one_is_there_on_day_two(vendor: Vendor, language: str) -> None:
    told, question = CONVENTION[language]
    with place(vendor) as here:
        here.conversation("Hello!", told)
        system = here.asked(question)
    assert system.startswith(f"{SYSTEM}\n\n<memory>\n") and system.endswith(f"</memory>\n\n{INSTRUCTIONS}")
    assert "{code, data, message}" in system and "[2026-03-02" in system
    assert [role for role, _ in said_in(here.server.requests[-1])] == ["system", "user"]


@VENDORS
def test_three_masking_rules_are_recalled_at_turn_30_of_later_conversations(vendor: Vendor) -> None:
    chatter = [f"第{number}个问题：快速排序的复杂度是多少？" for number in range(27)]
    with place(vendor) as here:
        here.conversation("手机号、身份证、邮箱都要脱敏。", *chatter)
        with here.client() as client:
            client.chat("你好")
            client.chat("导出用户表的日志时，手机号和邮箱怎么写？")
            assert client.last is not None
            assert [item.value for item in client.last.injected] == ["手机号、身份证、邮箱都要脱敏"]
    assert len(here.server.requests) == 30
    assert "手机号、身份证、邮箱都要脱敏" in system_of(here.server.requests[-1])


def test_three_masking_rules_one_by_one_found_by_a_model() -> None:
    rules = ("手机号只显示后四位", "身份证号只显示前三位", "邮箱只显示首字母")
    facts = [
        {"message": number, "category": "project_fact", "subject": "项目", "attribute": "脱敏规则", "value": rule,
         "content": f"{rule}。", "additive": True}
        for number, rule in enumerate(rules, 1)
    ]  # fmt: skip
    found = openai_says(json.dumps({"facts": facts}, ensure_ascii=False))
    moments = MemorySettings(moments=Moments(every=0, signals=False))
    with place(OPENAI) as here, scripted(found) as cheap:
        given: dict[str, Any] = {"extractor": "model", "extractor_model": OPENAI.model(cheap.url, model="cheap")}
        here.conversation(*(f"{rule}。" for rule in rules), settings=moments, **given)
        here.conversation(*["快速排序的复杂度是多少？"] * 26, settings=moments)
        system = here.asked("日志里的手机号、身份证号和邮箱怎么显示？", settings=moments)
    assert all(rule in system for rule in rules) and len(here.server.requests) == 30
    assert [request["model"] for request in cheap.requests] == ["cheap"]


@VENDORS
@pytest.mark.parametrize(
    ("before", "now", "question", "former"),
    [
        ("我是后端工程师", "我现在是产品经理了", "我该怎么安排这周的工作？", "此前：后端工程师，到 2026-03-12 为止"),
        (
            "I'm a backend developer.",
            "I'm a product manager now.",
            "How do I plan my week?",
            "before: backend developer",
        ),
    ],
)
def test_the_new_role_beats_the_old_one(vendor: Vendor, before: str, now: str, question: str, former: str) -> None:
    with place(vendor) as here:
        here.conversation(before, days=10)
        here.conversation(now)
        system = here.asked(question)
    [line] = [line for line in system.splitlines() if line.startswith("- ")]
    assert ("产品经理" in line or "product manager" in line) and former in line


@VENDORS
@pytest.mark.parametrize(
    ("before", "now", "question", "former"),
    [
        (
            "We use JWT for authentication.",
            "We switched from JWT to OAuth.",
            "Which authentication do we use?",
            "before: JWT",
        ),
        ("我们用 JWT 做鉴权。", "鉴权方案从 JWT 改成 OAuth 了。", "鉴权用的是什么方案？", "此前：JWT"),
    ],
)
def test_oauth_comes_first_and_jwt_as_what_was_before(
    vendor: Vendor, before: str, now: str, question: str, former: str
) -> None:
    with place(vendor) as here:
        here.conversation(before, days=10)
        here.conversation(now)
        lines = [line for line in here.asked(question).splitlines() if line.startswith("- ")]
        items = here.store.items("anna")
    assert "OAuth" in lines[0] and former in lines[0] and len(lines) == 1
    assert [(item.value, item.status) for item in items] == [("JWT", "outdated"), ("OAuth", "active")]


@VENDORS
def test_the_end_hook_runs_also_when_a_chat_raised(vendor: Vendor) -> None:
    refusal = Reply({"error": {"message": "no such model"}}, status=404)
    quiet = MemorySettings(moments=Moments(every=0, signals=False))
    with place(vendor, Reply(vendor.answer), refusal) as here:
        with pytest.raises(Refused), here.client(settings=quiet) as client:
            client.chat("I'm a backend developer.")
            assert here.store.items("anna") == [] and client.last is not None and client.last.decided == ()
            client.chat("I live in Oslo.")
        [item] = here.store.items("anna")
    assert item.value == "backend developer", "and a turn that failed keeps nothing"
    assert client.ledger.table()[0]["failed"] == 1


class Raises:
    name = "raises"

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        raise RuntimeError("out of luck")


@VENDORS
def test_an_extractor_that_raises_breaks_nothing_and_is_listed(vendor: Vendor) -> None:
    with place(vendor) as here:
        with here.client(extractor=Raises()) as client:
            assert [client.chat("I'm a backend developer."), client.chat("Bye")] == ["under the mat"] * 2
        assert len(client.memory.failures) == 2 and "RuntimeError: out of luck" in client.memory.failures[0]
        assert here.store.items("anna") == []


@VENDORS
def test_a_model_that_cannot_extract_is_replaced_by_the_rules(vendor: Vendor) -> None:
    with place(vendor) as here, here.client(extractor="model") as client:
        client.chat("I'm a backend developer.")
        assert client.last is not None and [item.after[0].value for item in client.last.decided] == [
            "backend developer"
        ]
    answers, extraction = client.ledger.table(), client.extraction_ledger.table()
    assert [(row["path"], row["task"], row["calls"], row["fell_back"]) for row in answers] == [("read", "answer", 1, 0)]
    assert [(row["task"], row["calls"], row["fell_back"]) for row in extraction] == [("extract", 2, 1)]
    assert (answers[0]["input_tokens"], extraction[0]["input_tokens"]) == (12, 24)


@VENDORS
def test_namespaces_never_mix(vendor: Vendor) -> None:
    names = [f"user{number}" for number in range(4)]
    with place(vendor) as here:
        clients = [here.client(name) for name in names]
        for name, client in zip(names, clients, strict=True):
            client.chat(f"My name is Zed{name}. I prefer tea{name}.")
        for client in clients:
            client.end()
        start = len(here.server.requests)
        for client in clients:
            client.chat("What do I prefer to drink, and what is my name?")
    told = [system_of(request) for request in here.server.requests[start:]]
    for name, system in zip(names, told, strict=True):
        assert name in system and not any(other in system for other in names if other != name)


@VENDORS
def test_a_stream_comes_in_parts_and_is_kept_at_its_end(vendor: Vendor) -> None:
    with place(vendor, Reply(vendor.stream, kind="text/event-stream")) as here, here.client() as client:
        parts = client.stream("I'm a backend developer.")
        assert next(parts) == "under " and client.last is None
        with pytest.raises(MnemoError, match="still being read"):
            client.chat("And?")
        assert list(parts) == ["the mat"] and [item.value for item in here.store.items("anna")] == ["backend developer"]
        assert client.ledger.table()[0]["input_tokens"] == 12
        next(dropped := client.stream("I live in Oslo."))
        dropped.close()
        assert list(client.stream("Hello?")) == ["under ", "the mat"]
        assert client.last is not None and client.last.sent.recent == 1


@VENDORS
def test_a_stream_that_breaks_off_keeps_nothing(vendor: Vendor) -> None:
    with place(vendor, Reply(vendor.cut, kind="text/event-stream")) as here, here.client() as client:
        with pytest.raises(LanguageModelError):
            list(client.stream("I'm a backend developer."))
        assert client.last is None and client.ledger.table()[0]["failed"] == 1
        client.end()
        assert here.store.items("anna") == []


@VENDORS
def test_the_end_hook_runs_also_in_the_middle_of_a_stream(vendor: Vendor) -> None:
    quiet = MemorySettings(moments=Moments(every=0, signals=False))
    with place(vendor, Reply(vendor.stream, kind="text/event-stream")) as here:
        with pytest.raises(KeyboardInterrupt), here.client(settings=quiet) as client:
            list(client.stream("I'm a backend developer."))
            parts = client.stream("I live in Oslo.")
            next(parts)
            raise KeyboardInterrupt
        assert [item.value for item in here.store.items("anna")] == ["backend developer"] and list(parts) == []


@VENDORS
def test_turns_that_are_awaited_together_come_one_after_the_other(vendor: Vendor) -> None:
    async def talk(client: MemoryClient) -> list[str]:
        return await asyncio.gather(*(client.achat(f"Question {number}?") for number in range(4)))

    with place(vendor) as here, here.client() as client:
        assert asyncio.run(talk(client)) == ["under the mat"] * 4
        assert here.server.most_open == 1 and client.last is not None and client.last.sent.recent == 3


def test_a_prompt_that_is_too_long_is_sent_once_more_smaller() -> None:
    told = "This model's maximum context length is 1400 tokens."
    refusal = Reply({"error": {"message": told, "code": "context_length_exceeded"}}, status=400)
    replies = [Reply(OPENAI.answer)] * 4 + [refusal, Reply(OPENAI.answer)]
    with place(OPENAI, *replies) as here, here.client(answer_tokens=1000) as client:
        for number in range(4):
            client.chat(f"Question {number}: " + "word " * 100)
        assert client.chat("And now?") == "under the mat"
        assert client.last is not None and client.last.sent.total <= client.last.sent.budget == 380
        assert client.max_tokens == 380 and len(here.server.requests) == 6
    with place(OPENAI, refusal) as here, here.client() as client, pytest.raises(ContextTooLong):
        client.chat("word " * 3000)


def test_a_store_by_its_path_is_closed_and_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with place(OPENAI) as here:
        with here.client(store=path) as client:
            client.chat("I'm a backend developer.")
        client.close()
        with pytest.raises(MnemoError, match="'anna' is closed"):
            client.chat("Hello?")
        assert "backend developer" in here.asked("What am I?", store=path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"namespace": " "}, "the namespace is empty"),
        ({"recent": -1}, "recent=-1: must be 0 or more"),
        ({"max_tokens": 0}, "max_tokens=0: must be 1 or more"),
        ({"memory_tokens": -5}, "memory_tokens=-5"),
        ({"extractor": "guess"}, "guess"),
        ({"extractor_model": "openai:cheap"}, "use extractor='model' with it"),
    ],
)
def test_what_cannot_be_is_told_at_once(given: dict[str, Any], said: str) -> None:
    with place(OPENAI) as here, pytest.raises(MnemoError, match=said):
        here.client(**given)


def test_a_store_that_cannot_search_by_vector_is_told_of_at_once() -> None:
    with place(OPENAI) as here, pytest.raises(InvalidInput, match="embedder"):
        here.client(store=open_store(":memory:"))


def test_an_empty_message_is_refused_and_a_model_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MNEMO_LLM", raising=False)
    with place(OPENAI) as here:
        with here.client() as client, pytest.raises(InvalidInput, match="the message is empty"):
            client.chat("  ")
        with pytest.raises(InvalidInput, match="needs a language model"):
            MemoryClient(None, here.store, "anna", services=SPEC)
        assert str(MemoryClient("extractive", here.store, "anna", services=SPEC).chat("Hello there, I am here."))


def test_models_by_name_read_their_endpoint_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with place(OPENAI) as here:
        monkeypatch.setenv("MNEMO_LLM_BASE_URL", f"{here.server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
        here.conversation("I'm a backend developer.", language_model="openai:some-model")
        assert here.server.requests[-1]["model"] == "some-model"


def test_a_scripted_model_gets_what_a_server_gets() -> None:
    model = Answering(noted)
    with place(OPENAI) as here:
        here.conversation("I'm a backend developer.")
        with here.client(language_model=model) as client:
            assert client.chat("What am I?") == "Noted."
    assert [message.role for message in model.asked[0]] == ["system", "user"]
    assert "backend developer" in model.asked[0][0].text
