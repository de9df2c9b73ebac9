"""Layers of one question: messages, pinned ones, summaries of checkpoints in English and Chinese."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from mnemo_lab.context import Source
from mnemo_lab.conversation import Message
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.hydration.excerpts import Excerpts
from mnemo_lab.hydration.index import Stretch
from mnemo_lab.hydration.layers import PINNED, Layers
from mnemo_lab.packing.builder import ContextBuilder, Layer
from tests.base.messages import new_services
from tests.conversations import day
from tests.hydration.talks import history_of

SERVICES = new_services()
LONG = "We met at the lake. " + "The weather was lovely and warm. " * 5 + "We painted a sunrise."
MESSAGES = [
    Message("user", "ids are UUIDs", "m0", day(0)),
    Message("assistant", "Noted.", "m1", day(1)),
    Message("user", "Never use tabs!", "m2", day(30), extensions={PINNED: True}),
    Message("user", LONG, "m3", day(31), extensions={PINNED: "yes"}),
    Message("user", "thanks", "m4"),
]
HISTORY = history_of(MESSAGES, SERVICES)


def stretch(start: int, stop: int, summary: str, **fields: Any) -> Stretch:
    return Stretch(start, stop, Checkpoint("k", "c", f"m{start}", f"m{stop - 1}", summary, **fields))


def found(*pairs: tuple[Stretch, float]) -> Any:
    """What a layer reads of candidates."""
    return SimpleNamespace(stretches=[s for s, _ in pairs], closeness=[c for _, c in pairs])


def test_messages_stand_at_their_position_under_their_day() -> None:
    layers = Layers(HISTORY, SERVICES)
    (entry,) = layers.messages([2])
    assert (entry.place, entry.day, entry.covers) == (2.0, "2026-03-02", None)
    assert entry.piece.text == "user: Never use tabs!\n" and entry.piece.sources == (Source("m2", ((0, 15),)),)
    assert [e.place for e in layers.newest()] == [4, 3, 2, 1, 0] and [e.place for e in layers.newest(3)] == [4, 3]
    assert layers.message(4).day == "" and list(layers.newest(5)) == []


def test_only_what_is_pinned_by_true_is() -> None:
    assert Layers(HISTORY, SERVICES).pinned == [2]


def test_long_messages_as_excerpts() -> None:
    layers = Layers(HISTORY, SERVICES, Excerpts("Who painted the sunrise?", 20, HISTORY, SERVICES))
    assert layers.message(3).piece.text == "user: … We painted a sunrise.\n"
    assert layers.message(0).piece is HISTORY.undated(0)


def test_a_summary_says_what_it_stands_for() -> None:
    item = stretch(0, 2, "UUIDs it is.", decisions=("use UUIDs", "UUIDs it is."), open_items=("who\nmigrates?",))
    entry = Layers(HISTORY, SERVICES).summary(item)
    assert entry.piece.text == "(summary of 2 messages: UUIDs it is. use UUIDs who migrates?)\n"
    assert entry.piece.tokens == SERVICES.count(entry.piece.text)
    assert entry.piece.sources == (Source("m0", via="checkpoint"), Source("m1", via="checkpoint"))
    assert (entry.place, entry.day, entry.covers) == (-0.5, "2026-03-01", (0, 2))


def test_a_chinese_summary_is_headed_in_chinese() -> None:
    entry = Layers(HISTORY, SERVICES).summary(
        stretch(2, 5, "发布会定在六月六号，主键用 UUID。", decisions=("换成六月六号",))
    )
    assert entry.piece.text == "(3 条消息的摘要：发布会定在六月六号，主键用 UUID。 换成六月六号)\n"
    assert entry.place == 1.5


def test_summaries_from_the_closest_on() -> None:
    layers, builder = Layers(HISTORY, SERVICES), ContextBuilder([], 100, SERVICES)
    ranked = found((stretch(0, 2, "a"), 0.5), (stretch(2, 4, ""), 0.9), (stretch(4, 5, "c"), 0.7))
    assert [e.place for e in layers.summaries(ranked, builder)] == [3.5, -0.5], "one that says nothing is left out"
    assert [e.place for e in layers.summaries(ranked, builder, 2)] == [3.5]
    assert list(layers.summaries(ranked, builder, 0)) == []
    same = found((stretch(0, 2, "a"), 0.5), (stretch(2, 4, "b"), 0.5))
    assert [e.place for e in layers.summaries(same, builder)] == [-0.5, 1.5], "of equal ones the earlier first"


@pytest.mark.parametrize(("taken", "told"), [([], [-0.5, 1.5]), ([0], [1.5]), ([2], [-0.5, 1.5]), ([2, 3], [-0.5])])
def test_no_summary_where_half_of_it_is_there(taken: list[int], told: list[float]) -> None:
    layers = Layers(HISTORY, SERVICES)
    builder = ContextBuilder([Layer("l", lambda _: layers.messages(taken))], 999, SERVICES).fill()
    ranked = found((stretch(0, 2, "a"), 0.9), (stretch(2, 5, "b"), 0.5))
    assert [e.place for e in layers.summaries(ranked, builder)] == told


def test_pins_that_come_later_are_found() -> None:
    history = history_of(MESSAGES[:2], SERVICES)
    assert Layers(history, SERVICES).pinned == []
    history.extend(MESSAGES[2:3])
    assert Layers(history, SERVICES).pinned == Layers(history, SERVICES).pinned == [2]
    assert Layers(history_of([], SERVICES), SERVICES).pinned == []


def test_no_excerpt_is_made_for_a_room_that_is_too_small() -> None:
    excerpts = Excerpts("Who painted the sunrise?", 20, HISTORY, SERVICES)
    layers, whole = Layers(HISTORY, SERVICES, excerpts), HISTORY.undated(3)
    assert layers.message(3, excerpts.least - 1).piece is whole
    assert layers.message(3, excerpts.least).piece.tokens <= 20, "... and none that was not is remembered"
    for room, tokens in ((9, whole.tokens), (10, layers.message(3).piece.tokens)):
        fresh = Layers(HISTORY, SERVICES, excerpts)
        (entry,) = fresh.messages([3], ContextBuilder([], room, SERVICES))
        assert entry.piece.tokens == tokens
