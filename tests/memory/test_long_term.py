"""``LongTermMemory``: what it does with whole conversations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Conversation, ConversationInfo, Message
from mnemo_lab.errors import UnknownName
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.moments import Moments
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MessageRef
from mnemo_lab.memory.long_term import LongTermMemory
from mnemo_lab.memory.stores import open_store
from tests.memory.material import NOW, active, everything, fact, memory_of

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Noting:
    """``key=value`` is a fact; what it was given is kept."""

    name = "noting"

    def __init__(self) -> None:
        self.seen: list[list[str]] = []
        self.before: list[list[str]] = []

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        self.seen.append([message.id for message in messages])
        self.before.append([message.id for message in before])
        pairs = [(m, m.text.split("=")) for m in messages if m.text.count("=") == 1]
        return [fact(key, value, m.text, message=m.id) for m, (key, value) in pairs]


class Failing:
    name = "failing"

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        raise RuntimeError("the model is away")


def said(*texts: str, at: str | None = "2026-03-02T10:00:00+00:00") -> Conversation:
    """User and assistant by turns."""
    roles: tuple[Any, Any] = ("user", "assistant")
    return Conversation(tuple(Message(roles[n % 2], text, f"x{n}", at) for n, text in enumerate(texts)), "c1")


def test_when_facts_are_extracted() -> None:
    noting = Noting()
    memory = memory_of(extractor=noting, moments=Moments(2))
    memory.take(said("a", "b", "c", "d", "from now on e", "f", "g"))
    assert noting.seen == [["x0", "x1", "x2"], ["x3", "x4"], ["x5", "x6"]]
    assert noting.before == [[], ["x0", "x1", "x2"], ["x0", "x1", "x2", "x3", "x4"]]
    last = Noting()
    memory_of(extractor=last, moments=Moments(0, False)).take(said("a", "b", "from now on c"))
    assert last.seen == [["x0", "x1", "x2"]]


TEXTS = st.lists(
    st.sampled_from(["tea=green", "tea=black", "hello", "from now on", "茶=绿茶", "city=Lyon"]), max_size=14
)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.lists(st.integers(1, 5), min_size=1))
def test_chunks_do_not_matter(texts: list[str], sizes: list[int]) -> None:
    whole, parts = memory_of(extractor=Noting()), memory_of(extractor=Noting())
    conversation = said(*texts)
    decided = whole.take(conversation)
    parts.begin(conversation.info)
    left, turn = list(conversation.messages), 0
    while left:
        size = sizes[turn % len(sizes)]
        parts.observe(left[:size])
        left, turn = left[size:], turn + 1
    parts.end()
    assert everything(whole) == everything(parts) and decided == parts.store.log("anna")


def test_a_fact_names_its_message_and_the_clock_of_the_conversation() -> None:
    memory = memory_of(extractor=Noting())
    (decision,) = memory.take(said("city=Lyon"))
    (kept,) = everything(memory)
    assert decision.after == (kept,) and kept.sources == (MessageRef("c1", "x0"),)
    assert (kept.created_at, kept.valid_from) == ("2026-03-02T10:00:00+00:00", "2026-03-02")
    undated = memory_of(extractor=Noting())
    undated.take(said("city=Lyon", at=None))
    (kept,) = everything(undated)
    assert (kept.created_at, kept.valid_from, kept.flags) == (NOW, None, ("low_confidence",))


@pytest.mark.parametrize("name", ["m.db", "m.json"])
def test_no_secret_reaches_the_disk(tmp_path: Path, name: str) -> None:
    with open_store(tmp_path / name) as store:
        memory = memory_of(store, extractor=Noting())
        memory.take(said(f"staging=Postgres with {TOKEN}", "ok", f"token={TOKEN}"))
        assert active(memory) == ["Postgres with [TOKEN_1]"]
        assert sum(memory.secrets.found.values()) >= 2
        there = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"Postgres" in there and TOKEN.encode() not in there


def test_what_was_injected_is_not_extracted_again() -> None:
    """D20, with the rules."""
    memory = LongTermMemory(open_store(":memory:"), "anna", now=lambda: NOW)
    memory.take(said("My name is Anna and I work at Acme.", "Hello Anna.", "I live in Lyon."))
    before = memory.store.log("anna")
    assert before and not memory.failures
    text = memory.inject("where does she work", NOW, 500, len).text
    assert "Acme" in text or "Lyon" in text
    memory.take(said(f"{text}What time is it?", "Ten.", f"{text}Thanks."))
    assert memory.store.log("anna") == before


def test_relative_dates_are_those_of_the_message() -> None:
    """D23."""
    memory = LongTermMemory(open_store(":memory:"), "anna", now=lambda: NOW)
    memory.take(said("I've lived in Lyon since last week.", at="2023-05-24T10:00:00+00:00"))
    memory.take(said("我上周搬到了杭州。", at="2023-06-24T10:00:00+00:00"))
    starts = {one.value: one.valid_from for one in everything(memory)}
    assert starts == {"Lyon": "2023-05-15", "杭州": "2023-06-12"}, "Mondays of the weeks before"


def test_an_extractor_that_raises_breaks_nothing() -> None:
    memory = memory_of(extractor=Failing())
    assert memory.take(said("tea=green", "b", "from now on", "d", "e")) == []
    assert memory.failures == ["c1: RuntimeError: the model is away"] * 2


def test_a_conversation_that_was_not_ended_leaks_into_no_other() -> None:
    noting = Noting()
    memory = memory_of(extractor=noting)
    memory.begin(ConversationInfo("one"))
    memory.observe([Message("user", "tea=green", "1")])
    memory.begin(ConversationInfo("two"))
    memory.observe([Message("user", "tea=black", "2")])
    memory.end()
    memory.end()
    assert noting.seen == [["2"]] and active(memory) == ["black"]


def test_the_watch_goes_on_where_it_stood() -> None:
    conversation = said("a", "b", "c", "d", "tea=green", "f", "g", "h", "city=Lyon")
    whole = memory_of(extractor=Noting())
    whole.take(conversation)
    for at in range(len(conversation.messages)):
        first = memory_of(extractor=Noting())
        first.begin(conversation.info)
        first.observe(conversation.messages[:at])
        second = memory_of(first.store, extractor=Noting())
        second._ids = first._ids
        second.resume(first.watch_state(), conversation.messages[:at])
        second.observe(conversation.messages[at:])
        second.end()
        assert everything(second) == everything(whole)


def test_what_is_used_does_not_fade() -> None:
    memory = memory_of()
    memory.remember(fact("tea", "green", importance=2), "2025-01-01")
    memory.remember(fact("fruit", "plum", importance=2), "2025-01-01")
    memory.used(memory.search("tea", NOW).items, "2026-05-30")
    memory.used([], NOW)
    kept = everything(memory)
    assert [(one.access_count, one.last_accessed_at) for one in kept] == [(1, "2026-05-30"), (0, None)]
    assert [one.value for one in memory.prune("2026-06-01", dry_run=True)] == ["plum"]
    assert active(memory) == ["green", "plum"], "a dry run"
    assert [one.value for one in memory.prune("2026-06-01")] == ["plum"] and active(memory) == ["green"]
    assert memory.search("plum", NOW).items == [] == memory.prune("2026-06-01")
    last = memory.store.log("anna")[-1]
    assert last.action == "prune" and last.reason == "not used for 90 days, importance below 3"
    memory.store.undo("anna", last.id, "2026-06-02")
    assert active(memory) == ["green", "plum"]


def test_a_secret_is_not_remembered() -> None:
    memory = memory_of()
    assert memory.remember(fact("token", TOKEN)) is None and everything(memory) == []
    kept = memory.remember(fact("tea", "green"))
    assert kept is not None and kept.at == NOW
    memory.store.forget("anna", [kept.after[0].id])
    with pytest.raises(UnknownName):
        memory.store.get("anna", kept.after[0].id)


def test_decisions_are_told() -> None:
    memory = memory_of(extractor=Noting())
    heard: list[Decision] = []
    memory.notify = heard.append
    decided = memory.take(said("tea=green", "b", "tea=black"))
    assert heard == decided and [one.action for one in decided] == ["add", "supersede"]
    memory.take(said("city=Lyon"))
    assert len(heard) == 3


def test_memories_are_drawn() -> None:
    memory = memory_of()
    memory.remember(fact("tea", "<b>green</b>"))
    assert "1 memories" in memory._repr_html_() and "<b>green" not in memory._repr_html_()
    assert "green" in memory.search("tea", NOW)._repr_html_()
