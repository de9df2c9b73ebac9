"""Detectable differences against scipy's noncentral t and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mnemo_lab.errors import InvalidInput
from mnemo_lab.statistics import detectable_difference, minimum_detectable_difference


@pytest.mark.parametrize("clusters", [2, 6, 10, 50])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_a_true_difference_of_that_size_is_found_with_that_power(clusters: int, power: float) -> None:
    difference = minimum_detectable_difference(0.2, clusters, power)
    critical = stats.t.ppf(0.975, clusters - 1)
    found = stats.nct.sf(critical, clusters - 1, difference * math.sqrt(clusters) / 0.2)
    assert found == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("clusters", [6, 10, 50])
def test_matches_statsmodels(clusters: int) -> None:
    power = pytest.importorskip("statsmodels.stats.power")
    effect = power.TTestPower().solve_power(nobs=clusters, alpha=0.05, power=0.8)
    assert minimum_detectable_difference(1.0, clusters) == pytest.approx(effect, rel=1e-4)


def test_many_recordings_approach_the_normal_multiplier() -> None:
    expected = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / math.sqrt(10_000)
    assert minimum_detectable_difference(1.0, 10_000) == pytest.approx(expected, rel=1e-3)


def test_from_differences() -> None:
    d = np.array([0.1, 0.3, math.nan, -0.1, 0.2, 0.0, 0.4, 0.25])
    labels = ["a", "a", "a", "b", "c", "d", "e", "f"]
    found = detectable_difference(d, labels)
    sd = np.std([0.2, -0.1, 0.2, 0.0, 0.4, 0.25], ddof=1)
    assert found.sd == pytest.approx(sd)
    assert found.clusters == 6
    assert found.detectable == pytest.approx(minimum_detectable_difference(float(sd), 6))
    assert found.note == f"6 recordings would show a true mean difference of {found.detectable:.3f} with 80% power"
    assert "fewer than six" in detectable_difference(d[:6], labels[:6]).note


def test_undefined_is_nan() -> None:
    assert math.isnan(minimum_detectable_difference(0.2, 1))
    assert math.isnan(minimum_detectable_difference(0.0, 8))
    assert math.isnan(minimum_detectable_difference(math.nan, 8))
    one = detectable_difference([0.1, 0.2], ["a", "a"])
    assert math.isnan(one.detectable) and math.isnan(one.sd)
    assert "power unknown" in one.note
    assert math.isnan(detectable_difference([], []).detectable)


def test_wrong_settings() -> None:
    with pytest.raises(InvalidInput, match="negative"):
        minimum_detectable_difference(-1, 8)
    with pytest.raises(InvalidInput, match="power 80"):
        minimum_detectable_difference(0.1, 8, power=80)
