"""What a block of memories costs, and whether it holds the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evals.memory.answers import needles_of
from evals.memory.distractors import distractors
from evals.memory.plan import Injecting
from evals.memory.scenarios import Scenario
from evals.memory.sizes import keep
from evals.memory.world import Remembered
from mnemo_lab.conversation import time_of
from mnemo_lab.text.answers import contains
from mnemo_lab.text.normalise import normalise


@dataclass(frozen=True)
class Injected:
    """Blocks of at most ``room`` tokens for ``asked`` questions: ``answered`` hold the answer; ``tokens`` altogether,
    and ``useful`` lines that answer one of the scenario's questions."""

    language: str
    room: int
    crowd: int
    asked: int
    answered: int
    tokens: int
    useful: int


def injected(
    made: Sequence[Remembered], plan: Injecting, count: Callable[[str], int], seed: int, crowded: bool
) -> list[Injected]:
    """Questions about now. ``crowded``: with ``plan.crowd`` memories of other things of the last 30 days added."""
    if crowded:
        _add(made, plan.crowd, seed)
    rows = []
    for room in plan.tokens:
        asked = answered = tokens = useful = 0
        for one in made:
            now = [probe for probe in one.scenario.probes if probe.as_of is None]
            answers = [needles_of(probe) for probe in now]
            for probe, own in zip(now, answers, strict=True):
                block = one.memory.inject(probe.question, probe.asked_at, room, count)
                lines = [normalise(line.text) for line in block.lines if line.item is not None]
                asked, answered = asked + 1, answered + any(_holds(line, own) for line in lines)
                tokens += block.tokens
                useful += sum(any(_holds(line, needles) for needles in answers) for line in lines)
        crowd = plan.crowd if crowded else 0
        rows.append(Injected(made[0].scenario.language, room, crowd, asked, answered, tokens, useful))
    return rows


def _holds(line: str, needles: Sequence[str]) -> bool:
    return any(contains(line, needle) for needle in needles)


def _add(made: Sequence[Remembered], number: int, seed: int) -> None:
    attributes = sorted({gold.attribute for one in made for gold in one.scenario.facts})
    for one in made:
        now = time_of(_last_asked(one.scenario))
        if now is not None:
            crowd = distractors(one.scenario.language, attributes, number, now, 30, seed, one.scenario.id)
            keep(one.memory.store, crowd)


def _last_asked(scenario: Scenario) -> str | None:
    return max((probe.asked_at for probe in scenario.probes), default=None)
