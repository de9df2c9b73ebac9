"""Holm's step-down correction for several comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mnemo_lab.errors import InvalidInput


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjusted p values in the order given; NaN stays NaN and is not counted as a comparison.

    The i-th smallest of m becomes ``max over j <= i of min(1, (m - j + 1) p_j)`` (Holm 1979, Scand. J. Stat. 6(2)).

    Raises:
        InvalidInput: a p value is outside of 0..1.
    """
    p = np.asarray(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    wrong = p[known][(p[known] < 0) | (p[known] > 1)]
    if len(wrong):
        raise InvalidInput(f"p value {wrong[0]} is not within 0..1")
    order = known[np.argsort(p[known], kind="stable")]
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)))
    return adjusted
