"""Cutting inside a unit: the long messages share alike, the short ones stay, nothing is split that belongs together."""

from __future__ import annotations

from dataclasses import replace

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Piece
from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.truncation.cutting import _shares, cut_pieces, cut_unit, shortened
from mnemo_lab.units import parse_units
from tests.base.test_units import listed
from tests.conversations import message_lists
from tests.truncation.cuts import COUNTER, SERVICES, cut, history_of, tokens_of

CHARACTERS = st.sampled_from(["👩‍👩‍👧‍👦", "🇫🇷", "e\u0301", "👍🏽", "部", "署", "。", "a", " ", "Word ", "\n", "5433"])


@pytest.mark.parametrize(
    ("costs", "room", "shares"),
    [
        ([10, 500, 800], 100, [10, 45, 45]),
        ([500, 10, 800], 101, [45, 10, 46]),
        ([20, 60, 800], 150, [20, 60, 70]),
        ([50, 50], 30, [15, 15]),
        ([5, 5], 100, [5, 5]),
        ([0, 9], 4, [0, 4]),
        ([7], 0, [0]),
        ([7], -1, None),
        ([], 3, []),
    ],
)
def test_shares_by_hand(costs: list[int], room: int, shares: list[int] | None) -> None:
    assert _shares(costs, room) == shares


@given(st.lists(st.integers(0, 50), max_size=6), st.integers(0, 200))
def test_shares_are_a_water_level(costs: list[int], room: int) -> None:
    """All below the level are whole, all others at it; the room is used but for what does not divide."""
    shares = _shares(costs, room)
    assert shares is not None
    assert sum(shares) <= room and all(share <= cost for share, cost in zip(shares, costs, strict=True))
    cut_ones = [share for share, cost in zip(shares, costs, strict=True) if share < cost]
    if cut_ones:
        assert max(shares) - min(cut_ones) <= 1 and sum(shares) == room
    else:
        assert shares == costs


def step(*results: str) -> list[Message]:
    calls = tuple(ToolCall(str(number), "run", '{"q": 1}') for number in range(len(results)))
    tools = [Message("tool", text, f"t{number}", tool_call_id=str(number)) for number, text in enumerate(results)]
    return [Message("assistant", "looking", "a", tool_calls=calls), *tools]


def cut_step(messages: list[Message], room: int) -> list[Piece]:
    (unit,) = parse_units(messages)
    return cut_unit(history_of(messages), unit, room, SERVICES)


def test_a_step_by_hand() -> None:
    messages = step("ok", "row " * 300, "line " * 500)
    frames = tokens_of([replace(message, content="") for message in messages])
    small = COUNTER.count("looking") + COUNTER.count("ok")
    pieces = cut_step(messages, frames + small + 81)
    texts = [piece.text for piece in pieces]
    assert texts[:2] == ["looking", "ok"]
    assert [COUNTER.count(text) <= limit for text, limit in zip(texts[2:], (40, 41), strict=True)] == [True, True]
    assert all(COUNTER.count(text) >= 36 for text in texts[2:]), "the room is used"
    assert [piece.elided is None for piece in pieces] == [True, True, False, False]
    assert [piece.message.tool_call_id for piece in pieces if piece.message] == [None, "0", "1", "2"]
    for piece, message in zip(pieces, messages, strict=True):
        assert piece.message is not None and piece.tokens == COUNTER.message(piece.message)
        (source,) = piece.sources
        assert source.message_id == message.id
        assert "".join(message.text[a:b] for a, b in source.spans) == regex.sub(r" \[….*?…\] ", "", piece.text)


def test_what_fits_stays_and_what_cannot_fit_goes() -> None:
    messages = step("ok", "row " * 300)
    assert [piece.message for piece in cut_step(messages, tokens_of(messages))] == messages
    assert cut_step(messages, tokens_of(messages) - 1)[2].elided is not None
    frames = tokens_of([replace(message, content="") for message in messages])
    assert cut_step(messages, frames - 1) == [] == cut_step(messages, frames)
    assert cut_step(messages, -5) == []
    stray = listed("T:9")
    assert cut_unit(history_of(stray), parse_units(stray)[0], 1000, SERVICES) == []


def test_what_was_shortened_before_is_not_shortened_again() -> None:
    first, second = step("row " * 300)[1], replace(step("line " * 300)[1], id="t1")
    short = shortened(history_of([first]).chat(0), 60, SERVICES)
    assert short is not None and short.elided is not None
    pieces = cut_pieces([short, history_of([second]).chat(0)], short.tokens + 50, SERVICES)
    assert pieces[0] is short and pieces[1].elided is not None and pieces[1].tokens <= 50
    assert cut_pieces([short], short.tokens - 1, SERVICES) == []


@settings(max_examples=100, deadline=None)
@given(message_lists(max_units=4), st.integers(0, 120))
def test_any_unit_is_whole_or_fits(messages: list[Message], room: int) -> None:
    history = history_of(messages)
    for unit in history.units:
        pieces = cut_unit(history, unit, room, SERVICES)
        before = [history.chat(position) for position in unit.positions]
        if sum(piece.tokens for piece in before) <= room:
            assert pieces == before
        elif pieces:
            assert sum(piece.tokens for piece in pieces) <= room
            assert [piece.message.id for piece in pieces if piece.message] == [
                p.message.id for p in before if p.message
            ]
            assert [p.message.tool_calls for p in pieces if p.message] == [
                p.message.tool_calls for p in before if p.message
            ]


@pytest.mark.parametrize("strategy", ["recent", "recent(partial=True)", "head_tail", "tool_trim", "recent(note='zh')"])
@settings(max_examples=40, deadline=None)
@given(text=st.lists(CHARACTERS, min_size=60, max_size=200).map("".join), tokens=st.integers(20, 90))
def test_no_character_is_ever_split(strategy: str, text: str, tokens: int) -> None:
    """Emoji sequences, flags, combining marks, Chinese characters: every span ends where a grapheme does."""
    context = cut([Message("user", text, "a"), Message("user", text, "b")], tokens, strategy)
    ends = {0, len(text), *(found.start() for found in regex.finditer(r"\X", text))}
    for source in context.sources:
        for span in source.spans:
            assert set(span) <= ends
