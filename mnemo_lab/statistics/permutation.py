"""Sign-flip permutation test over recordings."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mnemo_lab.statistics.grouping import Floats, as_values

EXACT_UP_TO = 12
"""Up to 2**12 sign patterns are enumerated."""
DRAWS = 10_000


class SignFlip(NamedTuple):
    """Two-sided p value, and the smallest one these recordings could have given."""

    p: float
    smallest: float


def sign_flip(differences: ArrayLike, seed: int = 0) -> SignFlip:
    """Test whether the recordings' differences could just as well have had the opposite signs.

    Under the null hypothesis each recording's difference is symmetric about zero. The statistic is the absolute
    sum; p is the share of sign patterns that reach the observed one (Fisher 1935, "The Design of Experiments", 21).
    All patterns are enumerated for up to 12 recordings that differ at all; beyond, ``(hits + 1) / (draws + 1)`` of
    10,000 seeded draws (Phipson & Smyth 2010, SAGMB 9(1)), whose smallest value is 1/10,001. NaN is left out; with
    no difference left p is 1, without any recording NaN.
    """
    array = as_values(differences)
    array = array[~np.isnan(array)]
    if not len(array):
        return SignFlip(nan, nan)
    # Magnitudes in order: neither swapping a and b nor renaming recordings moves a seeded draw.
    sizes = np.sort(np.abs(array))
    sizes = sizes[sizes > 1e-12 * sizes[-1]]  # what is left of a sum that cancels is no difference
    least = abs(array.sum()) - 1e-9 * sizes.sum()  # a pattern as extreme up to rounding counts
    if len(sizes) <= EXACT_UP_TO:
        hits = np.abs(_patterns(len(sizes)) @ sizes) >= least
        return SignFlip(float(hits.mean()), min(1.0, 2.0 ** (1 - len(sizes))))
    signs = np.random.default_rng(seed).integers(0, 2, (DRAWS, len(sizes))) * 2 - 1
    hits = np.abs(signs @ sizes) >= least
    return SignFlip((float(hits.sum()) + 1) / (DRAWS + 1), 1 / (DRAWS + 1))


def _patterns(k: int) -> Floats:
    """All sign patterns of length ``k``, shape ``(2**k, k)``."""
    bits = (np.arange(2**k)[:, None] >> np.arange(k)) & 1
    return np.asarray(bits * 2 - 1, dtype=np.float64)
