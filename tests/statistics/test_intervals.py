"""CR2 against its definition in matrices, t intervals against scipy, coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import linalg, stats

from mnemo_lab.errors import InvalidInput
from mnemo_lab.statistics import cluster_means, macro_interval, mean_interval

Floats = NDArray[np.float64]
SIZES = (1, 2, 3, 5, 8, 13, 4)


def sample(sizes: tuple[int, ...] = SIZES, seed: int = 0) -> tuple[Floats, list[str]]:
    rng = np.random.default_rng(seed)
    labels = [f"r{i}" for i, size in enumerate(sizes) for _ in range(size)]
    effects = np.repeat(rng.normal(0.5, 0.2, len(sizes)), sizes)
    return effects + rng.normal(0, 0.3, len(labels)), labels


def cr2_by_definition(y: Floats, labels: list[str]) -> tuple[float, float]:
    """Bell & McCaffrey as written: adjustment matrices by matrix roots, df from the quadratic forms' matrix."""
    n = len(y)
    x = np.ones((n, 1))
    bread = np.linalg.inv(x.T @ x)
    annihilator = np.eye(n) - x @ bread @ x.T
    residuals = annihilator @ y
    variance, columns = 0.0, []
    for label in dict.fromkeys(labels):
        rows = np.array([i for i, other in enumerate(labels) if other == label])
        root = np.real(linalg.sqrtm(np.linalg.inv(annihilator[np.ix_(rows, rows)])))
        half = bread @ x[rows].T @ root
        variance += float((half @ residuals[rows])[0]) ** 2
        columns.append((annihilator[:, rows] @ half.T)[:, 0])
    form = np.array(columns) @ np.array(columns).T
    return math.sqrt(variance), float(np.trace(form) ** 2 / np.trace(form @ form))


@pytest.mark.parametrize("sizes", [SIZES, (4,) * 6, (1,) * 9, (1, 1, 1, 1, 1, 40)])
def test_cr2_and_degrees_of_freedom_match_the_definition(sizes: tuple[int, ...]) -> None:
    y, labels = sample(sizes)
    se, df = cr2_by_definition(y, labels)
    found = mean_interval(y, labels)
    assert found.point == pytest.approx(y.mean(), rel=1e-12)
    assert [found.se, found.df] == pytest.approx([se, df], rel=1e-9)
    lo, hi = stats.t.interval(0.95, df, y.mean(), se)
    assert [found.lo, found.hi] == pytest.approx([lo, hi], rel=1e-8)
    assert (found.n, found.clusters) == (len(y), len(sizes))


def test_cr2_by_hand() -> None:
    # Two recordings, probes (0, 1) and (1, 1, 1, 1): mean 5/6, residual sums -2/3 and 2/3, shares 1/3 and 2/3,
    # V = (4/9 * 3/2 + 4/9 * 3) / 36 = 1/18; w = 1/3, 2/3 and -(2/9) / sqrt(2/9), so df = 1 / (1/9 + 4/9 + 4/9).
    found = mean_interval([0, 1, 1, 1, 1, 1], list("aabbbb"))
    assert found.point == pytest.approx(5 / 6)
    assert found.se == pytest.approx(math.sqrt(1 / 18))
    assert found.df == pytest.approx(1.0)


def test_cr2_with_one_probe_per_recording_is_hc2() -> None:
    sm = pytest.importorskip("statsmodels.api")
    y, _ = sample((1,) * 12)
    fitted = sm.OLS(y, np.ones(12)).fit(cov_type="HC2")
    assert mean_interval(y, range(12)).se == pytest.approx(float(fitted.bse[0]), rel=1e-10)


def test_cr2_with_equal_sizes_is_the_corrected_cluster_error_of_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api")
    y, labels = sample((5,) * 7)
    codes = np.repeat(np.arange(7), 5)
    fitted = sm.OLS(y, np.ones(35)).fit(cov_type="cluster", cov_kwds={"groups": codes})
    found = mean_interval(y, labels)
    assert found.se == pytest.approx(float(fitted.bse[0]), rel=1e-10)
    assert found.df == pytest.approx(6)


def test_macro_is_the_t_interval_of_recording_means() -> None:
    y, labels = sample()
    means = [np.mean(y[[other == label for other in labels]]) for label in sorted(set(labels))]
    found = macro_interval(y, labels, level=0.9)
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.9)
    assert found.point == pytest.approx(np.mean(means))
    assert [found.lo, found.hi] == pytest.approx([expected.low, expected.high])


def test_both_agree_when_recordings_have_the_same_size() -> None:
    y, labels = sample((4,) * 8)
    assert mean_interval(y, labels)[:5] == pytest.approx(macro_interval(y, labels)[:5])


@pytest.mark.parametrize("kind", [mean_interval, macro_interval])
def test_undefined_values_are_left_out(kind: type) -> None:
    y, labels = sample()
    gaps = [math.nan, *y.tolist(), None, math.nan]
    assert kind(gaps, ["r1", *labels, "r2", "only undefined"]) == kind(y, labels)


@pytest.mark.parametrize("kind", [mean_interval, macro_interval])
def test_names_and_order_change_nothing(kind: type) -> None:
    y, labels = sample()
    names = sorted(set(labels))
    renamed = dict(zip(names, reversed(names), strict=True))
    assert kind(y, [renamed[label] for label in labels]) == kind(y, labels)
    order = np.random.default_rng(3).permutation(len(y))
    assert kind(y[order], [labels[i] for i in order]) == kind(y, labels)


def test_below_six_recordings_there_is_a_point_but_no_interval() -> None:
    found = mean_interval([0.0, 1.0, 1.0, 1.0, 0.5], list("abcde"))
    assert found.point == pytest.approx(0.7)
    assert math.isnan(found.lo) and math.isnan(found.hi)
    assert found.note == "conditional on these recordings (5)"
    assert found.se > 0


def test_nothing_defined_is_nan_not_zero() -> None:
    for found in (mean_interval([], []), macro_interval([math.nan], ["a"])):
        assert all(math.isnan(x) for x in (found.point, found.lo, found.hi, found.se, found.df))
        assert (found.n, found.clusters, found.note) == (0, 0, "no defined value")


def test_cluster_means() -> None:
    found = cluster_means([1, 0, math.nan, 0.5, math.nan], ["b", "b", "b", "a", "c"])
    assert found == (("b", 0.5, 2), ("a", 0.5, 1))


def test_bounds_cut_and_say_so() -> None:
    values, labels = [1, 1, 1, 1, 1, 0.4], list("abcdef")
    free, cut = mean_interval(values, labels), mean_interval(values, labels, bounds=(0, 1))
    assert free.hi > 1 and free.note == ""
    assert (cut.lo, cut.hi) == (free.lo, 1)
    assert cut.note == f"cut to 0..1 from {free.lo:.3f}..{free.hi:.3f}"
    with pytest.raises(InvalidInput, match=r"1\.5 is outside of the bounds 0\.\.1"):
        mean_interval([1.5], ["a"], bounds=(0, 1))


def test_a_saturated_metric_is_not_certain() -> None:
    found = mean_interval([0.1] * 18, [i % 6 for i in range(18)])
    assert found.point == pytest.approx(0.1)
    assert found.lo == found.hi == found.point
    assert found.se == 0
    assert "not certainty" in found.note


def test_a_dominating_recording_is_pointed_out() -> None:
    y, labels = sample((1, 1, 1, 1, 1, 40))
    assert "degrees of freedom" in mean_interval(y, labels).note
    assert macro_interval(y, labels).note == ""


@pytest.mark.parametrize(
    ("values", "labels", "message"),
    [
        ([1, 2], ["a"], "2 values but 1 recordings"),
        ([1, math.inf], ["a", "b"], "infinity"),
        ([[1, 2]], ["a"], r"shape \(1, 2\)"),
        ([1, 2], ["a", None], "recording None"),
        ([1, 2], ["a", math.nan], "recording nan"),
    ],
)
def test_wrong_input_is_named(values: list[float], labels: list[str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        mean_interval(values, labels)


def test_wrong_level() -> None:
    with pytest.raises(InvalidInput, match="level 95"):
        mean_interval([1], ["a"], level=95)


@pytest.mark.parametrize("kind", [mean_interval, macro_interval])
@pytest.mark.parametrize("sizes", [(10,) * 8, (3, 5, 8, 10, 15, 20, 30, 40)])
def test_coverage_with_eight_recordings(kind: type, sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(8)
    labels = [i for i, size in enumerate(sizes) for _ in range(size)]
    runs, covered = 3000, 0
    for _ in range(runs):
        y = np.repeat(rng.normal(0, 0.3, 8), sizes) + rng.normal(0, 0.9, len(labels))
        found = kind(y, labels)
        covered += found.lo <= 0 <= found.hi
    assert 0.93 <= covered / runs <= 0.97
