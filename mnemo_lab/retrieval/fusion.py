"""Fusion of score columns over the union of candidates, so that a keyword-only hit survives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from mnemo_lab.errors import UnknownName

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray

Method = Literal["zscore", "minmax", "rrf"]
STD_FLOOR: Final = 1e-6
LOWEST_Z: Final = -3.0
"""No signal speaks against a message by more than this, so that a far vector cannot bury the only keyword hit."""
ZERO_IS_NO_HIT: Final = frozenset(
    {
        "keyword",
        "context",
        "session",
        "speaker",
        "answers",
        "role",
        "asker",
        "asks",
        "time",
        "names",
        "checkpoint_words",
    }
)
"""Signals that give 0 to what they did not retrieve: no query term occurs, or a flag is not set. In ``rrf`` such a
message has no rank in that list; else all of them would tie right behind the hits."""


def fuse(
    scores: Mapping[str, FloatArray],
    weights: Mapping[str, float],
    method: Method = "zscore",
    moments: Mapping[str, tuple[float, float]] | None = None,
    rrf_k: int = 60,
) -> FloatArray:
    """The weighted sum of the columns brought to one scale; signals of weight 0 or without a weight are left out.

    Columns have one value per candidate of the union; NaN means the signal did not retrieve it, which is worth
    the least that signal gave. ``moments`` are means and standard deviations over all messages, where the
    candidates are only a shortlist. ``rrf``: 1 / (``rrf_k`` + rank), Cormack et al. 2009.
    """
    import numpy as np

    size = len(next(iter(scores.values()), ()))
    total = np.zeros(size)
    for signal, weight in weights.items():
        if weight and signal in scores and size:
            column = scores[signal]
            if method == "rrf" and signal in ZERO_IS_NO_HIT:
                column = np.where(column == 0, np.nan, column)
            total += weight * _scale(column, method, (moments or {}).get(signal), rrf_k)
    return total


def _scale(column: FloatArray, method: Method, moments: tuple[float, float] | None, rrf_k: int) -> FloatArray:
    methods: dict[str, Callable[[], FloatArray]] = {
        "zscore": lambda: _zscore(column, moments),
        "minmax": lambda: _minmax(column),
        "rrf": lambda: _rrf(column, rrf_k),
    }
    if method not in methods:
        raise UnknownName("fusion method", method, methods)
    return methods[method]()


def _filled(column: FloatArray) -> FloatArray:
    import numpy as np

    known = column[~np.isnan(column)]
    return np.where(np.isnan(column), known.min() if known.size else 0.0, column)


def _zscore(column: FloatArray, moments: tuple[float, float] | None) -> FloatArray:
    import numpy as np

    filled = _filled(column)
    mean, std = moments if moments else (float(filled.mean()), float(filled.std()))
    return np.maximum((filled - mean) / max(std, STD_FLOOR), LOWEST_Z)


def _minmax(column: FloatArray) -> FloatArray:
    filled = _filled(column)
    spread = float(filled.max() - filled.min())
    scaled: FloatArray = (filled - filled.min()) / max(spread, STD_FLOOR)
    return scaled


def _rrf(column: FloatArray, k: int) -> FloatArray:
    """0 for what a signal did not retrieve; equal scores get equal ranks (the best of the tie)."""
    import numpy as np

    ordered = np.sort(-column[~np.isnan(column)])
    ranks = np.searchsorted(ordered, -column, side="left") + 1
    return np.where(np.isnan(column), 0.0, 1.0 / (k + ranks))
