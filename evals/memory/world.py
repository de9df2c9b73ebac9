"""A scenario taken into a memory, with every statement, what was decided on it, and the gold fact it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evals.memory.gold import stated
from evals.memory.matching import closeness
from evals.memory.scenarios import Scenario
from mnemo_lab.conversation import Message
from mnemo_lab.errors import MnemoError
from mnemo_lab.extraction.base import Extractor, Fact
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.guard import QUARANTINED, SecretFilter, without_secrets
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.long_term import LongTermMemory, MemorySettings
from mnemo_lab.memory.stores import open_store
from mnemo_lab.memory.stores.base import MemoryStore

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder


class Listening:
    """An extractor, with what it read and found; ``tokens`` of new messages and of those before them."""

    name = "listening"

    def __init__(self, extractor: Extractor, count: Callable[[str], int]) -> None:
        self._extractor, self._count = extractor, count
        self.calls, self.tokens = 0, 0
        self.facts: list[Fact] = []

    def extract(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> list[Fact]:
        """As ``Extractor.extract``."""
        self.calls += 1
        self.tokens += sum(self._count(message.text) for message in (*before, *messages))
        found = self._extractor.extract(messages, before)
        self.facts += found
        return found


@dataclass(frozen=True)
class Statement:
    """A fact as it was found, what was decided on it, and the gold fact it is, if it is one."""

    fact: Fact
    decision: Decision
    gold: str | None


@dataclass
class Remembered:
    """A memory that has seen a scenario."""

    scenario: Scenario
    memory: LongTermMemory
    statements: list[Statement] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0

    @property
    def items(self) -> list[MemoryItem]:
        """All that can be found, what is in quarantine apart."""
        kept = self.memory.store.items(self.memory.namespace)
        return [item for item in kept if QUARANTINED not in item.flags]


def remembered(
    scenario: Scenario,
    extractor: Extractor,
    embedder: Embedder,
    count: Callable[[str], int],
    settings: MemorySettings | None = None,
    store: MemoryStore | None = None,
    until: str | None = None,
) -> Remembered:
    """What an extractor finds in the conversations, in the scenario's own namespace; ``until``: those begun by then."""
    listening = Listening(extractor, count)
    memory = _memory(scenario, store or open_store(":memory:", embedder), settings, listening)
    decisions: list[Decision] = []
    memory.notify = decisions.append
    for talk in scenario.conversations:
        if until is None or (talk.messages[0].timestamp or "")[:10] <= until[:10]:
            memory.take(talk)
    if memory.failures:
        raise MnemoError(f"{scenario.id}: {'; '.join(memory.failures)}")
    secrets = SecretFilter()  # as the memory does: a fact that is a secret and nothing else is not decided on
    kept = [fact for fact in listening.facts if without_secrets(fact, secrets) is not None]
    statements = [Statement(fact, done, gold_of(scenario, fact)) for fact, done in zip(kept, decisions, strict=True)]
    return Remembered(scenario, memory, statements, listening.calls, listening.tokens)


def from_gold(scenario: Scenario, embedder: Embedder, beside: bool = False, until: str | None = None) -> Remembered:
    """What the labels say, said again message by message (``gold.stated``)."""
    memory = _memory(scenario, open_store(":memory:", embedder), None, None)
    times = {m.id: m.timestamp or "" for talk in scenario.conversations for m in talk.messages}
    made = Remembered(scenario, memory)
    for gold, fact in stated(scenario, beside):
        decision = (
            None if until and times[fact.message][:10] > until[:10] else memory.remember(fact, times[fact.message])
        )
        made.statements += [Statement(fact, decision, gold)] if decision else []
    return made


def gold_of(scenario: Scenario, fact: Fact) -> str | None:
    """The gold fact that is closest to what was found."""
    given = {"messages": [fact.message], "subject": fact.subject, "value": fact.value, "polarity": fact.polarity}
    scored = [(closeness(gold, **given), gold.id) for gold in scenario.facts]  # type: ignore[arg-type]
    best, id = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    return id if best else None


def _memory(
    scenario: Scenario, store: MemoryStore, settings: MemorySettings | None, extractor: Extractor | None
) -> LongTermMemory:
    return LongTermMemory(store, scenario.id, extractor, settings, now=lambda: "2026-12-01T00:00:00+00:00")
