"""All that the report shows, measured in turn."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from evals.memory.answers import Asked, asked
from evals.memory.consolidation import Merged, Paraphrased, Retired, merging, paraphrases, retiring
from evals.memory.extracting import Counts
from evals.memory.extraction import Timed, count_each, timed
from evals.memory.fading import Faded, faded
from evals.memory.injecting import Injected, injected
from evals.memory.leaks import Leaks, leaks
from evals.memory.plan import Plan
from evals.memory.reading import Read, read
from evals.memory.scenarios import LANGUAGES, Scenario, read_scenarios
from evals.memory.sizes import Found, by_size
from evals.memory.world import Remembered, from_gold, remembered
from mnemo_lab.embeddings import open_embedder
from mnemo_lab.extraction.base import Extractor
from mnemo_lab.services import Services, ServicesSpec

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder

RULES, GOLD, BESIDE = "rules", "gold facts", "gold facts, what stands together marked"
FEEDS: Final = (RULES, GOLD, BESIDE)
SHARED: Final = "multilingual-e5-small"
"""One embedder for the store that holds both languages."""


@dataclass
class Measured:
    """By language, or by language and feed, one entry of each scenario."""

    plan: Plan
    split: str
    scenarios: dict[str, list[Scenario]] = field(default_factory=dict)
    counts: dict[tuple[str, str], list[tuple[Scenario, Counts]]] = field(default_factory=dict)
    """By extractor and language."""
    timed: list[Timed] = field(default_factory=list)
    merged: dict[tuple[str, str], list[Merged]] = field(default_factory=dict)
    retired: dict[tuple[str, str], list[Retired]] = field(default_factory=dict)
    paraphrased: dict[str, list[Paraphrased]] = field(default_factory=dict)
    asked: dict[str, list[Asked]] = field(default_factory=dict)
    faded: list[Faded] = field(default_factory=list)
    sizes: list[Found] = field(default_factory=list)
    injected: list[Injected] = field(default_factory=list)
    leaks: Leaks | None = None
    read: list[Read] = field(default_factory=list)
    model: str = ""
    fallbacks: int = 0
    """Requests in place of whose answers the rules stood."""


def measure(
    plan: Plan, split: str, cache_dir: str | None = None, model: Services | None = None, reader: Services | None = None
) -> Measured:
    """``model``: services whose language model extracts, too; ``reader``: services whose model reads blocks."""
    done = Measured(plan, split, model=model.spec.language_model if model else "")
    for language in LANGUAGES:
        done.scenarios[language] = read_scenarios(language, split)
        spec = ServicesSpec(cache=cache_dir).for_language(language)
        embedder = open_embedder(spec.embedder, cache_dir=cache_dir)
        _Part(done, language, embedder, spec.open(), _rules()).measure(model, reader if language == "en" else None)
    _say("all languages: namespaces and secrets")
    everyone = [scenario for scenarios in done.scenarios.values() for scenario in scenarios]
    count = ServicesSpec().for_language("en").open().count
    done.leaks = leaks(everyone, _rules(), open_embedder(SHARED, cache_dir=cache_dir), count)
    return done


class _Part:
    """What is measured of one language."""

    def __init__(
        self, done: Measured, language: str, embedder: Embedder, services: Services, extractor: Extractor
    ) -> None:
        self.done, self.language, self.embedder, self.services = done, language, embedder, services
        self.extractor, self.scenarios = extractor, done.scenarios[language]

    def measure(self, model: Services | None, reader: Services | None) -> None:
        plan, count = self.done.plan, self.services.count
        self._say("extraction")
        self.done.counts[RULES, self.language] = count_each(self.scenarios, self.extractor)
        if model is not None:
            from mnemo_lab.extraction.model import ModelExtractor

            asking = ModelExtractor(model)
            self.done.counts[self.done.model, self.language] = count_each(self.scenarios, asking)
            self.done.fallbacks += len(asking.fallbacks)
        for when in plan.moments:
            self.done.timed.append(timed(self.scenarios, when, self.extractor, self.embedder, count, plan))
        made = self._consolidation()
        self._say("answers")
        self._answers()
        self._say("fading, sizes, injection")
        self.done.faded += faded(self.scenarios, self.embedder, plan.fading, plan.seed)
        self.done.sizes += by_size(self.scenarios, self.embedder, plan.sizes, plan.seed)
        if reader is not None:
            self.done.read = read(made, reader)
        for crowded in (False, True):  # the second adds to the memories of the first
            self.done.injected += injected(made, plan.injecting, count, plan.seed, crowded)

    def _consolidation(self) -> Sequence[Remembered]:
        self._say("merging and retiring")
        rules = [remembered(s, self.extractor, self.embedder, self.services.count) for s in self.scenarios]
        fed = {
            RULES: rules,
            GOLD: [from_gold(s, self.embedder) for s in self.scenarios],
            BESIDE: [from_gold(s, self.embedder, beside=True) for s in self.scenarios],
        }
        for feed, made in fed.items():
            self.done.merged[feed, self.language] = [merging(one) for one in made]
            self.done.retired[feed, self.language] = [retiring(one) for one in made]
            found = [one for each in made for one in paraphrases(each)]
            self.done.paraphrased.setdefault(feed, []).extend(found)
        return rules

    def _answers(self) -> None:
        for scenario in self.scenarios:

            def by_rules(until: str, scenario: Scenario = scenario) -> Remembered:
                return remembered(scenario, self.extractor, self.embedder, self.services.count, until=until)

            def by_gold(until: str, scenario: Scenario = scenario) -> Remembered:
                return from_gold(scenario, self.embedder, beside=True, until=until)

            depth = self.done.plan.depth
            self.done.asked.setdefault(RULES, []).extend(asked(scenario, by_rules, depth))
            self.done.asked.setdefault(BESIDE, []).extend(asked(scenario, by_gold, depth))

    def _say(self, what: str) -> None:
        _say(f"{self.language}: {what}")


def _rules() -> Extractor:
    from mnemo_lab.extraction.rules.extractor import RulesExtractor

    return RulesExtractor()


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
