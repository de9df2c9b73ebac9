"""Choosing a setting from few conversations: the fewest cuts within one standard error, tried on those left out.

The gain of a setting is its Pk + WindowDiff less that of *none*, by conversation, so that how hard a conversation is
does not count. Of all settings whose mean gain is at most one standard error (of the best one's) above the best, the
one that cuts least is taken: what many cuts win on few conversations is partly luck (Breiman et al. 1984, the rule of
one standard error).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evals.segmentation.scoring import Scored

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray


@dataclass(frozen=True)
class Held:
    """The whole procedure on every conversation with a setting chosen on the others: errors, one per conversation, and
    the settings, by their place in the grid."""

    pk: list[float]
    window_diff: list[float]
    chosen: list[int]


def fewest_cuts(gains: FloatArray, cuts: IntArray) -> int:
    """Which setting (row) to take, from gains and numbers of cuts by conversation (columns); of equals the better."""
    means = gains.mean(axis=1)
    best = int(means.argmin())
    error = float(gains[best].std(ddof=1)) / len(gains[best]) ** 0.5
    near = np.flatnonzero(means <= means[best] + error)
    return int(min(near, key=lambda row: (int(cuts[row].sum()), float(means[row]))))


def leave_one_out(rows: Sequence[Scored], none: Scored) -> Held:
    """Choose on all conversations but one and measure on that one, for each."""
    gains, cuts = gains_of(rows, none), cuts_of(rows)
    every = range(gains.shape[1])
    chosen = [fewest_cuts(np.delete(gains, out, axis=1), np.delete(cuts, out, axis=1)) for out in every]
    pk, difference = ([rows[row].values(kind)[out] for out, row in enumerate(chosen)] for kind in ("pk", "window_diff"))
    return Held(pk, difference, chosen)


def gains_of(rows: Sequence[Scored], none: Scored) -> FloatArray:
    """Pk + WindowDiff less those of *none*: settings by conversations, lower is better."""
    gains: FloatArray = np.array([_errors(row) - _errors(none) for row in rows])
    return gains


def cuts_of(rows: Sequence[Scored]) -> IntArray:
    """How many boundaries were found: settings by conversations."""
    cuts: IntArray = np.array([[one.near.found for one in row.runs[0]] for row in rows])
    return cuts


def _errors(row: Scored) -> FloatArray:
    errors: FloatArray = np.add(row.values("pk"), row.values("window_diff"))
    return errors
