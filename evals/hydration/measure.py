"""The grid, replayed: strategies with the same checkpoints share one memory, since only their read path differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from time import process_time
from typing import Final, NamedTuple

import polars as pl

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.describers.base import Describer, Description
from mnemo_lab.describers.prompts import request
from mnemo_lab.history import History
from mnemo_lab.hydration.index import HydrationIndex
from mnemo_lab.hydration.memory import HydratingMemory
from mnemo_lab.hydration.strategies.base import HydrationCandidates, WithCheckpoints
from mnemo_lab.ledger import Ledger
from mnemo_lab.metrics import METRICS
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.replay.loop import Feeder, asks, outcome_of, replay
from mnemo_lab.replay.outcome import Costs, Outcome
from mnemo_lab.replay.run import embed_together
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.text.language import language_of

SHOWN: Final = ("evidence_recall", "answer_in_context")


MEMORY: Final = ("trigger", "delay", "describer", "reach", "vector")
"""Settings that change what a memory holds."""


class Cut(NamedTuple):
    """What a trigger cut a recording into, and what that took.

    ``passages``: tokens of the messages that are embedded, ``written``: of all that is embedded on the write path, by
    the ledger; ``seconds`` of processor time for the descriptions; ``asked``: tokens that a language model would read
    to write them.
    """

    data: str
    recording: str
    split: str
    trigger: str
    delay: int
    vector: str
    messages: int
    checkpoints: int
    passages: int
    written: int
    seconds: float
    asked: int


@dataclass
class Clocked:
    """A describer with a watch."""

    name: str
    own: Describer
    seconds: float = 0.0

    def describe(self, messages: Sequence[Message]) -> Description:
        begun = process_time()
        found = self.own.describe(messages)
        self.seconds += process_time() - begun
        return found

    def saw(self, messages: Sequence[Message]) -> None:
        self.own.saw(messages)


class Measured(NamedTuple):
    """Rows: one per probe, strategy and budget. Cuts: one per recording and trigger."""

    rows: pl.DataFrame
    cuts: pl.DataFrame


def measure(
    data: Mapping[str, Dataset], strategies: Mapping[str, str], budgets: Sequence[int], cache: str | None = None
) -> Iterator[tuple[str, Measured]]:
    """Every recording under every strategy (label to text), with the recording's id, as they are done."""
    chosen = {label: parse_strategy(text) for label, text in strategies.items()}
    opened: dict[str, Services] = {}
    for name, dataset in data.items():
        for recording in dataset.recordings:
            spec = ServicesSpec(cache=cache).for_language(recording.language)
            services = opened.setdefault(spec.embedder, spec.open())
            view = RecordingView(recording, services)
            embed_together(view, list(chosen.values()), services)
            rows, cuts = [], []
            for shared in sharing(chosen):
                outcomes, cut = _replayed(name, view, shared, budgets, services)
                rows += [_row(name, outcome) for outcome in outcomes]
                cuts += [cut] if cut else []
            yield recording.id, Measured(pl.DataFrame(rows), pl.DataFrame(cuts, schema=list(Cut._fields), orient="row"))


def sharing(strategies: Mapping[str, Strategy]) -> list[dict[str, Strategy]]:
    """Strategies by what their memory holds: those in one group differ on the read path alone."""
    groups: dict[object, dict[str, Strategy]] = {}
    for label, strategy in strategies.items():
        key: object = label
        if isinstance(strategy, WithCheckpoints):
            key = tuple(getattr(strategy, name) for name in MEMORY)
        groups.setdefault(key, {})[label] = strategy
    return list(groups.values())


def _replayed(
    name: str, view: RecordingView, shared: Mapping[str, Strategy], budgets: Sequence[int], services: Services
) -> tuple[list[Outcome], Cut | None]:
    first = next(iter(shared.values()))
    if not isinstance(first, WithCheckpoints):
        (label,) = shared
        return list(replay(view, first, label, budgets, services)), None
    services.ledger, history = Ledger(), History(services)
    index = first.open_index(services)
    index.describer = clock = Clocked(index.describer.name, index.describer)
    memories = {
        label: HydratingMemory(strategy, history, services, index)
        for label, strategy in shared.items()
        if isinstance(strategy, WithCheckpoints)
    }
    feeder = Feeder(view, next(iter(memories.values())), services)
    outcomes = list(_asked(view, feeder, memories, [Budget(tokens, services.counter) for tokens in budgets]))
    feeder.finish()
    return outcomes, _cut(name, view, first, index, clock.seconds, services)


def _asked(
    view: RecordingView, feeder: Feeder, memories: Mapping[str, HydratingMemory], budgets: Sequence[Budget]
) -> Iterator[Outcome]:
    for ask in asks(view):
        if ask.probe.after is None:
            feeder.finish()
        else:
            feeder.feed(ask.horizon)
        feeder.services.ledger.path = "read"
        query = Query(ask.probe.question, ask.probe.asked_at or _last_time(view, ask.horizon))
        for label, memory in memories.items():
            for budget in budgets:
                yield outcome_of(view, ask, label, budget.tokens, memory.recall(query, budget), Costs())


def _last_time(view: RecordingView, horizon: int) -> str | None:
    return view.messages[horizon - 1].timestamp if horizon else None


def _cut(
    name: str, view: RecordingView, strategy: WithCheckpoints, index: HydrationIndex, seconds: float, services: Services
) -> Cut:
    passages = sum(services.count(text) for text in strategy.texts_to_embed(view.messages))
    asked = 0
    for stretch in index.stretches:
        inside = view.messages[stretch.start : stretch.stop]
        lines = [f"{speaker_of(message)}: {message.text}\n" for message in inside]
        prompt = request(lines, language_of(message.text for message in inside))
        asked += sum(services.count(message.text) for message in prompt)
    of, cut = view.recording, (strategy.trigger, strategy.delay, strategy.vector)
    counts = (len(view.messages), len(index.stretches), passages, services.ledger.total("write"))
    return Cut(name, of.id, of.split, *cut, *counts, seconds, asked)


def searched(outcome: Outcome) -> float:
    """Messages and checkpoints that were scored for the question, by message there was."""
    found = outcome.context.candidates if outcome.context else None
    if found is None or not outcome.gold.horizon:
        return nan
    checkpoints = len(found.stretches) if isinstance(found, HydrationCandidates) else 0
    return (len(found.positions) + checkpoints) / outcome.gold.horizon


def _row(name: str, outcome: Outcome) -> dict[str, object]:
    probe, recording = outcome.probe, outcome.view.recording
    return {
        "data": name,
        "recording": recording.id,
        "split": recording.split,
        "language": recording.language,
        "probe": probe.id,
        "answerable": probe.answerable,
        "gold": len(probe.evidence),
        "strategy": outcome.strategy,
        "budget": outcome.budget_tokens,
        "searched": searched(outcome),
        **{metric: METRICS[metric](outcome) for metric in SHOWN},
    }
