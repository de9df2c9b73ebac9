"""Scores of one method on the conversations of a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Final, NamedTuple

import numpy as np

from evals.segmentation import baselines
from evals.segmentation.plan import Plan, Row
from evals.segmentation.talks import Cut, Talk
from mnemo_lab.metrics.segmentation import Matches, match, pk, window_diff
from mnemo_lab.statistics.grouping import group
from mnemo_lab.statistics.intervals import Interval, macro_interval
from mnemo_lab.statistics.pairs import Pair, compare_pairs

Find = Callable[[Talk], Sequence[Cut]]
DRAWS: Final = 10_000
"""Of the bootstrap."""


class One(NamedTuple):
    """One conversation: its errors, and its matches, exact and within the set's tolerance. ``charged`` are the same
    where every boundary stands at the message that let it be known (those the end alone decided are none); ``late``
    are messages from a boundary to that one, added up."""

    pk: float
    window_diff: float
    exact: Matches
    near: Matches
    late: int = 0
    charged: One | None = None

    @property
    def f1(self) -> float:
        return self.exact.f1

    @property
    def f1_near(self) -> float:
        return self.near.f1


@dataclass(frozen=True)
class Scored:
    """One method: conversations in the set's order, each once per seed (a method without chance has one)."""

    label: str
    recordings: tuple[str, ...]
    lengths: tuple[int, ...]
    runs: tuple[tuple[One, ...], ...]

    @property
    def charged(self) -> Scored:
        """The same, every boundary where it was known."""
        runs = tuple(tuple(one.charged or one for one in run) for run in self.runs)
        return Scored(self.label, self.recordings, self.lengths, runs)

    @property
    def late(self) -> float:
        """Messages between a boundary and the one that let it be known, the mean; NaN where none was found."""
        found = self.pooled(near=False).found
        return sum(one.late for run in self.runs for one in run) / found if found else nan

    def values(self, measure: str) -> list[float]:
        """One per conversation, the mean over seeds; NaN where undefined."""
        columns = zip(*([getattr(one, measure) for one in run] for run in self.runs), strict=True)
        return [_mean(column) for column in columns]

    def interval(self, measure: str) -> Interval:
        """Mean over recordings, each the mean of its conversations."""
        return macro_interval(self.values(measure), self.recordings, bounds=(0, 1))

    def pooled(self, near: bool) -> Matches:
        """Matches added up over conversations and seeds."""
        found = [one.near if near else one.exact for run in self.runs for one in run]
        return Matches(*(sum(column) for column in zip(*found, strict=True)))

    @property
    def density(self) -> float:
        """Boundaries found per 100 messages."""
        return 100 * self.pooled(near=False).found / (sum(self.lengths) * len(self.runs))

    def against(self, other: Scored, measure: str) -> Pair:
        """This less the other, by recording."""
        return compare_pairs(self.values(measure), other.values(measure), self.recordings, macro=True)

    def bootstrap(self, other: Scored, measure: str) -> tuple[float, float]:
        """Where 95 % of means of this less the other lie, over recordings drawn anew with replacement."""
        differences = np.subtract(self.values(measure), other.values(measure))
        means = group(differences, self.recordings).means
        drawn = np.random.default_rng(0).choice(means, (DRAWS, len(means))).mean(axis=1)
        low, high = np.percentile(drawn, (2.5, 97.5))
        return float(low), float(high)


def score(label: str, talks: Sequence[Talk], tolerance: int, *finds: Find) -> Scored:
    """Measure a method; several ``finds`` are the same method with several seeds."""
    runs = tuple(tuple(_one(talk, find(talk), tolerance) for talk in talks) for find in finds)
    return Scored(label, tuple(t.recording for t in talks), tuple(t.length for t in talks), runs)


def score_baselines(plan: Plan, talks: Sequence[Talk], seeds: int) -> dict[str, Scored]:
    """None, even, random and lexical TextTiling."""
    tiling = plan.texttiling
    units = f"{tiling.words} words" if tiling.words else "one message"
    tiled = f"lexical TextTiling (units of {units}, block {tiling.block})"

    def scored(label: str, *finds: Callable[[Talk], list[int]]) -> Scored:
        return score(label, talks, plan.tolerance, *map(_as_cuts, finds))

    return {
        "none": scored("none", baselines.none),
        "even": scored("even (true number)", baselines.even),
        "random": scored(
            f"random (true number, {seeds} seeds)", *(partial(baselines.random, seed=seed) for seed in range(seeds))
        ),
        "texttiling": scored(tiled, partial(baselines.texttiling, tiling=tiling)),
    }


def _as_cuts(find: Callable[[Talk], list[int]]) -> Find:
    return lambda talk: [Cut(at, at) for at in find(talk)]


def score_row(row: Row, plan: Plan, talks: Sequence[Talk]) -> Scored:
    """One trigger."""
    return score(row.label, talks, plan.tolerance, lambda talk: talk.found(row.trigger, row.delay))


def _one(talk: Talk, cuts: Sequence[Cut], tolerance: int) -> One:
    charged = _measured(talk, [cut.known for cut in cuts if cut.known < talk.length], tolerance)
    late = sum(cut.known - cut.at for cut in cuts)
    return _measured(talk, [cut.at for cut in cuts], tolerance)._replace(late=late, charged=charged)


def _measured(talk: Talk, found: Sequence[int], tolerance: int) -> One:
    wanted, length = talk.wanted, talk.length
    errors = pk(wanted, found, length), window_diff(wanted, found, length)
    return One(*errors, match(wanted, found), match(wanted, found, tolerance))


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if value == value]
    return sum(defined) / len(defined) if defined else nan
