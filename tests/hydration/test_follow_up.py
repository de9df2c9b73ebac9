"""Questions that lean on what was just said, and how they are searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.hydration.follow_up import LONGEST, REWRITE, TASK, is_follow_up, retrieval_query
from mnemo_lab.hydration.strategies.hydrate import Hydrate
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import LanguageModelError, NotRecorded, Unavailable
from mnemo_lab.ledger import Work
from mnemo_lab.services import Services, ServicesSpec
from tests.hydration.talks import history_of


@pytest.mark.parametrize(
    "text",
    [
        "what about that budget?", "How about Tuesday?", "And what about Gina?", "And the audience?", "But why?",
        "So how much?", "Why?", "since when?", "How much?", "which one?", "Anything else?", "What did it cost?",
        "How much does it cost?", "Did she agree?", "Where did they meet?", "Who gave him that?", "Is that final?",
        "那预算呢？", "预算呢", "那个多少钱？", "那里的天气怎么样？", "那天是谁来的？", "它有多大？", "她后来去了吗？",
        "他们同意了吗？", "这个什么时候上线？", "这是谁说的？", "刚才说的是哪天？", "为什么呢？", "为什么？",
        "还有呢？", "还有什么？", "那么它呢？",
    ],
)  # fmt: skip
def test_follow_ups(text: str) -> None:
    assert is_follow_up(text)


@pytest.mark.parametrize(
    "text",
    [
        "When did Gina get her tattoo?", "What do Melanie's family give her?", "What does Caroline's drawing symbolize "
        "for her?", "Which port does the staging database use?", "So when did Gina open her online clothing store?",
        "What did Caroline say about the book that Melanie read to her on Friday?", "How many rows are there?",
        "Why did the migration fail in March?", "Where is Oslo?",
        "Can you list the order in which I brought up things?",
        "换掉主键的那个迁移叫什么？", "发布会定在哪天？", "谁是发布会的负责人呢？", "预算是多少呢？",
        "这个月的预算是多少？",
        "这周二我们定了什么？", "这次发布会的场地在哪？", "那么主键换成了什么？", "小林把它写在哪个文件里？", "",
    ],
)  # fmt: skip
def test_questions_that_stand_alone(text: str) -> None:
    assert not is_follow_up(text)


class Scripted:
    """One answer, or an error that is raised; keeps what it was asked."""

    name = fingerprint = "local:scripted"
    window = None

    def __init__(self, answer: str | Exception) -> None:
        self.answer, self.asked = answer, list[Sequence[Message]]()

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        assert max_tokens == LONGEST
        self.asked.append(messages)
        if isinstance(self.answer, Exception):
            raise self.answer
        return Completion(self.answer, 50, 7)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        yield self.chat(messages, max_tokens)


TALK = [
    Message("user", "The launch budget is 720,000 yuan.", "m0"),
    Message("assistant", "Noted.", "m1"),
    Message("tool", "{}", "m2"),
    Message("user", "We expect 300 guests.", "m3"),
    Message("assistant", "Good.", "m4"),
    Message("user", " ", "m5"),
]
ASKED = Query("And what about the budget?", "2026-04-01", "Ann")


def searched(query: Query, model: Scripted | None = None, follow_up: bool = True) -> tuple[Query, Services]:
    services = ServicesSpec(embedder="hashing", cache="").open(model)
    services.ledger.path = "read"
    return retrieval_query(query, history_of(TALK, services), services, follow_up, model is not None), services


def test_searched_with_the_last_message_of_the_user() -> None:
    found, services = searched(ASKED)
    assert found == Query("We expect 300 guests.\nAnd what about the budget?", "2026-04-01", "Ann")
    assert not services.ledger.usage
    assert searched(ASKED, follow_up=False)[0] is ASKED
    assert searched(Query("Which port does staging use?"))[0].text.startswith("Which")
    services = ServicesSpec(embedder="hashing", cache="").open()
    assert retrieval_query(ASKED, history_of([], services), services, True, True) is ASKED


def test_rewritten_by_the_model_at_a_cost() -> None:
    model = Scripted("<think>They mean the launch.</think>  What is the launch budget?\n")
    found, services = searched(ASKED, model)
    assert found == Query("What is the launch budget?", "2026-04-01", "Ann")
    (shown,) = model.asked
    assert [(m.role, m.text) for m in shown] == [
        ("system", REWRITE["en"]),
        *[(m.role, m.text) for m in TALK if m.role != "tool" and m.text.strip()],
        ("user", ASKED.text),
    ]
    used = services.ledger.usage[Work("read", "local:scripted", TASK)]
    assert (used.calls, used.input_tokens, used.output_tokens, used.failed, used.fell_back) == (1, 50, 7, 0, 0)
    assert services.ledger.total("read") == 57


def test_a_chinese_question_is_asked_for_in_chinese() -> None:
    model = Scripted("发布会的预算是多少？")
    assert searched(Query("那预算呢？"), model)[0].text == "发布会的预算是多少？"
    assert model.asked[0][0].text == REWRITE["zh"]


@pytest.mark.parametrize(
    ("answer", "calls", "failed"), [("", 1, 0), (" \n", 1, 0), ("<think>They mean", 1, 0), (Unavailable("down"), 0, 1)]
)
def test_it_falls_back_to_the_last_message(answer: str | LanguageModelError, calls: int, failed: int) -> None:
    found, services = searched(ASKED, Scripted(answer))
    assert found.text == "We expect 300 guests.\nAnd what about the budget?"
    used = services.ledger.usage[Work("read", "local:scripted", TASK)]
    assert (used.calls, used.failed, used.fell_back) == (calls, failed, 1)


def test_a_question_that_stands_alone_costs_nothing() -> None:
    model = Scripted("never")
    assert searched(Query("Which port does the staging database use?"), model)[1].ledger.usage == {}
    assert model.asked == []


def test_what_is_no_failed_request_is_raised() -> None:
    with pytest.raises(NotRecorded, match="not on tape"):
        searched(ASKED, Scripted(NotRecorded("not on tape")))


@pytest.mark.parametrize("strategy", [Hydrate(rewrite=True), Hydrate(rewrite=True, rerank=3, mmr=0.3)])
def test_a_recall_asks_once_and_finds_by_the_rewritten_question(strategy: Hydrate) -> None:
    model = Scripted("What is the launch budget in yuan?")
    services = ServicesSpec(embedder="hashing", cache="").open(model)
    memory = strategy.start(services, "a")
    memory.begin(ConversationInfo("c"))
    memory.observe(TALK)
    services.ledger.path = "read"
    for amount in (200, 400):
        context = memory.recall(ASKED, Budget(amount, services.counter))
    assert len(model.asked) == 1 and context.candidates is not None and context.candidates.ranking[0] == 0
    assert services.ledger.usage[Work("read", "local:scripted", TASK)].calls == 1
