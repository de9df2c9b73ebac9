"""What decay does to old facts: the same questions by the age of the fact, with several ways to fade."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from evals.memory.distractors import distractors
from evals.memory.plan import Fading
from evals.memory.scenarios import Scenario
from evals.memory.sizes import NOW, item_of, keep
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.ranking import Weights, rank
from mnemo_lab.memory.stores import open_store

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder
    from mnemo_lab.memory.stores.base import MemoryStore


@dataclass(frozen=True)
class Faded:
    """A question under one way to fade: was the fact among the first, or listed as hidden by decay?"""

    label: str
    days: float
    found: bool
    hidden: bool


def faded(scenarios: Sequence[Scenario], embedder: Embedder, plan: Fading, seed: int) -> list[Faded]:
    """Each scenario's facts that are true now at one drawn age, among newer memories of other things; as many draws of
    ages as ``plan.seeds``. Facts were never used since; importance as rules give it without a hint (3)."""
    attributes = sorted({gold.attribute for scenario in scenarios for gold in scenario.facts})
    rows: list[Faded] = []
    for turn in range(plan.seeds):
        rng = random.Random(f"{seed} {turn}")
        language = scenarios[0].language
        with open_store(":memory:", embedder) as store:
            crowd = distractors(language, attributes, plan.crowd, NOW, plan.recent, seed, "crowd")
            for scenario in scenarios:
                rows += _of(scenario, store, crowd, rng.uniform(0, plan.days), plan)
    return rows


def _of(
    scenario: Scenario, store: MemoryStore, crowd: Sequence[MemoryItem], days: float, plan: Fading
) -> Iterator[Faded]:
    said = NOW - timedelta(days=days)
    keep(store, [_aged(item_of(scenario, gold, scenario.id), said) for gold in scenario.facts if not gold.ended])
    keep(store, [item.with_(namespace=scenario.id) for item in crowd])
    current = {gold.id for gold in scenario.facts if not gold.ended}
    for probe in scenario.probes:
        if probe.as_of is None and probe.fact in current:
            wanted = f"{scenario.id}-{probe.fact}"
            for fade in plan.decays:
                hits = rank(store, scenario.id, probe.question, NOW, plan.depth, fade.decay, Weights())
                found = any(hit.item.id == wanted for hit in hits.hits)
                yield Faded(fade.label, days, found, any(hit.item.id == wanted for hit in hits.hidden))


def _aged(item: MemoryItem, said: datetime) -> MemoryItem:
    at = said.isoformat(timespec="seconds")
    return item.with_(created_at=at, valid_from=at[:10])


def age_group(days: float, ages: Sequence[int]) -> int:
    """The first upper end that is not below ``days``."""
    return next(age for age in ages if days <= age)
