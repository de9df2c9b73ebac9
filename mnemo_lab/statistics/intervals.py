"""Intervals for the mean of a metric, clustered by recording."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import nan
from typing import NamedTuple

from numpy.typing import ArrayLike

from mnemo_lab.errors import InvalidInput
from mnemo_lab.statistics.cr2 import Spread, macro_spread, probe_spread
from mnemo_lab.statistics.distributions import t_quantile
from mnemo_lab.statistics.grouping import Groups, as_values, group

FEWEST_CLUSTERS = 6
"""Below this many recordings nothing is claimed about recordings not seen."""
ROUGH_DF = 4.0
"""Below this the Satterthwaite approximation is poor (Tipton 2015, Psychological Methods 20(3))."""
ROUNDING = 1e-9
CONDITIONAL = "conditional on these recordings"

Bounds = tuple[float, float]


class Interval(NamedTuple):
    """A mean and where the population's mean may be; ``lo`` and ``hi`` are NaN where no interval is claimed.

    ``n`` counts the probes whose value is defined and ``clusters`` their recordings. ``note`` says what a reader
    has to know, empty if nothing. ``se`` and ``df`` are given from two recordings on.
    """

    point: float
    lo: float
    hi: float
    n: int
    clusters: int
    note: str = ""
    se: float = nan
    df: float = nan


class ClusterMean(NamedTuple):
    """One recording's mean over its ``n`` defined probes."""

    cluster: Hashable
    mean: float
    n: int


def cluster_means(values: ArrayLike, clusters: Iterable[Hashable]) -> tuple[ClusterMean, ...]:
    """Per-recording means, in order of first appearance; recordings without a defined value are left out."""
    groups = group(values, clusters)
    rows = zip(groups.labels, groups.means.tolist(), groups.counts.tolist(), strict=True)
    return tuple(ClusterMean(label, mean, int(n)) for label, mean, n in rows)


def mean_interval(
    values: ArrayLike, clusters: Iterable[Hashable], level: float = 0.95, bounds: Bounds | None = None
) -> Interval:
    """Mean over probes: CR2 standard error, t with Satterthwaite degrees of freedom (see ``cr2``).

    Args:
        values: one per probe; NaN where undefined.
        clusters: the recording of each probe.
        level: coverage aimed at.
        bounds: range the metric cannot leave, as ``(0, 1)``; an interval cut there says so in its note.

    Raises:
        InvalidInput: lengths differ, a value is infinite or outside ``bounds``, ``level`` is not within 0..1.
    """
    groups = group(values, clusters)
    check_bounds(values, bounds)
    return interval(groups.mean, probe_spread(groups), groups, level, bounds)


def macro_interval(
    values: ArrayLike, clusters: Iterable[Hashable], level: float = 0.95, bounds: Bounds | None = None
) -> Interval:
    """Mean of the recordings' means, each counting the same: t with ``G - 1`` degrees. Arguments as above."""
    groups = group(values, clusters)
    check_bounds(values, bounds)
    return interval(groups.macro_mean, macro_spread(groups), groups, level, bounds)


def interval(point: float, spread: Spread, groups: Groups, level: float, bounds: Bounds | None = None) -> Interval:
    """``point`` plus and minus t standard errors, or no interval below six recordings."""
    if not 0 < level < 1:
        raise InvalidInput(f"level {level} is not between 0 and 1; 0.95 is usual")
    if groups.clusters < FEWEST_CLUSTERS:
        note = f"{CONDITIONAL} ({groups.clusters})" if groups.n else "no defined value"
        return Interval(point, nan, nan, groups.n, groups.clusters, note, *spread)
    reach = t_quantile((1 + level) / 2, spread.df) * spread.se
    lo, hi, cut = _cut(point - reach, point + reach, bounds)
    note = "; ".join(filter(None, [*_cautions(spread), cut]))
    return Interval(point, lo, hi, groups.n, groups.clusters, note, *spread)


def check_bounds(values: ArrayLike, bounds: Bounds | None) -> None:
    """Raise ``InvalidInput`` if a defined value is outside of the range it is said to have."""
    if bounds is None:
        return
    low, high = bounds
    array = as_values(values)
    outside = array[(array < low - ROUNDING) | (array > high + ROUNDING)]
    if len(outside):
        raise InvalidInput(f"value {outside[0]} is outside of the bounds {low:g}..{high:g}; widen or omit them")


def _cautions(spread: Spread) -> list[str]:
    cautions = []
    if spread.se == 0:
        cautions.append("all recordings agree: the interval has no width, which is not certainty")
    if spread.df < ROUGH_DF:
        cautions.append(f"a few recordings hold most probes ({spread.df:.1f} degrees of freedom): rough")
    return cautions


def _cut(lo: float, hi: float, bounds: Bounds | None) -> tuple[float, float, str]:
    if bounds is None or (lo >= bounds[0] and hi <= bounds[1]):
        return lo, hi, ""
    note = f"cut to {bounds[0]:g}..{bounds[1]:g} from {lo:.3f}..{hi:.3f}"
    return max(lo, float(bounds[0])), min(hi, float(bounds[1])), note
