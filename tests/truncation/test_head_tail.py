"""``head_tail`` worked by hand, and what it must be for any conversation and budget."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.head_tail import HeadTail
from mnemo_lab.truncation.notes import note_cost
from tests.base.test_units import listed
from tests.conversations import message_lists
from tests.truncation.cuts import COUNTER, SERVICES, cost, cut, errors, history_of, kept, sized


def ids(messages: list[Message], tokens: int, strategy: str = "head_tail", prompt: str | None = None) -> list[str]:
    return [source.message_id for source in cut(messages, tokens, strategy, prompt).sources]


def test_halves_by_hand() -> None:
    ten = sized(*[10] * 10)
    assert ids(ten, 60) == ["m0", "m1", "m2", "m7", "m8", "m9"]
    assert ids(ten, 69) == ["m0", "m1", "m2", "m7", "m8", "m9"]
    assert ids(ten, 70) == ["m0", "m1", "m2", "m6", "m7", "m8", "m9"], "the head's half of the odd ten goes to the tail"
    assert ids(ten, 100) == [f"m{i}" for i in range(10)]
    assert ids(ten, 10) == ["m9"] and ids(ten, 9) == []


@pytest.mark.parametrize(("head", "first"), [(0.0, 0), (0.2, 1), (0.25, 1), (0.5, 3), (0.84, 5), (1.0, 5)])
def test_the_share_of_the_head(head: float, first: int) -> None:
    """60 tokens for units of ten; the newest always stands."""
    expected = [f"m{i}" for i in range(first)] + [f"m{i}" for i in range(4 + first, 10)]
    assert ids(sized(*[10] * 10), 60, f"head_tail(head={head})") == expected


def test_what_one_side_leaves_free_goes_to_the_other() -> None:
    assert ids(sized(10, 90, 10, 10, 10, 10, 10), 80) == ["m0", "m2", "m3", "m4", "m5", "m6"], "the head's to the tail"
    assert ids(sized(10, 10, 10, 10, 10, 90, 10), 80) == ["m0", "m1", "m2", "m3", "m4", "m6"], "the tail's to the head"
    assert ids(sized(10, 10, 90, 10, 90, 10, 10), 60) == ["m0", "m1", "m5", "m6"], "no hole but the one"


def test_what_is_protected_is_not_shared() -> None:
    room = COUNTER.message(Message("system", "Be brief.")) + cost("S")
    script = "S U A U A U A U A"
    assert kept(script, room + cost("U A U A"), "head_tail", "Be brief.") == "Be brief. S U A U A"
    assert kept(script, 0, "head_tail", "Be brief.") == "Be brief. S"
    assert cut(sized(10), 5, "head_tail", "Be brief.").over_budget


def test_steps_stay_whole_and_strays_are_never_sent() -> None:
    script = "U A:1,2 T:1 T:2 U A T:9 U A:3 T:3 A"
    for tokens in range(cost(script) + 1):
        for head in (0.2, 0.5, 0.9):
            context = cut(listed(script), tokens, f"head_tail(head={head})")
            assert errors(context) == [] and "T:9" not in context.text
    assert kept(f"T:8 {script}", cost("U A"), "head_tail") == "U A", "a stray result at the beginning costs nothing"


def test_a_first_message_that_its_share_does_not_hold_is_cut_inside() -> None:
    task = Message("user", "TASK " + "word " * 300 + "END", "task")
    messages = [task, *sized(*[10] * 20, start=1)]
    context = cut(messages, 200)
    assert context.pieces[0].sources[0].message_id != "task", "recent drops it"
    context = cut(messages, 200, "head_tail")
    first = context.pieces[0]
    assert first.text.startswith("TASK") and first.text.endswith("END") and 85 <= first.tokens <= 100
    assert context.tokens > 190, "the rest of the room is the tail's"
    whole = cut(messages, COUNTER.message(task) + 30, "head_tail(head=0.9)")
    assert whole.messages() == [task, *messages[-3:]], "whole where the tail leaves it the room"
    assert ids(messages, 200, "head_tail(cut_oversized=False)") == [f"m{i}" for i in range(1, 21)]
    assert ids(messages, 200, "head_tail(head=0.0)") == [f"m{i}" for i in range(1, 21)]


def test_the_note_stands_in_the_middle() -> None:
    ten, gap = sized(*[10] * 10), note_cost("en", SERVICES)
    context = cut(ten, 60 + gap, "head_tail(note='en')")
    assert [piece.text for piece in context.pieces if not piece.sources] == ["[4 messages omitted]"]
    assert [bool(piece.sources) for piece in context.pieces] == [True] * 3 + [False] + [True] * 3
    assert context.tokens == 60 + COUNTER.message(Message("user", "[4 messages omitted]"))
    assert "[省略了 4 条消息]" in cut(ten, 60 + note_cost("zh", SERVICES), "head_tail(note='zh')").text
    assert len(cut(ten, 100, "head_tail(note='en')").pieces) == 10, "nothing is omitted, nothing is said"


def test_settings_that_cannot_be() -> None:
    for head in (-0.1, 1.5):
        with pytest.raises(InvalidInput, match=r"head_tail\(head=-?\d\.\d\): must be a share of the room from 0 to 1"):
            HeadTail(head=head)
    with pytest.raises(InvalidInput, match="one of 'off', 'en', 'zh'"):
        parse_strategy("head_tail(note='de')")
    assert parse_strategy("head_tail(head=1)") == HeadTail(head=1.0)


def longest(costs: list[int], room: int) -> int:
    """How many of the first fit."""
    return max(n for n in range(len(costs) + 1) if n == 0 or sum(costs[:n]) <= room)


@settings(max_examples=200, deadline=None)
@given(message_lists(), st.integers(0, 250), st.sampled_from([0.1, 0.3, 0.5, 0.7, 1.0]))
def test_against_running_sums(messages: list[Message], whole: int, head: float) -> None:
    """The newest; a beginning within its share; an end in what that leaves; a longer beginning in the rest."""
    sent = set(ids(messages, whole, f"head_tail(head={head}, cut_oversized=False)"))
    units = history_of(messages).units
    costs = [sum(COUNTER.message(messages[p]) for p in unit.positions) for unit in units]
    newest = costs[-1] if costs[-1] <= whole else 0
    share = int(whole * head)
    front = longest(costs[:-1], min(share, whole - newest))
    back = longest(costs[front:][::-1], whole - sum(costs[:front])) if newest else 0
    front = max(front, longest(costs[: len(costs) - max(back, 1)], whole - sum(costs[len(costs) - back :])))
    if share <= 0:
        front = 0
    expected = [*units[:front], *units[len(units) - back :]]
    assert sent == {messages[p].id for unit in expected for p in unit.positions}


@settings(max_examples=150, deadline=None)
@given(message_lists(), st.integers(0, 250), st.sampled_from(["off", "en", "zh"]), st.booleans())
def test_without_a_head_it_is_recent(messages: list[Message], tokens: int, note: str, oversized: bool) -> None:
    more = f"note={note!r}, cut_oversized={oversized}"
    assert (
        cut(messages, tokens, f"head_tail(head=0.0, {more})").messages()
        == cut(messages, tokens, f"recent({more})").messages()
    )
