"""What a memory with checkpoints writes is what it reads, and no model is asked a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mnemo_lab.conversation import Message
from mnemo_lab.hydration.memory import HydratingMemory
from mnemo_lab.services import ServicesSpec
from mnemo_lab.strategy_text import parse_strategy
from tests.agent.models import Answering
from tests.hydration.talks import users

SPEC = ServicesSpec(embedder="hashing", cache="")


def refused(messages: Sequence[Message]) -> str:
    raise AssertionError(messages)


def test_a_restored_memory_does_not_ask_the_trigger_s_model_again(tmp_path: Path) -> None:
    strategy = parse_strategy("hydrate(trigger='model()')")
    model = Answering(lambda messages: "yes" if "Lisbon" in messages[-1].text.split("New message:")[1] else "no")
    memory = strategy.start(SPEC.open(model), "a")
    memory.observe(users("The port is 5433.", "Thanks.", "Now Lisbon.", "And the hotel?"))
    memory.save(tmp_path)
    assert len(model.asked) == 3
    again = strategy.restore(tmp_path, SPEC.open(Answering(refused)))
    assert isinstance(memory, HydratingMemory) and isinstance(again, HydratingMemory)
    assert again.checkpoints == memory.checkpoints and len(again.checkpoints) == 1
    assert again.index.segmenter.turns.answers == memory.index.segmenter.turns.answers


def test_halves_of_characters_in_a_checkpoint_come_back(tmp_path: Path) -> None:
    strategy = parse_strategy("hydrate(trigger='every(n=1)')")
    memory = strategy.start(SPEC.open(), "a")
    memory.observe(users("The port is 5433.", "Thanks."))
    assert isinstance(memory, HydratingMemory)
    (stretch,) = memory.index.stretches
    halved = replace(stretch.checkpoint, summary="half \ud83d, two \ud83d\ude00", keywords=("\udc00",))
    memory.index.stretches[0] = replace(stretch, checkpoint=halved)
    memory.save(tmp_path)
    again = strategy.restore(tmp_path, SPEC.open())
    assert isinstance(again, HydratingMemory) and again.checkpoints == memory.checkpoints
