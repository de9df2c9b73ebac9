"""A grid of weightings measured on several recordings, judged by leaving one recording out."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evals.tuning.signals import Floats, Signals, measure

AXES: Final = {
    "context": (1.0,),
    "dense": (0.4, 0.6, 0.8, 1.0),
    "speaker": (1.0, 1.5, 2.0),
    "session": (0.2, 0.4),
    "window": (0.4,),
    "answers": (0.3, 0.6),
}
"""Weights tried for each signal beside 0. Only ratios matter, so the first is fixed."""
LEAST_GAIN: Final = 0.3
Config = tuple[float, ...]


class Step(NamedTuple):
    """A set of signals and what each signal in question gains, in points of the objective."""

    signals: list[str]
    gains: dict[str, float]


@dataclass(frozen=True)
class Study:
    """Every weighting of the grid, measured: ``values`` is (configurations, probes, measures) in per cent."""

    configs: list[Config]
    values: Floats
    recording_of: NDArray[np.int64]
    """Which recording each probe belongs to."""

    @cached_property
    def recordings(self) -> list[int]:
        return [int(number) for number in np.unique(self.recording_of)]

    def among(self, signals: Iterable[str]) -> list[int]:
        """Configurations that use exactly these signals."""
        used = [name in set(signals) for name in AXES]
        return [i for i, config in enumerate(self.configs) if [weight > 0 for weight in config] == used]

    def best(self, signals: Iterable[str], left_out: int | None = None) -> int:
        """The configuration of these signals with the best objective on all recordings but one."""
        chosen, seen = self.among(signals), self.recording_of != (-1 if left_out is None else left_out)
        return chosen[int(self.values[chosen][:, seen].mean(axis=(1, 2)).argmax())]

    def held_out(self, signals: Sequence[str]) -> Floats:
        """(probes, measures), each recording measured with the weights that the others chose."""
        result = np.empty(self.values.shape[1:])
        for recording in self.recordings:
            here = self.recording_of == recording
            result[here] = self.values[self.best(signals, recording), here]
        return result

    def score(self, signals: Sequence[str]) -> float:
        """The objective, one recording left out."""
        return float(self.held_out(signals).mean())

    def lost_without(self, signals: Sequence[str]) -> dict[str, float]:
        """What each of the signals adds to the others."""
        full = self.score(signals)
        return {name: full - self.score([other for other in signals if other != name]) for name in signals}

    def gained_with(self, signals: Sequence[str]) -> dict[str, float]:
        """What each further signal adds to these."""
        base = self.score(signals)
        return {name: self.score([*signals, name]) - base for name in AXES if name not in signals}


def run_grid(signals: Sequence[Signals]) -> Study:
    """Measure every combination of weights, each signal also at 0."""
    combinations = itertools.product(*((0.0, *weights) for weights in AXES.values()))
    configs = [config for config in combinations if any(config)]
    values = [np.concatenate([measure(s, dict(zip(AXES, c, strict=True))) for s in signals]) for c in configs]
    owner = np.concatenate([np.full(len(s.gold), number) for number, s in enumerate(signals)])
    return Study(configs, np.stack(values), owner)


def add_signals(study: Study) -> list[Step]:
    """From the best single signal on: add the one that gains most while it gains at least ``LEAST_GAIN``."""
    kept, path = [max(AXES, key=lambda name: study.score([name]))], []
    while len(kept) < len(AXES):
        path.append(Step(list(kept), study.gained_with(kept)))
        most = max(path[-1].gains, key=lambda name: path[-1].gains[name])
        if path[-1].gains[most] < LEAST_GAIN:
            return path
        kept.append(most)
    return [*path, Step(kept, {})]


def drop_signals(study: Study) -> list[Step]:
    """From all signals on: drop the one that gains least while it gains less than ``LEAST_GAIN``."""
    kept, path = list(AXES), []
    while len(kept) > 1:
        path.append(Step(list(kept), study.lost_without(kept)))
        least = min(kept, key=lambda name: path[-1].gains[name])
        if path[-1].gains[least] >= LEAST_GAIN:
            return path
        kept.remove(least)
    return [*path, Step(kept, {})]
