"""``tool_trim`` worked by hand: what is cleared, what never is, and what is dropped where that is not enough."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Context
from mnemo_lab.conversation import Attachment, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.tool_trim import ELIDED, ToolTrim
from tests.base.test_units import listed
from tests.conversations import message_lists
from tests.truncation.cuts import COUNTER, cut, errors, tokens_of

LONG = 200
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNwaDgAAAKEAYEml6crAAAAAElFTkSuQmCC"


def look(number: int, tool: str = "read", words: int = LONG) -> list[Message]:
    """One call with its result of so many tokens."""
    call = ToolCall(f"c{number}", tool, f'{{"path": "{"deep/" * 10}{number}.txt"}}')
    result = "w" + " w" * (words - 1)
    return [
        Message("assistant", "", f"a{number}", tool_calls=(call,)),
        Message("tool", result, f"t{number}", name=tool, tool_call_id=call.id),
    ]


def work(steps: int = 5, **more: str) -> list[Message]:
    """A task and so many calls, ``c1`` to ``cN``; another tool where ``more`` names one for a step."""
    made = [Message("user", "Find the slow query.", "task")]
    for number in range(1, steps + 1):
        made += look(number, more.get(f"c{number}", "read"))
    return made


def cleared(context: Context) -> list[str]:
    return [source.message_id for source in context.sources if not source.spans]


def sent(context: Context) -> list[str]:
    return [source.message_id for source in context.sources]


def test_old_results_are_cleared_only_where_the_history_does_not_fit() -> None:
    messages = work()
    total = tokens_of(messages)
    assert cut(messages, total, "tool_trim").messages() == messages
    context = cut(messages, total - 1, "tool_trim")
    assert cleared(context) == ["t1", "t2"], "the newest three stay"
    assert sent(context) == [message.id for message in messages], "nothing is dropped"
    assert [m.text for m in context.messages() if m.id in ("t1", "t2")] == ["[cleared: 200 tokens]"] * 2
    assert [m for m in context.messages() if m.id not in ("t1", "t2")] == [
        m for m in messages if m.id not in ("t1", "t2")
    ]
    assert [m.tool_call_id for m in context.messages() if m.role == "tool"] == ["c1", "c2", "c3", "c4", "c5"]
    saved = 2 * (LONG - COUNTER.count("[cleared: 200 tokens]"))
    assert context.tokens == total - saved
    assert [(item.code, item.message_id) for item in context.losses] == [("cleared", "t1"), ("cleared", "t2")]
    assert context.losses[0].sentence() == "an old tool result of 200 tokens was cleared"
    assert context.losses[0].sentence("zh") == "较早的工具结果（200 个词元）已清除"
    assert not context.over_budget and errors(context) == []


@pytest.mark.parametrize(("keep", "expected"), [(0, 5), (1, 4), (4, 1), (5, 0), (9, 0)])
def test_so_many_of_the_newest_stay(keep: int, expected: int) -> None:
    messages = work()
    context = cut(messages, tokens_of(messages) - 1, f"tool_trim(keep_results={keep})")
    assert cleared(context) == [f"t{n}" for n in range(1, expected + 1)]
    assert sent(context)[0] == ("task" if expected else "a1"), "nothing to clear: the oldest unit is dropped"


def test_parallel_results_count_one_by_one() -> None:
    messages = listed("U A:1,2 T:1 T:2 U A:3 T:3 A")
    messages = [replace(m, content="row " * 100) if m.role == "tool" else m for m in messages]
    context = cut(messages, tokens_of(messages) - 1, "tool_trim(keep_results=2)")
    assert cleared(context) == ["m2"] and errors(context) == []


def test_excluded_tools_are_never_touched() -> None:
    messages = work(c1="memory", c3="memory")
    few = tokens_of(messages) - 1
    assert cleared(cut(messages, few, "tool_trim(keep_results=1, exclude=('memory',))")) == ["t2", "t4"]
    unnamed = [replace(m, name=None) for m in messages]
    few = tokens_of(unnamed) - 1
    assert cleared(cut(unnamed, few, "tool_trim(keep_results=1, exclude=('memory',))")) == ["t2", "t4"], "by the call"
    assert cleared(cut(messages, few, "tool_trim(exclude=('memory', 'read'))")) == []


def test_clearing_that_is_not_worth_it_is_not_done() -> None:
    messages = work()
    few, saved = tokens_of(messages) - 1, 2 * (LONG - COUNTER.count("[cleared: 200 tokens]"))
    assert cleared(cut(messages, few, f"tool_trim(clear_at_least={saved})")) == ["t1", "t2"]
    context = cut(messages, few, f"tool_trim(clear_at_least={saved + 1})")
    assert cleared(context) == [] and sent(context) == [m.id for m in messages[1:]], "recent it is, then"
    short = [replace(m, content="ok") if m.role == "tool" else m for m in messages]
    assert cleared(cut(short, tokens_of(short) - 1, "tool_trim(keep_results=0)")) == [], "a marker would be longer"


def test_inputs_go_too_where_asked() -> None:
    messages = work()
    context = cut(messages, tokens_of(messages) - 1, "tool_trim(clear_inputs=True)")
    arguments = [m.tool_calls[0].arguments for m in context.messages() if m.tool_calls]
    assert arguments[:2] == ["{}", "{}"] and arguments[2:] == [m.tool_calls[0].arguments for m in messages[5::2]]
    assert [m.tool_calls[0].id for m in context.messages() if m.tool_calls] == ["c1", "c2", "c3", "c4", "c5"]
    (first, *_) = [piece for piece in context.pieces if piece.sources[0].message_id == "a1"]
    assert first.message is not None and first.tokens == COUNTER.message(first.message)
    assert first.elided == (COUNTER.message(messages[1]) - first.tokens, COUNTER.message(messages[1]))
    assert [(item.code, item.message_id) for item in context.losses] == [
        ("elided", "a1"), ("cleared", "t1"), ("elided", "a2"), ("cleared", "t2")
    ]  # fmt: skip
    two = (ToolCall("x", "read", '{"path": "a/b/c/d.txt"}'), ToolCall("y", "memory", '{"path": "e/f/g/h.txt"}'))
    step = [Message("assistant", "", "a", tool_calls=two)]
    step += [Message("tool", "row " * 100, call.id, tool_call_id=call.id) for call in two]
    strategy = "tool_trim(keep_results=0, exclude=('memory',), clear_inputs=True)"
    context = cut([*step, Message("user", "?", "u")], 200, strategy)
    assert [call.arguments for call in context.messages()[0].tool_calls] == ["{}", two[1].arguments]


def test_eliding_keeps_both_ends() -> None:
    messages = work()
    text = "FIRST " + "w " * 300 + "LAST"
    messages[2] = replace(messages[2], content=text)
    context = cut(messages, tokens_of(messages) - 1, "tool_trim(mode='elide')")
    old = [piece for piece in context.pieces if piece.elided]
    assert [piece.sources[0].message_id for piece in old] == ["t1", "t2"] and cleared(context) == []
    assert old[0].text.startswith("FIRST") and old[0].text.endswith("LAST")
    assert all(ELIDED - 8 <= COUNTER.count(piece.text) <= ELIDED for piece in old)
    assert all(text[a:b] in old[0].text for a, b in old[0].sources[0].spans)
    small = work()
    small[2] = replace(small[2], content="w " * (ELIDED - 2))
    found = cut(small, tokens_of(small) - 1, "tool_trim(mode='elide')")
    assert [piece.sources[0].message_id for piece in found.pieces if piece.elided] == ["t2"], (
        "what is short stays whole"
    )


def test_what_still_does_not_fit_is_dropped() -> None:
    messages = [*work(6), Message("user", "And now?", "now")]
    room = tokens_of(messages[7:]) + COUNTER.message(messages[0])
    oldest = cut(messages, room, "tool_trim(keep_results=3)")
    assert sent(oldest)[-7:] == ["a4", "t4", "a5", "t5", "a6", "t6", "now"]
    assert "task" not in sent(oldest) and oldest.drop_code == "older"
    middle = cut(messages, room, "tool_trim(keep_results=3, then='head_tail')")
    assert sent(middle)[0] == "task" and sent(middle)[-1] == "now" and middle.drop_code == "middle"
    assert errors(oldest) == errors(middle) == []


def test_images_go_with_what_is_cleared() -> None:
    messages = work()
    image = Attachment("image", "image/png", data=PIXEL)
    messages[2] = replace(messages[2], content="the plan", attachments=(image,))
    context = cut(messages, tokens_of(messages) - 1, "tool_trim")
    (shown,) = [m for m in context.messages() if m.id == "t1"]
    assert shown.attachments == () and shown.text == f"[cleared: {255 + 2} tokens]"


def test_the_language_of_markers_and_notes() -> None:
    messages = work(8)
    context = cut(messages, 900, "tool_trim(note='zh')")
    assert "[已清除：200 个词元]" in context.text
    small = cut(messages, 450, "tool_trim(note='zh', keep_results=2)")
    assert small.text.startswith("[省略了 ") and errors(small) == []


def test_the_beginning_stays_the_same_from_the_first_clearing_on() -> None:
    """One new result clears one old one: what stands before it is what it was."""
    messages = work(12)
    budget = tokens_of(messages[:13]) - 1
    shown = [cut(messages[: 1 + 2 * n], budget, "tool_trim").messages() for n in range(6, 10)]
    for number, (before, now) in enumerate(pairwise(shown)):
        same = 1 + 2 * (3 + number) + 1
        assert now[:same] == before[:same] and now[same] != before[same]


def test_settings_that_cannot_be() -> None:
    with pytest.raises(InvalidInput, match=r"tool_trim\(keep_results=-1\): must be 0 or more"):
        ToolTrim(keep_results=-1)
    with pytest.raises(InvalidInput, match=r"tool_trim\(clear_at_least=-5\): must be 0 or more"):
        ToolTrim(clear_at_least=-5)
    with pytest.raises(InvalidInput, match="one of 'clear', 'elide'"):
        parse_strategy("tool_trim(mode='drop')")
    with pytest.raises(InvalidInput, match="'search' is not of type tuple"):
        parse_strategy("tool_trim(exclude='search')")


@settings(max_examples=150, deadline=None)
@given(
    message_lists(), st.integers(0, 250), st.integers(0, 3), st.sampled_from(["clear", "elide"]),
    st.sampled_from(["recent", "head_tail"]), st.booleans(),
)  # fmt: skip
def test_pairs_stay_and_the_newest_are_untouched(
    messages: list[Message], tokens: int, keep: int, mode: str, then: str, inputs: bool
) -> None:
    long = [replace(m, content=f"{m.text} " * 6) if m.role == "tool" else m for m in messages]
    strategy = f"tool_trim(keep_results={keep}, mode={mode!r}, then={then!r}, clear_inputs={inputs})"
    context = cut(long, tokens, strategy)
    assert errors(context) == [] and not context.over_budget
    by_id = {message.id: message for message in long}
    results = [message.id for message in long if message.role == "tool"]
    newest = set(results[max(len(results) - keep, 0) :])
    last_step = {message.id for message in long[-3:]}
    for message in context.messages():
        original = by_id[message.id]
        if message != original:
            assert message.role in ("tool", "assistant") or message.id in last_step or then == "head_tail"
            assert message.id not in newest or message.id in last_step, "only what is cut to fit at all"
        assert (message.role, message.name, message.tool_call_id) == (
            original.role, original.name, original.tool_call_id
        )  # fmt: skip
        assert [(call.id, call.name) for call in message.tool_calls] == [(c.id, c.name) for c in original.tool_calls]
    everything = tokens_of(long) <= tokens
    assert (context.messages() == long) == everything
