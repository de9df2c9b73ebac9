"""``memory`` and the long tier of ``hydrate``: what stands in their contexts, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from mnemo_lab.context import Budget, Context, Query, Source
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.strategy import Memory, RememberingMemory
from mnemo_lab.services import Services
from mnemo_lab.strategy_text import parse_strategy
from tests.base.messages import new_services

FIRST = [
    Message("user", "I'm allergic to peanuts.", "a1", "2026-01-02T10:00:00Z"),
    Message("assistant", "Noted.", "a2", "2026-01-02T10:01:00Z"),
]
SECOND = [
    Message("user", "What shall I cook?", "b1", "2026-03-01T10:00:00Z"),
    Message("assistant", "A curry.", "b2", "2026-03-01T10:01:00Z"),
]


def told(strategy: Memory, services: Services) -> RememberingMemory:
    memory = strategy.start(services, "test")
    assert isinstance(memory, RememberingMemory)
    for name, messages in (("one", FIRST), ("two", SECOND)):
        memory.begin(ConversationInfo(name))
        memory.observe(messages)
        memory.end()
    return memory


def asked(memory: RememberingMemory, services: Services, tokens: int = 400) -> Context:
    return memory.recall(Query("Which snack?", "2026-03-01T11:00:00Z"), Budget(tokens, services.counter))


def test_the_block_stands_before_the_turns_and_names_what_it_stands_for() -> None:
    services = new_services()
    context = asked(told(Memory(recent=1), services), services)
    lines = context.text.splitlines()
    assert lines[0] == "<history>" and lines[1] == "<memory>"
    assert lines[-3:] == ["[2026-03-01] user: What shall I cook?", "[2026-03-01] assistant: A curry.", "</history>"]
    (fact,) = [piece for piece in context.pieces if piece.text.startswith("- ")]
    assert "peanuts" in fact.text and "[2026-01-02, " in fact.text
    assert fact.sources == (Source("a1", via="memory"),)
    assert context.tokens == context.recount()


@pytest.mark.parametrize(("position", "place"), [("start", 0), ("middle", 2), ("end", 4)])
def test_the_block_stands_where_it_is_told_to(position: str, place: int) -> None:
    services = new_services()
    context = asked(told(Memory(position=position), services), services)  # type: ignore[arg-type]
    texts = [piece.text for piece in context.pieces]
    assert texts.index("<memory>\n") == place
    assert len(texts) == 4 + texts.index("</memory>\n") - place + 1


def test_recent_turns_are_counted_and_nothing_remembered_is_no_block() -> None:
    services = new_services()
    memory = Memory(recent=1).start(services, "test")
    memory.begin(ConversationInfo("one"))
    memory.observe([Message("user", f"Hm, number {i}?", f"m{i}") for i in range(5)])
    context = memory.recall(Query("?"), Budget(400, services.counter))
    assert context.text == "<history>\nuser: Hm, number 4?\n</history>"


def test_a_full_room_is_shared() -> None:
    """With room for the turns alone the block takes its share and the oldest turns give way."""
    services = new_services()
    memory = told(Memory(recent=6, share=1.0), services)
    whole = asked(memory, services)
    tight = asked(memory, services, whole.tokens - 1)
    assert any("peanuts" in piece.text for piece in tight.pieces if piece.text.startswith("- "))
    assert "I'm allergic" not in "".join(piece.text for piece in tight.pieces if not piece.text.startswith("- "))


def test_used_is_noted_and_survives_saving(tmp_path: Path) -> None:
    services = new_services()
    strategy = Memory()
    memory = told(strategy, services)
    memory.used(asked(memory, services))
    memory.used(asked(memory, services))
    (item,) = memory.remembering.store.items("recording")
    assert (item.access_count, item.last_accessed_at) == (2, "2026-03-01T11:00:00Z")
    memory.save(tmp_path)
    again = strategy.restore(tmp_path, services)
    assert isinstance(again, RememberingMemory)
    assert again.remembering.store.items("recording") == [item]
    assert asked(again, services).text == asked(memory, services).text


def test_a_conversation_saved_in_the_middle_goes_on(tmp_path: Path) -> None:
    """What was pending when it was saved is extracted later: one fact, as if nothing had happened."""
    services = new_services()
    strategy = Memory(every=0, signals=False)
    memory = strategy.start(services, "test")
    memory.begin(ConversationInfo("one"))
    memory.observe(FIRST)
    memory.save(tmp_path)
    again = strategy.restore(tmp_path, services)
    assert isinstance(again, RememberingMemory)
    assert again.remembering.store.items("recording") == []
    again.end()
    (item,) = again.remembering.store.items("recording")
    assert item.id == "m1" and [ref.message for ref in item.sources] == ["a1"]


def test_writing_a_memory_is_charged_once() -> None:
    services = new_services()
    told(Memory(), services)
    spent = dict(services.ledger.spent)
    assert spent and set(spent) == {("write", "embedder")}
    without = new_services()
    told(Memory(vector=0.0), without)
    assert not without.ledger.spent


def test_the_preset_is_the_seeds() -> None:
    seed = parse_strategy("seed_memory")
    assert isinstance(seed, Memory)
    assert (seed.every, seed.about, seed.preferences, seed.related, seed.recent, seed.overlap) == (
        3,
        10,
        10,
        15,
        10,
        0.6,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("memory(share=1.5)", "share=1.5"),
        ("memory(recent=-1)", "recent=-1"),
        ("memory(every=0, signals=False, at_end=False)", "nothing would ever be extracted"),
        ("memory(keyword=0.0, vector=0.0)", "not both 0"),
        ("memory(position='above')", "start"),
        ("memory(floor=2.0)", "0 to 1"),
    ],
)
def test_bad_settings_say_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_strategy(text)
