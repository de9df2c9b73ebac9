"""``recent`` worked by hand: what is kept, where it is cut, water marks, notes and parts."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.cut_report import cached_prefix
from mnemo_lab.errors import InvalidInput
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.notes import note_cost
from mnemo_lab.truncation.recent import Recent
from tests.base.test_units import listed
from tests.conversations import message_lists
from tests.truncation.cuts import COUNTER, SERVICES, cost, cut, errors, kept, said, sized, tokens_of


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


def starts(strategy: str, budget: int, messages: list[Message], prompt: str | None = None) -> list[int]:
    """The first message sent, by number, after each message has come."""
    found = []
    for count in range(1, len(messages) + 1):
        sources = list(cut(messages[:count], budget, strategy, prompt).sources)
        found.append(int(sources[0].message_id[1:]) if sources else -1)
    return found


def test_low_water_by_hand() -> None:
    """Units of ten, a budget of 60: the seventh outgrows it, and three stay; three more fit; the eleventh does not."""
    ten = sized(*[10] * 14)
    assert starts("recent(low_water=0.5)", 60, ten) == [0] * 6 + [4] * 4 + [8] * 4
    assert starts("recent", 60, ten) == [0] * 6 + list(range(1, 9)), "without marks it moves every time"
    assert starts("recent(low_water=1.0)", 60, ten) == starts("recent", 60, ten)
    assert starts("recent(low_water=0.0)", 60, ten) == [0] * 6 + [6] * 6 + [12] * 2, "the newest unit always stays"


def test_low_water_counts_units_of_any_size() -> None:
    """A budget of 100, cut to 50: a unit above the low mark stays alone; one above the budget is cut and passed."""
    messages = sized(30, 30, 30, 30, 20, 60, 10, 10, 10, 10, 10)
    assert starts("recent(low_water=0.5)", 100, messages) == [0, 0, 0, 3, 3, 5, 5, 5, 5, 5, 6]
    big = [*sized(10, 10), Message("user", "word " * 300, "m2"), *sized(10, 10, 10, start=3)]
    assert starts("recent(low_water=0.5)", 100, big) == [0, 0, 2, 3, 3, 3]


def test_low_water_beside_what_is_protected() -> None:
    """The share is of the room that the prompt and leading system messages leave."""
    prompt, ten = "Be brief.", sized(*[10] * 14)
    fixed = COUNTER.message(Message("system", prompt))
    assert starts("recent(low_water=0.5)", 60 + fixed, ten, prompt) == starts("recent(low_water=0.5)", 60, ten)
    messages = [*sized(20, role="system"), *sized(*[10] * 14, start=1)]
    context = cut(messages[:8], 80, "recent(low_water=0.5)")
    assert [s.message_id for s in context.sources] == ["m0", "m5", "m6", "m7"]
    assert cut(messages, 5, "recent(low_water=0.5)").over_budget


def test_a_step_that_grows_moves_no_cut() -> None:
    """Three parallel results arrive one by one; the first makes the history outgrow its budget, the next two fit."""
    calls = tuple(ToolCall(i, "run") for i in "123")
    step = [Message("assistant", "", "m4", tool_calls=calls)]
    step += [Message("tool", "x", f"m{4 + int(i)}", tool_call_id=i) for i in "123"]
    messages = [*sized(20, 20, 20, 20), *step, *sized(5, start=8)]
    size, each = COUNTER.message(step[0]), COUNTER.message(step[1])
    budget = 80 + size + each - 1
    low = (20 + size + each) / budget
    assert starts(f"recent(low_water={low})", budget, messages) == [0, 0, 0, 0, 0, 3, 3, 3, 3]


@settings(max_examples=150, deadline=None)
@given(
    message_lists(max_units=12), st.integers(20, 200), st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]),
    st.sampled_from(["off", "en", "zh"]),
)  # fmt: skip
def test_between_cuts_the_beginning_stays_the_same(messages: list[Message], budget: int, low: float, note: str) -> None:
    """As long as the history since the last cut fits, what was sent is the beginning of what is sent, to the byte."""
    shown = [cut(messages[:n], budget, f"recent(low_water={low}, note={note!r})") for n in range(1, len(messages) + 1)]
    for (before, now), message in zip(pairwise(shown), messages[1:], strict=True):
        if any(piece.elided for piece in (*before.pieces, *now.pieces)) or not before.pieces:
            continue
        same = now.messages()[: len(before.pieces)] == before.messages()
        if same:
            assert now.messages()[-1] == message and len(now.pieces) == len(before.pieces) + 1
            assert cached_prefix(before, now) == before.tokens
        else:
            assert before.tokens + COUNTER.message(message) + note_cost(note, SERVICES) > budget, "no cut without need"  # type: ignore[arg-type]
            if note == "off" and message.role != "tool" and len(now.pieces) > 1:
                assert now.tokens <= low * budget, "down to the low mark"


def test_marks_make_fewer_cuts() -> None:
    """400 messages of 5 to 40 tokens at 1,000: with a low mark of half, a cut every 25 messages or so, not at each."""
    generator = random.Random(1)
    messages = sized(*(generator.randrange(5, 40) for _ in range(400)))
    moves = {
        low: sum(a != b for a, b in pairwise(starts(f"recent(low_water={low})", 1000, messages)))
        for low in (None, 0.9, 0.5)
    }
    assert moves[None] > 250 and 50 < moves[0.9] < 90 and 10 <= moves[0.5] <= 16


def test_settings_that_cannot_be() -> None:
    for low in (-0.1, 1.1):
        with pytest.raises(
            InvalidInput, match=r"recent\(low_water=-?\d.\d\): must be a share of the budget from 0 to 1"
        ):
            Recent(low_water=low)
    with pytest.raises(InvalidInput, match="keep_last_n=4 moves the cut with every message, low_water leaves it"):
        parse_strategy("recent(keep_last_n=4, low_water=0.5)")
    with pytest.raises(InvalidInput, match="partial=True moves the cut"):
        parse_strategy("recent(partial=True, low_water=0.5)")


def test_a_part_of_the_oldest() -> None:
    text = "FIRST " + "word " * 100 + "LAST"
    messages = [*sized(10), Message("user", text, "m1"), *sized(10, 10, start=2)]
    assert said(cut(messages, 70)) == said(cut(messages[2:], 70))
    context = cut(messages, 70, "recent(partial=True)")
    first = context.pieces[0]
    assert [s.message_id for s in context.sources] == ["m1", "m2", "m3"] and 65 <= context.tokens <= 70
    assert first.text.startswith("FIRST") and first.text.endswith("LAST") and first.elided is not None
    assert cut(messages, 25, "recent(partial=True)").messages() == messages[2:], "no room for a part"
    assert cut(messages, 10**4, "recent(partial=True)").messages() == messages
    step = [*sized(10), *listed("A:1 T:1")[:1], Message("tool", text, "t", tool_call_id="1"), *sized(10, start=5)]
    partial = cut(step, 80, "recent(partial=True)")
    assert [m.role for m in partial.messages()] == ["assistant", "tool", "user"] and errors(partial) == []
    assert cut(step, 80, "recent(partial=True, keep_last_n=1)").messages() == step[-1:]


@pytest.mark.parametrize(("note", "text"), [("en", "[4 messages omitted]"), ("zh", "[省略了 4 条消息]")])
def test_the_note_by_hand(note: str, text: str) -> None:
    ten, most = sized(*[10] * 6), note_cost(note, SERVICES)  # type: ignore[arg-type]
    context = cut(ten, 20 + most, f"recent(note={note!r})")
    assert [m.text for m in context.messages()] == [text, ten[4].text, ten[5].text]
    assert context.messages()[0].role == "user" and context.pieces[0].sources == ()
    assert context.tokens == 20 + COUNTER.message(Message("user", text)) <= 20 + most, "it is paid for"
    assert len(cut(ten, 20 + most - 1, f"recent(note={note!r})").messages()) == 2, "reserved at its longest"
    assert cut(ten, 60, f"recent(note={note!r})").messages() == ten, "nothing omitted, nothing said"


def test_where_the_note_stands_and_when_it_goes() -> None:
    messages = [*sized(10, role="system"), *sized(10, 10, 10, 10, start=1)]
    context = cut(messages, 50, "recent(note='en')", "Be brief.")
    assert [m.text for m in context.messages()][1:3] == [messages[0].text, "[2 messages omitted]"]
    assert cut(messages, 20, "recent(note='en')").messages() == [messages[0], messages[4]], "rather the newest"
    assert cut(messages, 12, "recent(note='en')").messages() == messages[:1], "no note alone"
    assert "[1 message omitted]" in cut(sized(30, 10), 25, "recent(note='en')").text
    part = cut(
        [*sized(10), Message("user", "word " * 100, "m1"), *sized(10, start=2)], 70, "recent(partial=True, note='en')"
    )
    assert part.pieces[0].text == "[1 message omitted]" and part.pieces[1].elided is not None and part.tokens <= 70
    last = cut(
        [*sized(10), Message("user", "word " * 100, "m1"), *sized(10, start=2)], 30, "recent(keep_last_n=1, note='en')"
    )
    assert last.text.startswith("[2 messages omitted]")


def test_nothing_fits_is_said() -> None:
    context = cut(sized(10), 9, "recent(cut_oversized=False)")
    assert context.pieces == () and [item.code for item in context.losses] == ["nothing_fits"]
    assert context.losses[0].sentence().startswith("not even the newest message fits 9 tokens; nothing was sent")
    assert cut([], 9).losses == () and cut(listed("T:9"), 9).losses == (), "a stray result could not be sent anyway"
    assert cut(sized(10), 10).losses == ()


def test_the_budget_of_tokens_is_used() -> None:
    messages = sized(*[10] * 50)
    assert tokens_of(cut(messages, 333).messages()) == 330
