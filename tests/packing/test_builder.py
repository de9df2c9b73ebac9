"""The context builder: shares, left-over, nothing twice, summaries that are no longer needed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Piece, Source
from mnemo_lab.errors import InvalidInput
from mnemo_lab.packing.builder import PATIENCE, ContextBuilder, Entry, Layer
from tests.base.messages import new_services

SERVICES = new_services()
WORD = SERVICES.count("user: tea\n")
"""Tokens of every one-word line below."""


def entry(place: float, text: str = "user: tea\n", covers: tuple[int, int] | None = None, day: str = "") -> Entry:
    return Entry(place, day, Piece(text, SERVICES.count(text), (Source(f"m{place}"),)), covers)


def layer(name: str, places: Iterable[float], least: float = 0.0, most: float = 1.0) -> Layer:
    found = [entry(place) for place in places]
    return Layer(name, lambda _: found, least, most)


def built(room: int, *layers: Layer) -> ContextBuilder:
    builder = ContextBuilder(layers, room, SERVICES).fill()
    used = sum(piece.tokens for piece in builder.pieces())
    assert used == room - builder.room == sum(builder.spent.values())
    assert used == SERVICES.counter.count("".join(piece.text for piece in builder.pieces()))
    return builder


def ids(builder: ContextBuilder) -> list[str]:
    return [source.message_id for piece in builder.pieces() for source in piece.sources]


def test_layers_fill_in_their_order_and_stand_in_order_of_time() -> None:
    found = built(3 * WORD, layer("one", [5, 2]), layer("two", [0, 1]))
    assert ids(found) == ["m0", "m2", "m5"] and found.spent == {"one": 2 * WORD, "two": WORD}


def test_most_limits_a_layer_until_every_other_had_its_turn() -> None:
    greedy = layer("greedy", range(10), most=0.5)
    assert built(8 * WORD, greedy, layer("other", range(20, 30))).spent == {"greedy": 4 * WORD, "other": 4 * WORD}
    left = built(8 * WORD, greedy, layer("other", [20]))
    assert left.spent == {"greedy": 7 * WORD, "other": WORD}, "what the other leaves goes back to the first"


def test_least_is_kept_free_for_a_later_layer() -> None:
    greedy = layer("greedy", range(10))
    assert built(8 * WORD, greedy, layer("kept", range(20, 30), least=0.25)).spent == {
        "greedy": 6 * WORD,
        "kept": 2 * WORD,
    }
    assert built(8 * WORD, greedy, layer("kept", [20], least=0.25)).spent == {"greedy": 7 * WORD, "kept": WORD}
    three = built(10 * WORD, greedy, layer("b", range(20, 30), 0.2, 0.2), layer("c", range(40, 50), 0.3))
    assert three.spent == {"greedy": 5 * WORD, "b": 2 * WORD, "c": 3 * WORD}


def test_what_does_not_fit_is_skipped() -> None:
    long = Entry(0, "", Piece("user: " + "tea " * 40 + "\n", 43))
    found = Layer("all", lambda _: [long, entry(1)])
    assert ids(built(WORD, found)) == ["m1"]
    assert ids(built(WORD - 1, found)) == [] and ids(built(0, found)) == []


def test_nothing_stands_twice() -> None:
    found = built(9 * WORD, layer("one", [1, 2, 1]), layer("two", [2, 1, 3]))
    assert ids(found) == ["m1", "m2", "m3"] and found.spent == {"one": 2 * WORD, "two": WORD}


def test_a_summary_goes_where_all_it_covers_is_there() -> None:
    """... and what it took is given to others."""
    text = "(summary of 2 messages: tea and tea)\n"
    summary = Layer("summary", lambda _: [entry(-0.5, text, (0, 2))])
    cost = SERVICES.count(text)
    part = built(cost + WORD, summary, layer("messages", [0, 1, 7]))
    assert ids(part) == ["m-0.5", "m0"] and part.spent == {"summary": cost, "messages": WORD}
    whole = built(cost + 2 * WORD, summary, layer("messages", [0, 1, 7]))
    assert cost >= WORD and ids(whole) == ["m0", "m1", "m7"], "the room of the summary is filled again"
    assert whole.spent == {"summary": 0, "messages": 3 * WORD}


def test_a_summary_is_never_put_where_all_is_said_already() -> None:
    summary = Layer("summary", lambda _: [entry(-0.5, "(tea)\n", (0, 1))])
    assert ids(built(9 * WORD, layer("messages", [0]), summary)) == ["m0"]


def test_entries_may_look_at_what_is_there() -> None:
    seen: list[int] = []

    def looking(builder: ContextBuilder) -> Iterable[Entry]:
        seen.append(builder.covered(0, 5))
        return []

    built(20 * WORD, layer("messages", [1, 3]), Layer("looking", looking))
    assert seen == [2, 2]


def test_whether_a_range_fits_counts_its_headings() -> None:
    head = SERVICES.count("[2026-03-02]\n")
    range_ = [entry(0, day="2026-03-02"), entry(1, day="2026-03-02"), entry(2, day="2026-03-03")]
    for room, fits in ((3 * WORD + 2 * head, True), (3 * WORD + 2 * head - 1, False)):
        builder = ContextBuilder([Layer("range", lambda _: range_)], room, SERVICES)
        assert builder.fits(range_) is fits
        assert len(builder.fill().pieces()) == (3 if fits else 2)
        assert builder.fits(range_[:2]), "what is there costs nothing more"


def test_a_layer_gives_up_where_nothing_has_fitted_for_long() -> None:
    asked = []

    def deep(_: ContextBuilder) -> Iterable[Entry]:
        yield entry(0)
        for place in range(1, 5 * PATIENCE):
            asked.append(place)
            yield Entry(place, "", Piece("x" * 99, 99))

    built(WORD + 5, Layer("deep", deep))
    assert max(asked) == PATIENCE + 1


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ([(0.5, 0.4)], "layer 'l0': least=0.5, most=0.4; must be 0 <= least <= most <= 1"),
        ([(-0.1, 1.0)], "least=-0.1"),
        ([(0.0, 1.5)], "most=1.5"),
        ([(0.6, 1.0), (0.6, 1.0)], "add up to 1.2; at most 1 can be kept free"),
    ],
)
def test_shares_out_of_range(shares: list[tuple[float, float]], message: str) -> None:
    with pytest.raises(InvalidInput, match=message.replace("(", r"\(")):
        ContextBuilder([layer(f"l{i}", [], *share) for i, share in enumerate(shares)], 10, SERVICES)


LAYERS = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(0, 15), st.integers(0, 4), st.sampled_from(["", "2026-03-02", "2026-03-03"]))),
        st.sampled_from([0.0, 0.2, 0.3]),
        st.sampled_from([0.3, 0.7, 1.0]),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=150, deadline=None)
@given(LAYERS, st.integers(0, 80), st.booleans())
def test_any_layers_keep_to_the_room(
    layers: list[tuple[list[tuple[int, int, str]], float, float]], room: int, best_last: bool
) -> None:
    """Whatever is asked: the recount is what was spent, within the room; no place twice; no summary told twice; and
    nothing that would still fit is left out."""
    made: list[Layer] = []
    entries: list[Entry] = []
    for number, (asked, least, most) in enumerate(layers):
        wanted = [
            entry(place, f"user: {'tea ' * size}{place}\n", day=day)
            if number
            else entry(place - 0.5, f"({'tea ' * size})\n", (place, place + 2), day)
            for place, size, day in asked
        ]
        entries += wanted
        made.append(Layer(f"l{number}", lambda _, wanted=wanted: wanted, least, most))  # type: ignore[misc]
    rank = {float(place): place for place in range(16)} if best_last else None
    builder = ContextBuilder(made, room, SERVICES, rank).fill()
    text = "".join(piece.text for piece in builder.pieces())
    assert SERVICES.counter.count(text) == room - builder.room == sum(builder.spent.values()) <= room
    assert len(ids(builder)) == len(set(ids(builder)))
    for wanted_entry in entries:
        if wanted_entry.place in builder.sheet:
            assert not wanted_entry.covers or builder.covered(*wanted_entry.covers) < 2
        elif not (wanted_entry.covers and builder.covered(*wanted_entry.covers) == 2):
            cost = builder.sheet.cost(wanted_entry.place, wanted_entry.day, wanted_entry.piece.tokens)
            assert cost > builder.room or builder.room < 2 or any(other.day != wanted_entry.day for other in entries), (
                "a heading that came later may make something fit"
            )
