"""Two strategies on the same probes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mnemo_lab.errors import InvalidInput
from mnemo_lab.statistics.cr2 import macro_spread, probe_spread
from mnemo_lab.statistics.distributions import fair_coin_p
from mnemo_lab.statistics.grouping import Floats, as_values, group
from mnemo_lab.statistics.intervals import interval
from mnemo_lab.statistics.permutation import sign_flip

TIE = 1e-12
"""Values closer than this are the same value."""
ALPHA = 0.05


class Pair(NamedTuple):
    """``a`` less ``b``: positive where ``a`` is higher.

    ``lo`` and ``hi`` are NaN below six recordings. ``smallest_p`` is the least ``p_permutation`` that these
    recordings could have given. ``mcnemar_p`` is NaN unless all values are 0 or 1; it takes probes as independent,
    so it is a secondary view. ``wins``, ``ties`` and ``losses`` count probes, and add up to ``n``.
    """

    difference: float
    lo: float
    hi: float
    p_permutation: float
    smallest_p: float
    mcnemar_p: float
    wins: int
    ties: int
    losses: int
    n: int
    clusters: int
    note: str = ""


def compare_pairs(
    a: ArrayLike, b: ArrayLike, clusters: Iterable[Hashable], seed: int = 0, level: float = 0.95, macro: bool = False
) -> Pair:
    """Compare two strategies probe by probe; probes undefined for either are left out.

    Args:
        a: one value per probe, NaN where undefined.
        b: the other strategy's values for the same probes in the same order.
        clusters: the recording of each probe.
        seed: of the permutation test beyond 12 recordings.
        level: coverage of the interval.
        macro: weigh recordings the same instead of probes, in the difference, its interval and the permutation.

    Raises:
        InvalidInput: lengths differ or a value is infinite.
    """
    left, right = as_values(a), as_values(b)
    if len(left) != len(right):
        raise InvalidInput(f"{len(left)} values against {len(right)}; give both strategies' values for the same probes")
    difference = left - right
    difference[np.abs(difference) <= TIE] = 0.0
    groups = group(difference, clusters)
    point, spread = (groups.macro_mean, macro_spread(groups)) if macro else (groups.mean, probe_spread(groups))
    found = interval(point, spread, groups, level)
    flip = sign_flip(groups.means if macro else groups.sums, seed)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    return Pair(
        difference=found.point,
        lo=found.lo,
        hi=found.hi,
        p_permutation=flip.p,
        smallest_p=flip.smallest,
        mcnemar_p=_mcnemar(left, right, wins, losses),
        wins=wins,
        ties=found.n - wins - losses,
        losses=losses,
        n=found.n,
        clusters=found.clusters,
        note="; ".join(filter(None, [found.note, _too_few(flip.smallest)])),
    )


def _mcnemar(a: Floats, b: Floats, wins: int, losses: int) -> float:
    """Exact McNemar (1947, Psychometrika 12(2)): the discordant probes are tosses of a fair coin."""
    both = ~np.isnan(a) & ~np.isnan(b)
    values = np.concatenate([a[both], b[both]])
    return fair_coin_p(wins, losses) if len(values) and np.isin(values, (0.0, 1.0)).all() else nan


def _too_few(smallest: float) -> str:
    return f"p cannot be below {smallest:.3g} with these recordings" if smallest > ALPHA else ""
