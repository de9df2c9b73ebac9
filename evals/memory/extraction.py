"""Extraction by language and kind of scenario, and when to extract."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evals.memory.bootstrap import Between, between, f1, ratio
from evals.memory.consolidation import matched
from evals.memory.extracting import Counts, count
from evals.memory.plan import Plan, When
from evals.memory.scenarios import Scenario
from evals.memory.world import remembered
from mnemo_lab.extraction.base import Extractor
from mnemo_lab.memory.long_term import MemorySettings

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder


@dataclass(frozen=True)
class Extracted:
    """Figures with intervals over scenarios."""

    scenarios: int
    found: int
    gold: int
    f1: Between
    precision: Between
    recall: Between
    junk: Between
    category: Between


def extracted(counts: Sequence[Counts], plan: Plan) -> Extracted:
    """``counts``: one of each scenario."""

    def share(columns: Callable[[Counts], tuple[float, float]]) -> Between:
        return between([columns(c) for c in counts], ratio, plan.draws, plan.seed)

    return Extracted(
        len(counts),
        sum(c.found for c in counts),
        sum(c.gold for c in counts),
        between([(c.right, c.found, c.met, c.gold) for c in counts], f1, plan.draws, plan.seed),
        share(lambda c: (c.right, c.found)),
        share(lambda c: (c.met, c.gold)),
        share(lambda c: (c.junk, c.found)),
        share(lambda c: (c.category, c.right)),
    )


def count_each(scenarios: Sequence[Scenario], extractor: Extractor) -> list[tuple[Scenario, Counts]]:
    return [(scenario, count([scenario], extractor)) for scenario in scenarios]


@dataclass(frozen=True)
class Timed:
    """One way to choose moments: F1 of what is in memory (items and gold facts one to one), what was read for it."""

    label: str
    language: str
    f1: Between
    calls: int
    tokens: int


def timed(
    scenarios: Sequence[Scenario],
    when: When,
    extractor: Extractor,
    embedder: Embedder,
    tokens_of: Callable[[str], int],
    plan: Plan,
) -> Timed:
    rows, calls, tokens = [], 0, 0
    for scenario in scenarios:
        made = remembered(scenario, extractor, embedder, tokens_of, MemorySettings(moments=when.moments))
        pairs = len(matched(scenario, made.items))
        rows.append((pairs, len(made.items), pairs, len(scenario.facts)))
        calls, tokens = calls + made.calls, tokens + made.tokens
    return Timed(when.label, scenarios[0].language, between(rows, f1, plan.draws, plan.seed), calls, tokens)
