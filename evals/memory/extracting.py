"""Precision, recall and junk of an extractor on the scenarios: ``python -m evals.memory.extracting rules --show``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evals.memory.matching import closeness
from evals.memory.scenarios import LANGUAGES, GoldFact, Scenario, read_scenarios
from mnemo_lab.extraction.base import Extractor, Fact


@dataclass
class Counts:
    """Facts found and gold; ``right`` found ones are a gold one, ``met`` gold ones were found; ``junk`` found ones are
    from messages that state nothing worth remembering."""

    found: int = 0
    right: int = 0
    gold: int = 0
    met: int = 0
    junk: int = 0
    category: int = 0
    """Right ones whose category is right, too."""
    wrong: list[tuple[Scenario, Fact]] = field(default_factory=list)
    missed: list[tuple[Scenario, GoldFact]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else float("nan")

    @property
    def recall(self) -> float:
        return self.met / self.gold if self.gold else float("nan")

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def junk_rate(self) -> float:
        return self.junk / self.found if self.found else 0.0


def count(scenarios: Iterable[Scenario], extractor: Extractor) -> Counts:
    """Every conversation is read in one go; the same fact found in several of its messages is right each time."""
    counts = Counts()
    for scenario in scenarios:
        facts = [fact for talk in scenario.conversations for fact in extractor.extract(talk.messages)]
        score(counts, scenario, facts)
    return counts


def score(counts: Counts, scenario: Scenario, facts: Sequence[Fact]) -> None:
    stating = {message for gold in scenario.facts for message in gold.evidence}
    met: set[str] = set()
    for fact in facts:
        given = {"messages": [fact.message], "subject": fact.subject, "value": fact.value, "polarity": fact.polarity}
        scored = [(closeness(gold, **given), gold) for gold in scenario.facts]  # type: ignore[arg-type]
        best, gold = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        counts.junk += fact.message not in stating
        if best and gold:
            met.add(gold.id)
            counts.category += fact.category == gold.category
        else:
            counts.wrong.append((scenario, fact))
        counts.right += bool(best)
    counts.found += len(facts)
    counts.gold += len(scenario.facts)
    counts.met += len(met)
    counts.missed += [(scenario, gold) for gold in scenario.facts if gold.id not in met]


def show(counts: Counts) -> None:
    """What was wrong and what was missed, for development."""
    for scenario, fact in counts.wrong:
        print(f"WRONG  {scenario.id} {fact.message} [{fact.category}] {fact.subject} | {fact.attribute} | {fact.value}")
    for scenario, gold in counts.missed:
        said = {m.id: m.text for talk in scenario.conversations for m in talk.messages}
        print(
            f"MISSED {scenario.id} [{gold.category}] {gold.subject} | {gold.attribute} | {gold.value} ({gold.polarity})"
        )
        print(f"       {said[gold.evidence[0]][:300]!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=LANGUAGES, nargs="+", default=LANGUAGES)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--show", action="store_true", help="list what was wrong and what was missed (dev only)")
    options = parser.parse_args()
    from mnemo_lab.extraction.rules.extractor import RulesExtractor

    for language in options.language:
        counts = count(read_scenarios(language, options.split), RulesExtractor())
        if options.show and options.split == "dev":
            show(counts)
        print(
            f"{language} {options.split}: F1 {counts.f1:.3f}, precision {counts.precision:.3f}, recall "
            f"{counts.recall:.3f}, junk {counts.junk_rate:.3f}, category {counts.category}/{counts.right} "
            f"({counts.found} found, {counts.gold} gold)"
        )


if __name__ == "__main__":
    main()
