"""What users of such systems trip over (D1 to D6, D15, D16), as cases for every way of cutting."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.cut_report import cut_report
from mnemo_lab.registry import names
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.base import Truncation
from tests.base.test_units import listed
from tests.truncation.cuts import ALL, COUNTER, SERVICES, cost, cut, errors, kept, tokens_of

WAYS = (
    *(name for name in names("strategy") if isinstance(parse_strategy(name), Truncation) and name != "full"),
    "recent(low_water=0.5, note='en')",
    "recent(partial=True, note='zh')",
    "head_tail(head=0.2, note='en')",
    "tool_trim(keep_results=0, clear_inputs=True)",
    "tool_trim(keep_results=1, mode='elide', then='head_tail', note='zh')",
    "summary",
)
every = pytest.mark.parametrize("strategy", WAYS)
ORDER = [
    Message("system", "Be brief."), Message("user", "order 71?"),
    Message("assistant", "", tool_calls=(ToolCall("t1", "look", "{}"),)),
    Message("tool", "shipped", tool_call_id="t1"),
    Message("user", "thanks"), Message("assistant", "ok"),
]  # fmt: skip


def named(messages: list[Message]) -> list[Message]:
    return [replace(message, id=f"m{number}") for number, message in enumerate(messages)]


def test_d1_the_newest_three_messages_do_not_start_with_a_tool_result() -> None:
    """langchain#33245."""
    context = cut(ORDER, strategy="recent(keep_last_n=3)")
    assert [m.role for m in context.messages()] == ["system", "user", "assistant"]


@every
def test_d1_a_list_never_starts_with_a_tool_result(strategy: str) -> None:
    for tokens in range(0, tokens_of(ORDER) + 2, 2):
        context = cut(named(ORDER), tokens, strategy)
        assert errors(context) == []
        assert [m.role for m in context.messages()][1:2] != ["tool"]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_d1_whatever_the_number_of_messages(n: int) -> None:
    for tokens in range(80):
        assert errors(cut(ORDER, tokens, f"recent(keep_last_n={n})")) == []


@every
def test_d2_a_long_run_of_tools_never_becomes_a_placeholder(strategy: str) -> None:
    """langchain#39261: one goal, then thirty calls with results of 600 words; the newest is always there."""
    messages = [Message("user", "Find the slowest query.", "goal")]
    for i in range(30):
        messages.append(Message("assistant", "", f"a{i}", tool_calls=(ToolCall(f"c{i}", "run", "{}"),)))
        messages.append(Message("tool", f"row{i} " + "row " * 600, f"t{i}", tool_call_id=f"c{i}"))
    for tokens in (300, 2000):
        context = cut(messages, tokens, strategy)
        assert errors(context) == [] and context.tokens <= tokens
        if strategy != "random":
            assert {"a29", "t29"} <= {s.message_id for s in context.sources}
            assert context.tokens > 0.5 * tokens or strategy.startswith("tool_trim(keep_results=0")
    context = cut(messages, strategy="recent(keep_last_n=2)")
    assert [s.message_id for s in context.sources] == ["a29", "t29"]


@every
def test_d3_parallel_calls_are_never_parted(strategy: str) -> None:
    """semantic-kernel#12708: a cut between two results of one message."""
    script = "U A:1,2 T:1 T:2 A U A"
    for tokens in range(cost(script) + 1):
        context = cut(listed(script), tokens, strategy)
        assert errors(context) == []
        native = {m.id for m in context.messages()}
        assert ("m2" in native) == ("m3" in native) == ("m1" in native)


@every
def test_d4_the_system_prompt_stays(strategy: str) -> None:
    """semantic-kernel#12612: one beside the list, or leading messages in it; alone over the budget it is flagged."""
    rhyme, talk = "Answer in rhyme.", listed("S S " + "U A " * 6)
    for tokens in (0, 5, 30, 45, 80, ALL):
        context = cut(talk, tokens, strategy, prompt=rhyme)
        assert context.messages()[0] == Message("system", rhyme)
        if strategy != "random":
            assert [m.text for m in context.messages()[1:3]] == ["S", "S"]
        assert context.over_budget == (context.tokens > tokens)
        assert context.over_budget == any(item.code == "over_budget" for item in context.losses)
    assert cut(talk, 0, strategy, prompt=rhyme).over_budget


def test_d4_by_number_of_messages() -> None:
    talk = "U A " * 6
    assert kept(f"S S {talk}", strategy="recent(keep_last_n=4)") == "S S U A U A"
    assert kept(talk, strategy="recent(keep_last_n=4)", prompt="Answer in rhyme.") == "Answer in rhyme. U A U A"
    assert kept(f"S {talk}", cost("S U A")) == "S U A"
    assert kept(f"S {talk}", strategy="recent(keep_last_n=4, keep_system_prompt=False)", prompt="P") == "U A U A"
    assert kept("U A", 0, prompt="Answer in rhyme.") == "Answer in rhyme."


@every
def test_d5_a_pending_call_is_kept_or_dropped_whole(strategy: str) -> None:
    """openai-agents-python#2317: a history that ends in a call without its result yet, or with one of two."""
    for script in ("U A U A:9", "U A U A:8,9 T:8"):
        for tokens in range(cost(script) + 1):
            context = cut(listed(script), tokens, strategy)
            assert errors(context) == []
            assert not {m.id for m in context.messages()} & {"m3", "m4"} or context.messages()[-1].id in ("m3", "m4")
    assert kept("U A U A:9", cost("A:9")) == "A:9"


@every
def test_d6_call_arguments_are_paid_for(strategy: str) -> None:
    """llama_index#21950: 200 words of arguments do not fit into 50 tokens, and the report says where tokens go."""
    call = ToolCall("c", "run", '{"q": "' + "word " * 200 + '"}')
    messages = [Message("user", "hi", "u"), Message("assistant", None, "a", tool_calls=(call,))]
    context = cut(messages, 50, strategy)
    assert context.tokens <= 50
    report = cut_report(messages, context)
    assert report.before["tool_calls"] > 200 and report.before["assistant"] < 10
    assert report.tokens_before == tokens_of(messages) > 200


@every
def test_d15_many_long_user_messages_are_no_reason_to_stay_large(strategy: str) -> None:
    """openai/codex#45296, #35032: 190 user messages of 100 words; the report says who takes the room."""
    messages = []
    for number in range(190):
        messages.append(Message("user", f"Request {number}: " + "please " * 98, f"u{number}"))
        messages.append(Message("assistant", "Done.", f"a{number}"))
    context = cut(messages, 2000, strategy)
    report = cut_report(messages, context)
    assert context.tokens <= 2000 and not context.over_budget
    assert report.before["user"] > 0.9 * report.tokens_before > 15_000
    assert report.tokens_after == context.tokens
    assert report.after["user"] + report.after["assistant"] + report.after["notes"] + report.after["summary"] == (
        context.tokens
    )


def test_d15_the_low_mark_is_a_target() -> None:
    messages = [Message("user", f"Request {number}: " + "please " * 98, f"u{number}") for number in range(190)]
    after = [cut(messages[:count], 2000, "recent(low_water=0.4)").tokens for count in range(1, 191)]
    falls = [now for before, now in pairwise(after) if now < before]
    assert len(falls) >= 10 and all(600 < now <= 800 for now in falls), "down to 0.4 of 2,000, less than one message"


@every
def test_d16_cutting_leaves_the_original_alone(strategy: str, tmp_path: Path) -> None:
    """openai/codex#44363: what was observed is saved the same before and after, to the byte; a cut is only a view."""
    messages = named([*ORDER, *[replace(m, content="word " * 90) if m.role == "tool" else m for m in ORDER[1:]]])
    budget = Budget(60, COUNTER)
    memory = parse_strategy(strategy).start(SERVICES, "a", budget)
    memory.observe(messages)
    memory.save(tmp_path / "before")
    said = [memory.recall(Query("?"), Budget(tokens, COUNTER)).messages() for tokens in (60, 20, 400, 60)]
    memory.save(tmp_path / "after")
    assert said[0] == said[-1]
    files = sorted(path.name for path in (tmp_path / "before").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "after").iterdir())
    assert all((tmp_path / "before" / n).read_bytes() == (tmp_path / "after" / n).read_bytes() for n in files)
    again = parse_strategy(strategy).restore(tmp_path / "after", SERVICES)
    assert again.recall(Query("?"), budget).messages() == said[0]
