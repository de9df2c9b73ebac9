"""What ``importance`` keeps of development recordings, and how its weights are chosen: one changed at a time.

It sends the same whatever is asked, so it is asked once per place and budget, and every question there is measured on
that; signals do not depend on weights, so they are read once per place (``tests/evals`` holds this to a replay).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evals.tuning.kept import FEWEST
from mnemo_lab.context import Budget, Query
from mnemo_lab.history import History
from mnemo_lab.recording import Recording
from mnemo_lab.replay.loop import asks
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services
from mnemo_lab.truncation.importance import Importance, ImportanceScorer
from mnemo_lab.truncation.signals import Signals

Floats = NDArray[np.float64]
MEASURES: Final = ("evidence_recall", "answer_in_context")
BUDGETS: Final = (512, 724, 1024, 1448, 2048, 2896, 4096)
"""Closer together than a report needs: whether a budget ends just before or after a message is chance."""
WORTH: Final = 0.3
"""Points of the objective that a signal must add to be used."""
LEAST_GAIN: Final = 0.05
AXES: Final[dict[str, tuple[float, ...]]] = {
    "length": (1.0, 1.1, 1.2, 1.3, 1.4),
    "facts": (0.0, 0.25, 0.5, 0.75, 1.0),
    "decision": (0.0, 0.1, 0.2),
    "question": (-0.5, -0.25, 0.0),
    "answers": (0.0, 0.25, 0.5),
    "own": (0.0, 0.25, 0.5),
    "code": (-0.5, 0.0, 0.5),
    "role": (0.0, 0.5, 1.0),
    "newness": (0.0, 0.25),
    "referred": (0.0, 0.5),
    "novelty": (0.0, 0.2),
}
"""Weights tried. A negative one for newness is not: it would learn where these data sets put their evidence."""
OFF: Final[Mapping[str, float]] = {**dict.fromkeys(AXES, 0.0), "length": 1.0}
"""Without any signal: information per token."""
START: Final[Mapping[str, float]] = {
    "length": 1.2, "facts": 0.5, "decision": 0.1, "question": -0.25, "answers": 0.25, "own": 0.25, "code": -0.5,
    "role": 0.5, "newness": 0.25, "referred": 0.5, "novelty": 0.2,
}  # fmt: skip
"""Every signal on."""
Weights = Mapping[str, float]


class Asked(NamedTuple):
    """Positions of a question's evidence, and per alternative of its answer the positions of every part."""

    evidence: tuple[int, ...]
    answers: list[list[frozenset[int]]]


class Place(NamedTuple):
    """A point of a recording at which questions are asked, with all that was seen there."""

    history: History
    signals: Signals
    asked: list[Asked]


def places(recording: Recording, services: Services) -> Iterator[Place]:
    """Where answerable questions are asked, in time order."""
    view = RecordingView(recording, services)
    answerable = sorted((a for a in asks(view) if a.probe.answerable), key=lambda ask: ask.horizon)
    for horizon, group in groupby(answerable, key=lambda ask: ask.horizon):
        history, signals = _seen(recording, horizon, services), Signals(services)
        signals.add(history, 0)
        found = [Asked(view.gold(a.probe).evidence, _answers(view.answer_places(a.probe))) for a in group]
        yield Place(history, signals, found)


def _answers(parts: list[list[tuple[str, frozenset[int]]]]) -> list[list[frozenset[int]]]:
    """The alternatives that the full text contains."""
    return [[here for _, here in part] for part in parts if all(here for _, here in part)]


def _seen(recording: Recording, horizon: int, services: Services) -> History:
    history = History(services)
    for conversation in recording.conversations:
        if len(history) < horizon:
            history.begin(conversation.info)
            history.extend(conversation.messages[: horizon - len(history)])
    return history


def measured(strategy: Importance, found: Sequence[Place], services: Services) -> Floats:
    """(measures, questions, budgets) in per cent; NaN where a measure is not defined for a question."""
    rows = []
    for place in found:
        scorer = ImportanceScorer(strategy, place.signals)
        kept = [_kept(strategy, scorer, place.history, Budget(b, services.counter), services) for b in BUDGETS]
        rows += [[[_recall(asked, k), _has_answer(asked, k)] for k in kept] for asked in place.asked]
    return 100 * np.array(rows, dtype=float).reshape(-1, len(BUDGETS), len(MEASURES)).transpose(2, 0, 1)


def _kept(
    strategy: Importance, scorer: ImportanceScorer, history: History, budget: Budget, services: Services
) -> set[int]:
    pieces = strategy.choose(scorer, history, Query(""), budget, services)
    return {history.position_of[s.message_id] for p in pieces if p.elided is None for s in p.sources}


def _recall(asked: Asked, kept: set[int]) -> float:
    return float(np.mean([e in kept for e in asked.evidence])) if asked.evidence else np.nan


def _has_answer(asked: Asked, kept: set[int]) -> float:
    return float(any(all(part & kept for part in parts) for parts in asked.answers)) if asked.answers else np.nan


@dataclass
class Study:
    """Strategies measured on development recordings, each once. ``groups`` names every recording's data set."""

    places: Sequence[Sequence[Place]]
    groups: Sequence[str]
    services: Services
    start: Importance = field(default_factory=Importance)
    known: dict[Importance, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Iterable[Recording]], services: Services) -> Study:
        pairs = [(name, recording) for name, recordings in data.items() for recording in recordings]
        return cls([list(places(r, services)) for _, r in pairs], [name for name, _ in pairs], services)

    def values(self, weights: Weights) -> Floats:
        """The objective on every recording."""
        strategy = replace(self.start, **weights)  # type: ignore[arg-type]
        if strategy not in self.known:
            self.known[strategy] = np.array([objective(measured(strategy, p, self.services)) for p in self.places])
        return self.known[strategy]

    def mean(self, values: Floats, left_out: int | None = None) -> float:
        """Every data set counts the same, and so does every recording in it."""
        seen = [i for i in range(len(values)) if i != left_out]
        names = dict.fromkeys(self.groups[i] for i in seen)
        return float(np.mean([np.mean([values[i] for i in seen if self.groups[i] == name]) for name in names]))

    def score(self, weights: Weights, left_out: int | None = None) -> float:
        return self.mean(self.values(weights), left_out)

    def chosen(self, left_out: int | None = None) -> Weights:
        """From every signal on: make the one change that gains most, each signal in use costing ``WORTH``.

        ``left_out``: the recording that has no say.
        """

        def rate(weights: Weights) -> float:
            return self.score(weights, left_out) - WORTH * sum(weights[name] != OFF[name] for name in AXES)

        weights = START
        while True:
            others = [{**weights, name: value} for name in AXES for value in AXES[name] if value != weights[name]]
            best = max(others, key=rate)
            if not rate(best) >= rate(weights) + LEAST_GAIN:  # nor where there is nothing to measure
                return weights
            weights = best

    def folds(self) -> list[Weights]:
        """For every recording the weights that the others choose."""
        return [self.chosen(left_out) for left_out in range(len(self.places))]

    def held_out(self, folds: Sequence[Weights]) -> Floats:
        """Every recording measured with the weights that were chosen without it."""
        return np.array([self.values(weights)[i] for i, weights in enumerate(folds)])

    def lost_without(self, weights: Weights, name: str) -> float:
        """What a signal in use adds to the others."""
        return self.score(weights) - self.score({**weights, name: OFF[name]})

    def best_beside(self, weights: Weights, name: str) -> tuple[float, float]:
        """The best other weight of a signal and what it gains (negative: what it loses)."""
        others = [value for value in AXES[name] if value != weights[name]]
        best = max(others, key=lambda value: self.score({**weights, name: value}))
        return best, self.score({**weights, name: best}) - self.score(weights)


def objective(values: Floats) -> float:
    """Mean over the measures that enough questions have, and over budgets; NaN where none has."""
    enough = [row for row in values if np.count_nonzero(~np.isnan(row[:, 0])) >= FEWEST]
    return float(np.mean([np.nanmean(row) for row in enough])) if enough else float("nan")
