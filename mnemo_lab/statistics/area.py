"""One number for a metric over several budgets."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mnemo_lab.errors import InvalidInput


def area(budgets: ArrayLike, values: ArrayLike) -> float:
    """Mean height of the metric over log2(tokens): trapezoids, divided by the range of the log.

    A metric that is ``c`` at every budget gives ``c``. NaN below two budgets, or where any value is NaN: areas over
    different ranges cannot be compared. Budgets may come in any order; strategies to compare need the same ones.

    Raises:
        InvalidInput: a budget is not positive or comes twice, or lengths differ.
    """
    return float(areas(budgets, np.atleast_2d(np.asarray(values, dtype=np.float64)))[0])


def areas(budgets: ArrayLike, table: ArrayLike) -> NDArray[np.float64]:
    """``area`` for every probe: ``table`` has shape ``(probes, budgets)``, the result ``(probes,)``."""
    tokens, values = np.asarray(budgets, dtype=np.float64), np.asarray(table, dtype=np.float64)
    if tokens.ndim != 1 or values.ndim != 2 or values.shape[1] != len(tokens):
        raise InvalidInput(f"budgets {tokens.shape} and values {values.shape} do not fit; give one value per budget")
    if not (np.isfinite(tokens) & (tokens > 0)).all() or len(np.unique(tokens)) != len(tokens):
        raise InvalidInput(f"budgets {tokens.tolist()} must be positive and different")
    if len(tokens) < 2:
        return np.full(len(values), np.nan)
    order = np.argsort(tokens)
    logs = np.log2(tokens[order])
    return cast("NDArray[np.float64]", np.trapezoid(values[:, order], logs, axis=1) / (logs[-1] - logs[0]))
