"""Whether the memory that answers a question is found, and how high it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from evals.memory.scenarios import MemoryProbe, Scenario
from evals.memory.world import Remembered
from mnemo_lab.conversation import time_of
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.ranking import Weights, rank
from mnemo_lab.text.answers import contains
from mnemo_lab.text.normalise import normalise

WAYS: Final[Mapping[str, Weights]] = {
    "keyword": Weights(1.0, 0.0),
    "vector": Weights(0.0, 1.0),
    "both": Weights(),
}
Group = Literal["unchanged", "changed", "as of"]


@dataclass(frozen=True)
class Asked:
    """A question: what kind it is, whether any memory holds the answer, and by way of searching the place (from 1) of
    the first that does, 0 where none of the first ``depth`` does. ``ahead``: by both it stands before every memory that
    holds the value it replaced (of changed facts only)."""

    scenario: str
    language: str
    group: Group
    kept: bool
    ranks: Mapping[str, int]
    ahead: bool = False


def asked(scenario: Scenario, build: Callable[[str], Remembered], depth: int) -> list[Asked]:
    """Each question to a memory of the conversations that began before it was asked; ``build`` makes one."""
    made: dict[tuple[str, ...], Remembered] = {}
    found = []
    for probe in scenario.probes:
        begun = tuple(
            t.id for t in scenario.conversations if (t.messages[0].timestamp or "")[:10] <= probe.asked_at[:10]
        )
        if begun not in made:
            made[begun] = build(probe.asked_at)
        found.append(_ask(scenario, probe, made[begun], depth))
    return found


def _ask(scenario: Scenario, probe: MemoryProbe, made: Remembered, depth: int) -> Asked:
    needles, polarity = needles_of(probe), {gold.id: gold.polarity for gold in scenario.facts}.get(probe.fact)
    kept = any(holds(item, needles, polarity) for item in made.items)
    ranks: dict[str, int] = {}
    ahead = False
    memory, former = made.memory, _former(scenario, probe)
    now, as_of = time_of(probe.asked_at), time_of(probe.as_of)
    assert now is not None
    for way, weights in WAYS.items():
        hits = rank(
            memory.store, memory.namespace, probe.question, now, depth, memory.settings.decay, weights, as_of=as_of
        )
        ranks[way] = at = place(hits.items, needles, polarity)
        ahead = 0 < at <= (place(hits.items, former) or at)
    return Asked(scenario.id, scenario.language, _group(scenario, probe), kept, ranks, ahead)


def _group(scenario: Scenario, probe: MemoryProbe) -> Group:
    if probe.as_of is not None:
        return "as of"
    return "changed" if any(gold.replaced_by == probe.fact for gold in scenario.facts) else "unchanged"


def _former(scenario: Scenario, probe: MemoryProbe) -> tuple[str, ...]:
    """Spellings of what the fact asked for replaced."""
    replaced = [gold for gold in scenario.facts if gold.replaced_by == probe.fact]
    return tuple(filter(None, (normalise(spelling) for gold in replaced for spelling in gold.spellings)))


def needles_of(probe: MemoryProbe) -> tuple[str, ...]:
    """Accepted answers in normal form; those that the question itself holds only where there are no others."""
    question = normalise(probe.question)
    answers = dict.fromkeys(filter(None, map(normalise, probe.answer)))
    telling = tuple(answer for answer in answers if not contains(question, answer))
    return telling or tuple(answers)


def holds(item: MemoryItem, needles: Iterable[str], polarity: str | None = None) -> bool:
    """Whether value or sentence hold an accepted answer; what says the contrary of the fact asked for does not."""
    text = normalise(f"{item.value} . {item.content}")
    return polarity in (None, item.polarity) and any(contains(text, needle) for needle in needles)


def place(items: Sequence[MemoryItem], needles: Iterable[str], polarity: str | None = None) -> int:
    """From 1; 0 where none holds an answer."""
    return next((at for at, item in enumerate(items, 1) if holds(item, needles, polarity)), 0)
