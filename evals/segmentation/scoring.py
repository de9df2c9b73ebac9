"""Scores of one method on the conversations of a set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Final, NamedTuple

from evals.segmentation import baselines
from evals.segmentation.plan import Plan, Row
from evals.segmentation.talks import Talk
from mnemo_lab.metrics.segmentation import Matches, match, pk, window_diff
from mnemo_lab.statistics.intervals import Interval, macro_interval
from mnemo_lab.statistics.pairs import Pair, compare_pairs

Find = Callable[[Talk], list[int]]
MEASURES: Final = ("pk", "window_diff", "f1", "f1_near")


class One(NamedTuple):
    """One conversation: its errors, and its matches, exact and within the set's tolerance."""

    pk: float
    window_diff: float
    exact: Matches
    near: Matches

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


def score(label: str, talks: Sequence[Talk], tolerance: int, *finds: Find) -> Scored:
    """Measure a method; several ``finds`` are the same method with several seeds."""
    runs = tuple(tuple(_one(talk, find(talk), tolerance) for talk in talks) for find in finds)
    return Scored(label, tuple(t.recording for t in talks), tuple(t.length for t in talks), runs)


def score_baselines(plan: Plan, talks: Sequence[Talk], seeds: int) -> dict[str, Scored]:
    """None, even, random and lexical TextTiling."""
    by_seed: list[Find] = [lambda talk, seed=seed: baselines.random(talk, seed) for seed in range(seeds)]  # type: ignore[misc]
    found = {
        "none": score("none", talks, plan.tolerance, baselines.none),
        "even": score("even (true number)", talks, plan.tolerance, baselines.even),
        "random": score(f"random (true number, {seeds} seeds)", talks, plan.tolerance, *by_seed),
    }
    tiling = plan.texttiling
    units = f"{tiling.words} words" if tiling.words else "one message"
    said = f"lexical TextTiling (units of {units}, block {tiling.block})"
    found["texttiling"] = score(said, talks, plan.tolerance, lambda talk: baselines.texttiling(talk, tiling))
    return found


def score_row(row: Row, plan: Plan, talks: Sequence[Talk]) -> Scored:
    """One trigger."""
    return score(row.label, talks, plan.tolerance, lambda talk: talk.found(row.trigger, row.delay))


def _one(talk: Talk, found: list[int], tolerance: int) -> One:
    wanted, length = talk.wanted, talk.length
    errors = pk(wanted, found, length), window_diff(wanted, found, length)
    return One(*errors, match(wanted, found), match(wanted, found, tolerance))


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if value == value]
    return sum(defined) / len(defined) if defined else nan
