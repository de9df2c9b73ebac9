"""The area over log tokens."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

from mnemo_lab.errors import InvalidInput
from mnemo_lab.statistics import area, areas

BUDGETS = [256, 512, 1024, 3000]


def test_a_constant_gives_itself() -> None:
    assert area(BUDGETS, [0.3] * 4) == pytest.approx(0.3)


def test_by_hand() -> None:
    # log2: 8, 9, 11; trapezoids 0.1 + 2 * 0.6 over a range of 3.
    assert area([256, 512, 2048], [0.0, 0.2, 1.0]) == pytest.approx(1.3 / 3)


def test_matches_scipy_in_any_order() -> None:
    values = np.array([0.1, 0.5, 0.4, 0.9])
    logs = np.log2(BUDGETS)
    expected = integrate.trapezoid(values, logs) / (logs[-1] - logs[0])
    assert area(BUDGETS, values) == pytest.approx(expected)
    assert area(BUDGETS[::-1], values[::-1]) == pytest.approx(expected)


def test_undefined_is_nan() -> None:
    assert math.isnan(area([512], [0.5]))
    assert math.isnan(area([], []))
    assert math.isnan(area([256, 512, 1024], [0.5, math.nan, 0.5]))


def test_one_row_per_probe() -> None:
    found = areas([256, 1024], np.array([[0, 1], [0.2, 0.2], [math.nan, 1]]))
    assert found == pytest.approx([0.5, 0.2, math.nan], nan_ok=True)
    assert np.isnan(areas([256], [[1], [0]])).tolist() == [True, True]


@pytest.mark.parametrize(
    ("budgets", "values", "message"),
    [([0, 512], [1, 1], "positive"), ([512, 512], [1, 1], "different"), ([256, 512], [1], "do not fit")],
)
def test_wrong_budgets(budgets: list[float], values: list[float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        area(budgets, values)
