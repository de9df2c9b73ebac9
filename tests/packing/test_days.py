"""Sheets under headings of days: what they cost is what they count."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Piece
from mnemo_lab.packing.days import NO_DAY, Sheet, heading
from tests.base.messages import new_services

SERVICES = new_services()
DAYS = ("", "2026-03-02", "2026-03-03")
TEXTS = ("user: hello\n", "Ann: 预算是七十二万。\n", "(summary of 2 messages: tea)\n", "user: a\n\n  b  \n", ":: \n")


def piece(text: str) -> Piece:
    return Piece(text, SERVICES.count(text))


def sheet(*placed: tuple[float, str, str], rank: dict[float, int] | None = None) -> Sheet:
    found = Sheet(SERVICES, rank)
    for place, day, text in placed:
        found.put(place, day, piece(text))
    return found


def text_of(found: Sheet) -> str:
    return "".join(piece.text for piece in found.pieces())


def test_a_heading_stands_where_the_day_changes() -> None:
    found = sheet((2, "2026-03-03", "c\n"), (0, "2026-03-02", "a\n"), (1, "2026-03-02", "b\n"))
    assert text_of(found) == "[2026-03-02]\na\nb\n[2026-03-03]\nc\n"
    assert [piece.text for piece in found.pieces()] == ["[2026-03-02]\na\n", "b\n", "[2026-03-03]\nc\n"]
    assert 1 in found and 7 not in found and len(found) == 3


def test_undated_behind_dated_is_told_apart() -> None:
    assert text_of(sheet((0, "", "a\n"), (1, "2026-03-02", "b\n"), (2, "", "c\n"))) == (
        "a\n[2026-03-02]\nb\n[----]\nc\n"
    )
    assert heading(None, "") == heading("", "") == "" and heading("2026-03-02", "") == f"[{NO_DAY}]\n"


def test_a_day_in_between_pays_for_its_own_and_the_next_heading() -> None:
    head = SERVICES.count("[2026-03-02]\n")
    assert head == SERVICES.count("[2026-03-03]\n")
    found = sheet((0, "2026-03-02", "a\n"), (2, "2026-03-02", "c\n"))
    assert found.cost(1, "2026-03-02", 5) == 5, "inside its day"
    assert found.cost(1, "2026-03-03", 5) == 5 + 2 * head, "its own heading, and that of the piece behind it"
    assert found.cost(3, "2026-03-03", 5) == found.cost(-1, "2026-03-03", 5) == 5 + head
    assert found.cost(3, "", 5) == 5 + SERVICES.count("[----]\n")
    assert found.cost(-1, "", 5) == 5, "undated lines before dated ones need no heading"


def test_dropping_gives_back_what_the_sheet_gets_shorter_by() -> None:
    found = sheet((0, "2026-03-02", "a\n"), (1, "2026-03-03", "bb\n"), (2, "2026-03-02", "c\n"))
    before = SERVICES.count(text_of(found))
    freed = found.drop(1)
    assert text_of(found) == "[2026-03-02]\na\nc\n" and freed == before - SERVICES.count(text_of(found))
    assert 1 not in found and len(found) == 2


def test_best_last_puts_a_date_over_every_piece() -> None:
    rank = {0.0: 0, 1.0: 2, 2.0: 1}
    placed = [(0, "2026-03-02", "a\n"), (1, "2026-03-02", "b\n"), (2, "", "c\n"), (3, "2026-03-03", "d\n")]
    found = sheet(*placed, rank=rank)
    assert text_of(found) == "[2026-03-03]\nd\n[2026-03-02]\nb\n[----]\nc\n[2026-03-02]\na\n", "without a rank: first"
    assert found.cost(9, "2026-03-02", 5) == 5 + SERVICES.count("[2026-03-02]\n")
    assert found.drop(2) == SERVICES.count("[----]\nc\n")


PLACED = st.lists(
    st.tuples(st.integers(0, 12), st.booleans(), st.sampled_from(DAYS), st.sampled_from(TEXTS)), max_size=12
)


@settings(max_examples=200, deadline=None)
@given(PLACED, st.sampled_from([None, "ranked"]), st.sampled_from(["o200k_base", "cl100k_base"]), st.data())
def test_costs_add_up_to_a_recount(
    placed: list[tuple[int, bool, str, str]], mode: str | None, encoding: str, data: st.DataObject
) -> None:
    """Costs paid when pieces come, less what dropping frees, are the tokens of the joined text; in any order."""
    services = new_services(counter=encoding)
    rank = {float(place): 12 - place for place in range(0, 13, 2)} if mode else None
    found, paid = Sheet(services, rank), 0
    for position, half, day, text in placed:
        place = position - 0.5 * half
        if place not in found:
            tokens = services.count(text)
            paid += found.cost(place, day, tokens)
            found.put(place, day, Piece(text, tokens))
            if data.draw(st.integers(0, 3)) == 0:
                paid -= found.drop(place)
    assert paid == services.counter.count(text_of(found)) == sum(piece.tokens for piece in found.pieces())


@settings(max_examples=100, deadline=None)
@given(PLACED, st.lists(st.sampled_from(DAYS), max_size=4))
def test_headings_are_never_more_than_said(placed: list[tuple[int, bool, str, str]], days: list[str]) -> None:
    """What a run of days costs at most, wherever it is put."""
    found = Sheet(SERVICES)
    for position, half, day, text in placed:
        if position - 0.5 * half not in found:
            found.put(position - 0.5 * half, day, piece(text))
    for start in (-3.0, 4.75, 13.0):
        most, paid = found.headings(days), 0
        for at, day in enumerate(days):
            paid += found.cost(start + at / 100, day, 0)
            found.put(start + at / 100, day, Piece("", 0))
        for at in range(len(days)):
            found.drop(start + at / 100)
        assert paid <= most


@pytest.mark.parametrize("day", DAYS)
def test_nothing_costs_nothing(day: str) -> None:
    found = Sheet(SERVICES)
    assert found.pieces() == [] and found.headings([]) == 0
    assert found.cost(0, day, 3) == 3 + (SERVICES.count(f"[{day}]\n") if day else 0)
