"""How small a difference these recordings could have shown."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import isnan, nan, sqrt
from typing import NamedTuple

from numpy.typing import ArrayLike

from mnemo_lab.errors import InvalidInput
from mnemo_lab.statistics.cr2 import macro_spread
from mnemo_lab.statistics.distributions import noncentrality, t_quantile
from mnemo_lab.statistics.grouping import group
from mnemo_lab.statistics.intervals import FEWEST_CLUSTERS


class Power(NamedTuple):
    """The difference that a paired test over recordings would show with the given power, and a sentence for it.

    ``sd`` is the standard deviation of the recordings' mean differences. NaN below two recordings or without spread.
    """

    detectable: float
    sd: float
    clusters: int
    note: str


def minimum_detectable_difference(sd: float, clusters: int, power: float = 0.8, level: float = 0.95) -> float:
    """Smallest true difference that a two-sided t test over ``clusters`` recordings finds with this power.

    ``ncp * sd / sqrt(G)`` where a noncentral t with ``G - 1`` degrees and noncentrality ``ncp`` exceeds the critical
    value with probability ``power`` (Cohen 1988, ch. 2; Bloom 1995, Evaluation Review 19(5), for the multiplier).
    NaN for fewer than two recordings or an ``sd`` that is zero or NaN.

    Raises:
        InvalidInput: ``sd`` is negative, or ``level`` or ``power`` is out of range.
    """
    if not (0 < level < 1 and (1 - level) / 2 < power < 1):
        raise InvalidInput(f"power {power} and level {level} must lie between 0 and 1; 0.8 and 0.95 are usual")
    if sd < 0:
        raise InvalidInput(f"standard deviation {sd} is negative")
    if clusters < 2 or isnan(sd) or sd == 0:
        return nan
    df = clusters - 1
    return noncentrality(df, 1 - power, t_quantile((1 + level) / 2, df)) * sd / sqrt(clusters)


def detectable_difference(
    differences: ArrayLike, clusters: Iterable[Hashable], power: float = 0.8, level: float = 0.95
) -> Power:
    """The same from paired differences per probe (NaN where undefined) and the recording of each probe."""
    groups = group(differences, clusters)
    sd = macro_spread(groups).se * sqrt(groups.clusters)
    least = minimum_detectable_difference(sd, groups.clusters, power, level)
    if isnan(least):
        return Power(nan, sd, groups.clusters, f"no spread over {groups.clusters} recordings: power unknown")
    note = f"{groups.clusters} recordings would show a true mean difference of {least:.3f} with {power:.0%} power"
    if groups.clusters < FEWEST_CLUSTERS:
        note += "; sign flips of fewer than six cannot reach p < 0.05"
    return Power(least, sd, groups.clusters, note)
