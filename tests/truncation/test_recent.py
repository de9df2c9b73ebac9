"""``recent`` worked by hand, and D1 to D6 of the demands as cases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.recent import Recent
from mnemo_lab.units import validate_messages
from tests.base.messages import new_services
from tests.base.test_units import listed
from tests.conversations import message_lists

SERVICES = new_services()
ALL = 10**6


def cut(messages: list[Message], tokens: int = ALL, strategy: str = "recent", prompt: str | None = None) -> Context:
    memory = parse_strategy(strategy).start(SERVICES, "a")
    memory.begin(ConversationInfo("c", system_prompt=prompt))
    memory.observe(messages)
    context = memory.recall(Query("?"), Budget(tokens, SERVICES.counter))
    assert context.tokens == context.recount()
    return context


def kept(script: str, tokens: int = ALL, strategy: str = "recent", prompt: str | None = None) -> str:
    return " ".join(message.text for message in cut(listed(script), tokens, strategy, prompt).messages())


def cost(script: str) -> int:
    return sum(SERVICES.message_tokens(message) for message in listed(script))


def errors(context: Context) -> list[str]:
    return [item.code for item in validate_messages(context.messages()) if item.severity == "error"]


def test_keeps_the_newest_and_drops_the_oldest_first() -> None:
    script = "U A U A U A"
    assert kept(script, cost(script)) == script
    assert kept(script, cost(script) - 1) == "A U A U A"
    assert kept(script, cost("U A")) == "U A"
    assert kept(script, cost("A") - 1) == ""


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7])
def test_keep_last_n(n: int) -> None:
    script = "U A U A U A"
    assert kept(script, strategy=f"recent(keep_last_n={n})") == " ".join(script.split()[-n:])
    assert kept(script, cost("U A"), f"recent(keep_last_n={n})") == " ".join(script.split()[-min(n, 2) :])


def test_keep_last_n_counts_messages_but_keeps_steps_whole() -> None:
    script = "U A:1,2 T:1 T:2 U"
    assert kept(script, strategy="recent(keep_last_n=3)") == "U"
    assert kept(script, strategy="recent(keep_last_n=4)") == "A:1,2 T:1 T:2 U"
    assert kept("U A:1,2 T:1 T:2", strategy="recent(keep_last_n=1)") == "A:1,2 T:1 T:2", "the newest unit is whole"
    with pytest.raises(InvalidInput, match=r"recent\(keep_last_n=0\): must be 1 or more, or None"):
        Recent(keep_last_n=0)


def test_d1_a_list_never_starts_with_a_tool_result() -> None:
    """langchain#33245."""
    messages = [
        Message("system", "Be brief."), Message("user", "order 71?"),
        Message("assistant", "", tool_calls=(ToolCall("t1", "look", "{}"),)),
        Message("tool", "shipped", tool_call_id="t1"),
        Message("user", "thanks"), Message("assistant", "ok"),
    ]  # fmt: skip
    context = cut(messages, strategy="recent(keep_last_n=3)")
    assert [m.role for m in context.messages()] == ["system", "user", "assistant"]
    for tokens in range(80):
        for n in (None, 1, 2, 3, 4, 5):
            assert errors(cut(messages, tokens, f"recent(keep_last_n={n})")) == []


def test_d3_parallel_calls_are_never_parted() -> None:
    """semantic-kernel#12708: a cut between two results of one message."""
    script = "U A:1,2 T:1 T:2 A U A"
    for tokens in range(cost(script) + 1):
        assert errors(cut(listed(script), tokens)) == []


def test_d4_the_system_prompt_stays() -> None:
    """semantic-kernel#12612: one beside the list, or leading messages in it."""
    talk = "U A " * 6
    assert kept(f"S S {talk}", strategy="recent(keep_last_n=4)") == "S S U A U A"
    assert kept(talk, strategy="recent(keep_last_n=4)", prompt="Answer in rhyme.") == "Answer in rhyme. U A U A"
    assert kept(f"S {talk}", cost("S U A")) == "S U A"
    assert kept(f"S {talk}", strategy="recent(keep_last_n=4, keep_system_prompt=False)", prompt="P") == "U A U A"
    assert kept("U A", 0, prompt="Answer in rhyme.") == "Answer in rhyme."
    assert cut(listed("U A"), 0, prompt="Answer in rhyme.").over_budget
    assert cut(listed("S S U A"), cost("S")).over_budget


def test_d5_a_pending_call_is_kept_or_dropped_whole() -> None:
    """openai-agents-python#2317: a history that ends in a call without its result yet."""
    script = "U A U A:9"
    assert kept(script, cost("A:9")) == "A:9"
    for tokens in range(cost(script) + 1):
        assert errors(cut(listed(script), tokens)) == []


def test_d2_one_goal_and_thirty_long_steps() -> None:
    """langchain#39261: history must not become a placeholder."""
    messages = [Message("user", "Find the slowest query.", "goal")]
    for i in range(30):
        messages.append(Message("assistant", "", f"a{i}", tool_calls=(ToolCall(f"c{i}", "run", "{}"),)))
        messages.append(Message("tool", "row " * 600, f"t{i}", tool_call_id=f"c{i}"))
    context = cut(messages, strategy="recent(keep_last_n=2)")
    assert [s.message_id for s in context.sources] == ["a29", "t29"]
    small = cut(messages, 300)
    assert [s.message_id for s in small.sources] == ["a29", "t29"]
    assert 280 <= small.tokens <= 300 and "row row" in small.text


def test_d6_call_arguments_are_paid_for() -> None:
    """llama_index#21950: 200 words of arguments do not fit into 50 tokens."""
    call = ToolCall("c", "run", '{"q": "' + "word " * 200 + '"}')
    context = cut([Message("user", "hi", "u"), Message("assistant", None, "a", tool_calls=(call,))], 50)
    assert context.tokens <= 50
    assert cut([Message("assistant", None, "a", tool_calls=(call,))]).tokens > 200


def test_a_single_oversized_message_is_cut_inside() -> None:
    text = "first " + "word " * 400 + "last"
    context = cut([Message("user", "old"), Message("user", text, "big")], 60)
    assert 50 <= context.tokens <= 60
    (source,) = context.sources
    assert source.message_id == "big"
    assert source.spans[0][0] == 0 and source.spans[-1][1] == len(text)
    assert all(text[a:b] in context.text for a, b in source.spans)
    assert cut([Message("user", text, "big")], 60, "recent(cut_oversized=False)").pieces == ()
    assert cut([Message("user", text, "big")], 8).pieces == ()


def test_an_oversized_step_is_cut_in_all_its_long_results() -> None:
    """Two results of which neither fits alone must not end in sending nothing."""
    calls = (ToolCall("1", "run"), ToolCall("2", "run"), ToolCall("3", "run"))
    tools = [("1", "row " * 500), ("2", "line " * 800), ("3", "ok")]
    messages = [Message("assistant", "", "a", tool_calls=calls)]
    messages += [Message("tool", text, f"t{i}", tool_call_id=i) for i, text in tools]
    whole = SERVICES.message_tokens(messages[0]) + SERVICES.message_tokens(messages[3])
    context = cut(messages, whole + 150)
    assert [s.message_id for s in context.sources] == ["a", "t1", "t2", "t3"]
    assert whole + 120 <= context.tokens <= whole + 150
    assert context.messages()[-1].content == "ok", "the short result stays whole"
    first, second = (SERVICES.counter.count(context.messages()[i].text) for i in (1, 2))
    assert abs(first - second) <= 6, "the long ones share alike"
    assert errors(context) == []
    assert cut(messages, whole + 10).pieces == ()


def test_arguments_that_cannot_be_cut_leave_the_rest_to_the_result() -> None:
    call = ToolCall("1", "run", '{"q": "' + "word " * 300 + '"}')
    messages = [Message("assistant", "", "a", tool_calls=(call,)), Message("tool", "row " * 400, "t", tool_call_id="1")]
    tokens = SERVICES.message_tokens(messages[0]) + 60
    context = cut(messages, tokens)
    assert [s.message_id for s in context.sources] == ["a", "t"] and context.tokens <= tokens


def test_a_late_result_never_leads() -> None:
    """Also where the list was broken before: a result whose call is gone is not sent first, whole or cut."""
    script = "A:1 U T:1 U A"
    for tokens in range(cost(script)):
        roles = [m.role for m in cut(listed(script), tokens).messages()]
        assert roles[:1] != ["tool"]
    late = [*listed("A:1 U"), Message("tool", "row " * 500, "t", tool_call_id="1")]
    assert [m.role for m in cut(late, 60).messages()] == ["assistant", "user"], "an orphan costs the rest nothing"
    assert cut([*listed("A:1 U"), Message("tool", "row", "t", tool_call_id="1")], cost("U") - 1).pieces == ()


@settings(max_examples=120, deadline=None)
@given(message_lists(), st.integers(0, 250), st.none() | st.integers(1, 6))
def test_what_is_kept_is_the_longest_tail_that_fits(messages: list[Message], tokens: int, n: int | None) -> None:
    context = cut(messages, tokens, f"recent(keep_last_n={n}, cut_oversized=False)")
    sent = [m.id for m in context.messages()]
    assert sent == [m.id for m in messages][len(messages) - len(sent) :]
    tails = [messages[i:] for i in range(len(messages)) if messages[i].role != "tool"]
    fitting = [t for t in tails if sum(map(SERVICES.message_tokens, t)) <= tokens and (n is None or len(t) <= n)]
    longest = max(map(len, fitting), default=0)
    assert len(sent) == longest or (n is not None and sent == [m.id for m in tails[-1]])
