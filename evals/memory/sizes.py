"""How search holds up among ever more memories, and how long it takes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, Literal, cast

from evals.memory.answers import WAYS
from evals.memory.distractors import Spread, distractors
from evals.memory.plan import Sizes
from evals.memory.scenarios import GoldFact, MemoryProbe, Scenario
from mnemo_lab.memory.decay import Decay
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.keys import slot_key
from mnemo_lab.memory.ranking import rank
from mnemo_lab.memory.stores import open_store
from mnemo_lab.text.sentences import sentence_at

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder
    from mnemo_lab.memory.stores.base import MemoryStore

NAMESPACE: Final = "anna"
NOW: Final = datetime(2027, 1, 1, tzinfo=UTC)
DEEP: Final = 5


@dataclass(frozen=True)
class Found:
    """Of ``asked`` questions the fact asked for ranked ``first``, or among five; ``ms``: median, question embedded."""

    language: str
    items: int
    way: str
    asked: int
    first: int
    five: int
    ms: float


def by_size(scenarios: Sequence[Scenario], embedder: Embedder, sizes: Sizes, seed: int) -> list[Found]:
    """One SQLite store of one language that grows from size to size; the same questions at each."""
    language = scenarios[0].language
    wanted = questions(scenarios, min(sizes.probes, sizes.items[0]))
    facts = [item_of(scenario, gold, NAMESPACE) for scenario, gold, _ in wanted]
    attributes = sorted({gold.attribute for scenario in scenarios for gold in scenario.facts})
    others = distractors(language, attributes, sizes.items[-1] - len(facts), NOW, 400, seed, NAMESPACE)
    spread = Spread(embedder, others, sizes.embedded[language], sizes.noise, seed)
    spread.encode([probe.question for _, _, probe in wanted], "query")
    found, held = [], 0
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "memory.db", spread) as store:
        pool = [*facts, *others]
        for size in sizes.items:
            keep(store, pool[held:size])
            held = size
            found += [_measured(store, language, size, way, wanted, facts) for way in WAYS]
    return found


def _measured(
    store: MemoryStore,
    language: str,
    size: int,
    way: str,
    wanted: Sequence[tuple[Scenario, GoldFact, MemoryProbe]],
    facts: Sequence[MemoryItem],
) -> Found:
    rank(store, NAMESPACE, "warm-up", NOW, DEEP, Decay(), WAYS[way])
    times, first, five = [], 0, 0
    for (_, _, probe), fact in zip(wanted, facts, strict=True):
        if way != "keyword":
            store.vector_scores(NAMESPACE, probe.question, ())  # embeds the question
        start = time.perf_counter()
        hits = rank(store, NAMESPACE, probe.question, NOW, DEEP, Decay(), WAYS[way])
        times.append(time.perf_counter() - start)
        ids = [item.id for item in hits.items]
        first, five = first + (ids[:1] == [fact.id]), five + (fact.id in ids)
    return Found(language, size, way, len(wanted), first, five, 1e3 * median(times))


def questions(scenarios: Sequence[Scenario], most: int) -> list[tuple[Scenario, GoldFact, MemoryProbe]]:
    """Of what is true now, one fact of a slot: several people's facts stand in one memory here."""
    found: dict[str, tuple[Scenario, GoldFact, MemoryProbe]] = {}
    for scenario in scenarios:
        facts = {gold.id: gold for gold in scenario.facts if not gold.ended}
        for probe in scenario.probes:
            if probe.as_of is None and probe.fact in facts:
                gold = facts[probe.fact]
                found.setdefault(slot_key(gold.subject, gold.attribute), (scenario, gold, probe))
    return list(found.values())[:most]


def item_of(scenario: Scenario, gold: GoldFact, namespace: str, at: str | None = None) -> MemoryItem:
    """A gold fact as a memory: the label's slot, the sentence it is first said in."""
    message = next(m for talk in scenario.conversations for m in talk.messages if m.id == gold.evidence[0])
    place = message.text.find(gold.value)
    low, high = sentence_at(message.text, place, place + len(gold.value)) if place >= 0 else (0, len(message.text))
    polarity = cast(Literal["positive", "negative"], gold.polarity)
    return MemoryItem(
        namespace, gold.category, gold.subject, gold.attribute, gold.value, message.text[low:high], scenario.language,
        at or message.timestamp or "", f"{scenario.id}-{gold.id}", polarity=polarity, valid_from=gold.valid_from,
    )  # fmt: skip


def keep(store: MemoryStore, items: Sequence[MemoryItem]) -> None:
    """As they are, without comparing."""
    if items:
        with store.write(items[0].namespace) as writing:
            for item in items:
                writing.put(Decision(item.namespace, "add", "measured", item.created_at, after=(item,)))
