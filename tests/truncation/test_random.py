from __future__ import annotations

from collections import Counter
from dataclasses import replace

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import Message
from mnemo_lab.truncation.random import Random
from tests.base.messages import new_services
from tests.base.test_units import listed

SERVICES = new_services()
TALK = [Message("user", f"fact number {i}", f"m{i}") for i in range(20)]


def drawn(messages: list[Message], seed: int = 0, question: str = "?", lines: int = 5) -> list[str]:
    memory = Random(seed).start(SERVICES, "a")
    memory.observe(messages)
    cost = SERVICES.message_tokens(TALK[0])
    context = memory.recall(Query(question), Budget(lines * cost, SERVICES.counter))
    return [message.text for message in context.messages()]


def test_the_draw_is_seeded_and_depends_on_the_question() -> None:
    assert drawn(TALK) == drawn(TALK)
    assert len(drawn(TALK)) == 5
    assert len({tuple(drawn(TALK, seed)) for seed in range(20)}) == 20
    assert len({tuple(drawn(TALK, question=str(q))) for q in range(20)}) == 20


def test_ids_do_not_matter_and_time_order_is_kept() -> None:
    assert drawn([replace(m, id=f"z{i}") for i, m in enumerate(TALK)]) == drawn(TALK)
    numbers = [int(text.split()[-1]) for text in drawn(TALK)]
    assert numbers == sorted(numbers)


def test_every_place_is_drawn_about_equally_often() -> None:
    """5 of 20 over 400 seeds: 100 expected each, standard deviation 8.7."""
    counts = Counter(text for seed in range(400) for text in drawn(TALK, seed))
    assert len(counts) == 20
    assert all(60 < n < 140 for n in counts.values())


def test_units_are_drawn_whole_and_orphans_never() -> None:
    messages = listed("U A:1,2 T:1 T:2 U A T:9")
    seen = set()
    for seed in range(60):
        texts = " ".join(drawn(messages, seed, lines=6))
        assert "T:9" not in texts
        assert ("A:1,2" in texts) == ("A:1,2 T:1 T:2" in texts)
        seen.add(texts)
    assert len(seen) > 2
