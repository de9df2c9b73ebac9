"""Choice by hand, and against a choice that counts everything afresh after every step."""

from __future__ import annotations

import random
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Piece
from mnemo_lab.conversation import Message
from mnemo_lab.history import History
from mnemo_lab.truncation.choice import Choice, leading_systems
from mnemo_lab.truncation.notes import Note, note_cost
from tests.base.test_units import listed
from tests.conversations import message_lists
from tests.truncation.cuts import COUNTER, SERVICES, cost, history_of, sized

GAP = note_cost("en", SERVICES)
WAYS: dict[Note, tuple[Note, ...]] = {"off": ("off",), "en": ("en", "off"), "zh": ("zh", "off")}


def choice(history: History, tokens: int, **settings: object) -> Choice:
    return Choice(history, Budget(tokens, COUNTER), SERVICES, **settings)  # type: ignore[arg-type]


def taken(chosen: Choice) -> list[int]:
    return [index for index in range(len(chosen.units)) if index in chosen]


def texts(chosen: Choice) -> list[str]:
    return [piece.text for piece in chosen.pieces()]


def test_what_is_protected() -> None:
    history = history_of(listed("S S U A U A"), prompt="Be brief.")
    assert leading_systems(history) == 2
    room = COUNTER.message(Message("system", "Be brief.")) + cost("S S")
    chosen = choice(history, room + cost("A") + 3)
    assert (chosen.head, chosen.whole, chosen.room, taken(chosen)) == (2, cost("A") + 3, 3, [0, 1, 5])
    assert texts(choice(history, 0)) == ["S", "S"], "an overrun is for whoever closes the context to flag"
    assert choice(history, 0, note="en").pieces() == choice(history, 0).pieces(), "and no note is added to it"
    assert taken(choice(history, 1000, keep_newest=False)) == [0, 1]
    assert choice(history_of([]), 100).pieces() == []
    only = choice(history_of(listed("S S")), 100, note="en")
    assert (only.pieces() == [only.history.chat(0), only.history.chat(1)]) and only.room == 100 - cost("S S")


def test_the_newest_that_can_be_sent_comes_first() -> None:
    history = history_of(listed("U A:1 T:1 U T:9"))
    assert taken(choice(history, cost("U"))) == [2], "a stray result is not the newest unit"
    assert taken(choice(history, cost("U") - 1)) == []
    big = history_of([*sized(10), Message("user", "word " * 200, "big")])
    assert [piece.elided is None for piece in choice(big, 60).pieces()] == [False]
    assert choice(big, 60, cut_oversized=False).pieces() == []
    assert choice(big, 60, keep_newest=False).pieces() == []


def test_a_note_never_costs_the_newest_unit() -> None:
    """30 tokens for the newest: with a note beside it, only where there is room for one."""
    history = history_of(sized(20, 30))
    assert texts(choice(history, 30, note="en")) == [history.chat(1).text]
    assert texts(choice(history, 30 + GAP - 1, note="en")) == [history.chat(1).text]
    assert texts(choice(history, 30 + GAP, note="en")) == ["[1 message omitted]", history.chat(1).text]
    big = history_of([*sized(20), Message("user", "word " * 200, "big")])
    with_note = choice(big, 60, note="zh").pieces()
    assert with_note[0].text == "[省略了 1 条消息]" and with_note[1].elided is not None
    smallest = next(n for n in range(100) if choice(big, n).pieces())
    assert [piece.elided is not None for piece in choice(big, smallest, note="zh").pieces()] == [True]


def test_what_notes_take_is_counted_by_gap() -> None:
    """A unit of 200 tokens that never fits, and six of 10; the newest stands, one gap before it is reserved."""
    history = history_of(sized(200, *[10] * 6))
    chosen = choice(history, 100, note="en")
    assert chosen.whole - chosen.room == 10 + GAP
    chosen.add(3)
    assert chosen.whole - chosen.room == 20 + 2 * GAP, "0 1 2 [3] 4 5 [6]: one gap became two"
    chosen.add(2)
    assert chosen.whole - chosen.room == 30 + 2 * GAP, "one got shorter"
    assert texts(chosen)[0] == texts(chosen)[3] == "[2 messages omitted]"
    chosen.add(4)
    chosen.add(5)
    assert chosen.whole - chosen.room == 50 + GAP, "and one closed"
    tight = choice(history, 60 + GAP, note="en")
    tight.add(2)
    assert (tight.fill([4, 5, 3]), tight.room) == (30 - GAP, 10), "a unit that closes a gap brings its note's room back"
    fits = choice(history_of(sized(*[10] * 6)), 60, note="en")
    assert fits.fill(range(6)) == 50 and len(fits.pieces()) == 6, "where all fits, no note stands in the way"


def test_filling() -> None:
    history = history_of(sized(10, 50, 10, 50, 10, 10))
    passed = choice(history, 45)
    assert passed.fill(range(4, -1, -1)) == 30 and taken(passed) == [0, 2, 4, 5], "what does not fit is passed over"
    stopped = choice(history, 45)
    assert stopped.fill(range(4, -1, -1), stop=True) == 10 and taken(stopped) == [4, 5]
    limited = choice(history, 1000)
    assert limited.fill(range(6), limit=65) == 60 and taken(limited) == [0, 1, 5]
    assert limited.fill(range(6), limit=65) == 60 and taken(limited) == [0, 1, 2, 3, 5], "its own tokens, not all"
    assert limited.fill([], limit=5) == 0 and limited.fill(range(6), limit=0) == 0
    part = choice(history_of([*sized(10), Message("user", "word " * 100, "m1"), *sized(10, 10, start=2)]), 70)
    assert part.fill(range(2, -1, -1), partial=True) <= 60 and taken(part) == [1, 2, 3], "which ends it"
    assert part.room < 6 and not part.add(0)
    assert part.add_part(1) and not part.add_part(0)


def test_a_part_within_a_limit() -> None:
    history = history_of([Message("user", "word " * 100, "m0"), *sized(10, 10, start=1)])
    chosen = choice(history, 1000)
    assert chosen.add_part(0, limit=50)
    assert 40 <= chosen.pieces()[0].tokens <= 50
    assert not choice(history, 1000).add_part(0, limit=3)


def test_shorter_pieces_stand_for_messages() -> None:
    history = history_of(sized(50, 10))
    short = Piece("short", 7, (), Message("user", "short"))
    chosen = choice(history, 17, instead={0: short})
    assert (chosen.cost(0), chosen.cost(1)) == (7, 10)
    assert chosen.add(0) and chosen.pieces() == [short, history.chat(1)]


def counted(history: History, chosen: set[int], note: Note) -> int:
    """What a choice takes, with every gap's note at its longest: from scratch."""
    units = history.units
    head = leading_systems(history)
    costs = sum(history.chat(p).tokens for i in chosen if i >= head for p in units[i].positions)
    gaps = sum(1 for missing, _ in groupby(i not in chosen for i in range(len(units))) if missing)
    return costs + gaps * note_cost(note, SERVICES)


@pytest.mark.parametrize("note", ["off", "en", "zh"])
@settings(max_examples=150, deadline=None)
@given(message_lists(), st.integers(0, 300), st.integers(0, 2**16), st.sampled_from(["", "S", "S S"]), st.booleans())
def test_against_a_choice_that_counts_afresh(
    note: Note, messages: list[Message], tokens: int, seed: int, head: str, newest: bool
) -> None:
    history = history_of([*listed(head), *messages])
    order = list(range(len(history.units)))
    random.Random(seed).shuffle(order)
    chosen = choice(history, tokens, note=note, cut_oversized=False, keep_newest=newest)
    systems = leading_systems(history)
    expected, said = set(range(systems)), note
    if counted(history, set(order), "off") <= chosen.whole:
        said = note = "off"
    last = len(history.units) - 1
    if newest and last >= systems:
        way = next((way for way in WAYS[note] if counted(history, {*expected, last}, way) <= chosen.whole), None)
        if way is not None:
            expected.add(last)
            said = way
    if counted(history, expected, said) > chosen.whole:
        said = "off"
    for index in order:
        if counted(history, {*expected, index}, said) <= chosen.whole:
            expected.add(index)
    chosen.fill(order)
    assert taken(chosen) == sorted(expected)
    pieces = chosen.pieces()
    sent = sum(piece.tokens for piece in pieces) - cost(head)
    assert sent <= counted(history, expected, said) and chosen.whole - chosen.room == counted(history, expected, said)
    assert sent <= max(chosen.whole, 0)
    omitted = [piece for piece in pieces if not piece.sources]
    if said != "off" and len(expected) > systems:
        assert sum(int("".join(filter(str.isdigit, piece.text))) for piece in omitted) + sum(
            len(piece.sources) for piece in pieces
        ) == len(history)
    else:
        assert omitted == []
