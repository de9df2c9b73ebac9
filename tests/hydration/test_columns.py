"""What is known of messages before any question, and what a question asks of it."""

from __future__ import annotations

import pytest

from mnemo_lab.context import Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.history import History
from mnemo_lab.hydration.columns import Columns
from mnemo_lab.packing.lines import undated_line
from tests.base.messages import new_services

SERVICES = new_services()
CHAT = [
    Message("user", "Which database should I take?", "m0", "2026-03-02T10:00:00Z"),
    Message("assistant", "I suggest Postgres.", "m1", "2026-03-02T10:01:00Z"),
    Message("tool", "ok", "m2", "2026-03-02T10:02:00Z", "run", tool_call_id="c"),
    Message("user", "好的，就用它。", "m3"),
]
FRIENDS = [
    Message("user", "How was the race, Jon?", "m0", "2026-03-02T10:00:00Z", "Gina"),
    Message("assistant", "Great! Did you watch it? [image: a finish line]", "m1", "2026-03-02T10:01:00Z", "Jon"),
    Message("user", "Yes, on TV.", "m2", "2026-03-02T10:02:00Z", "Gina"),
    Message("user", "Shall we run together?", "m3", "2026-03-02T10:03:00Z", "Gina"),
    Message("user", "I mean next week.", "m4", "2026-03-02T10:04:00Z", "Gina"),
    Message("assistant", "今天跑吗？", "m5", "2026-03-03T10:00:00Z", "小林"),
    Message("assistant", "行。", "m6", "2026-03-03T10:01:00Z", "Jon"),
]


def columns(*talks: list[Message], chunk: int = 99) -> Columns:
    history, found = History(SERVICES), Columns(SERVICES)
    for talk in talks:
        history.begin(ConversationInfo(f"c{len(history)}"))
        for start in range(0, len(talk), chunk):
            first = len(history)
            history.extend(talk[start : start + chunk])
            found.add(history, first)
    return found


@pytest.mark.parametrize("chunk", [1, 3, 99])
def test_columns(chunk: int) -> None:
    found = columns(FRIENDS, chunk=chunk)
    assert len(found) == 7
    assert found.array("tokens").tolist() == [SERVICES.count(undated_line(m)) for m in FRIENDS]
    assert found.array("asks").tolist() == [1, 1, 0, 1, 0, 1, 0]
    assert found.array("answers").tolist() == [0, 1, 1, 0, 0, 0, 1], "after another's question: not one's own"
    assert found.array("user").tolist() == [0] * 7, "people with names are no users of an assistant"


def test_no_answer_across_sessions() -> None:
    assert columns(FRIENDS[:1], FRIENDS[1:2]).array("answers").tolist() == [0, 0]
    later = Message("assistant", "Great!", "m1", "2026-03-02T20:00:00Z", "Jon")
    assert columns([FRIENDS[0], later]).array("answers").tolist() == [0, 0]


def test_in_a_chat_with_an_assistant_only_the_user_counts() -> None:
    found = columns(CHAT)
    assert found.array("user").tolist() == [1, 0, 0, 1]
    assert found.array("asks").tolist() == found.array("answers").tolist() == [0, 0, 0, 0]
    assert found.array("day").tolist() == [739677, 739677, 739677, -1]


@pytest.mark.parametrize(
    "text",
    [
        "What did you recommend for staging?", "Which databases have you listed?", "the plan you suggested",
        "What was your advice on ids?", "What you've said about ids", "What did the assistant say?",
        "你之前推荐了哪个库？",
        "您说过用什么主键？", "你给我列的步骤有哪些？", "你当时是怎么解释的？", "助手的建议是什么？", "你建议的方案",
    ],
)  # fmt: skip
def test_a_question_about_what_the_assistant_said_counts_for_nobody(text: str) -> None:
    assert columns(CHAT).asker(Query(text)).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "text",
    [
        "Which database do I use?", "Can you list the order in which I brought up ids?",
        "What steps would you suggest I take?", "Can you give me a clear summary of my project?",
        "Could you explain how I set it up?", "我用的是哪个数据库？", "请你列出我提到的库",
        "你能给我总结一下我的项目吗？", "请你说说我用的库", "Where is your office?",
    ],
)  # fmt: skip
def test_any_other_question_counts_for_the_user(text: str) -> None:
    assert columns(CHAT).asker(Query(text)).tolist() == [1, 0, 0, 1]
    assert columns(FRIENDS).asker(Query(text)).tolist() == [0] * 7


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("What does Gina's dog eat?", [0, 2, 3, 4]),
        ("when did JON run", [1, 6]),
        ("小林什么时候跑步？", [5]),
        ("Do Gina and Jon run?", []),
        ("Who likes ginations?", []),
        ("Who runs?", []),
    ],
)
def test_speaker(text: str, flagged: list[int]) -> None:
    flags = columns(FRIENDS).speaker(Query(text)).tolist()
    assert [at for at, flag in enumerate(flags) if flag] == flagged and len(flags) == 7
    assert not columns(CHAT).speaker(Query("What did the user say?")).any(), "a role is no name"


@pytest.mark.parametrize(
    ("text", "asked_at", "days"),
    [
        ("What did we decide last Tuesday?", "2026-03-12", ["2026-03-10"]),
        ("What did we decide last Tuesday?", "2026-03-10", ["2026-03-03"]),
        ("上个月我们定了什么？", "2026-04-05", ["2026-03-03", "2026-03-10", "2026-03-31"]),
        ("上个月我们定了什么？", "2026-03-31", ["2026-02-28"]),
        ("Between 3 and 10 March or on 2026-03-31?", "2026-04-05", ["2026-03-10", "2026-03-31"]),
        ("What did we decide yesterday?", None, []),
        ("What did we decide?", "2026-03-04", []),
        ("What will we do tomorrow?", "2026-03-09", []),
    ],
)
def test_dated(text: str, asked_at: str | None, days: list[str]) -> None:
    written = ["2026-02-28", "2026-03-03", "2026-03-10", "2026-03-31", ""]
    talk = [Message("user", "x", f"m{i}", f"{day}T23:30:00Z" if day else None) for i, day in enumerate(written)]
    flags = columns(talk).dated(Query(text, asked_at)).tolist()
    assert [day for day, flag in zip(written, flags, strict=True) if flag] == days


def test_nothing_observed() -> None:
    found, query = columns([]), Query("What did Gina say last Tuesday?", "2026-03-12")
    assert [len(flags) for flags in (found.asker(query), found.speaker(query), found.dated(query))] == [0, 0, 0]
