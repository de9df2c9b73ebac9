"""Paired comparisons against scipy's permutation and binomial tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from mnemo_lab.errors import InvalidInput
from mnemo_lab.statistics import Pair, compare_pairs, macro_interval, mean_interval, sign_flip

Floats = NDArray[np.float64]


def sample(clusters: int = 8, seed: int = 1) -> tuple[Floats, Floats, list[str]]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 9, clusters)
    labels = [f"r{i}" for i, size in enumerate(sizes) for _ in range(size)]
    b = rng.random(len(labels))
    return b + np.repeat(rng.normal(0.1, 0.1, clusters), sizes) + rng.normal(0, 0.1, len(labels)), b, labels


def recording_sums(d: Floats, labels: list[str]) -> list[float]:
    return [sum(x for x, other in zip(d, labels, strict=True) if other == label) for label in dict.fromkeys(labels)]


def scipy_sign_flip(sums: list[float]) -> float:
    result = stats.permutation_test((sums,), np.sum, permutation_type="samples", n_resamples=np.inf)
    return float(result.pvalue)


@pytest.mark.parametrize("clusters", [2, 5, 8, 12])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_exact_permutation_matches_scipy(clusters: int, seed: int) -> None:
    a, b, labels = sample(clusters, seed)
    assert compare_pairs(a, b, labels).p_permutation == pytest.approx(scipy_sign_flip(recording_sums(a - b, labels)))


def test_exact_permutation_with_ties_matches_scipy() -> None:
    sums = [1.0, 1.0, -1.0, 2.0, 2.0, -3.0, 4.0]
    assert sign_flip(sums).p == pytest.approx(scipy_sign_flip(sums))


def test_permutation_by_hand() -> None:
    # Sums of +-1 +-2 +-3: 6, 4, 2, 0, 0, -2, -4, -6; observed 1 + 2 + 3 = 6 is reached by two of eight.
    assert sign_flip([1, 2, 3]) == (0.25, 0.25)
    assert sign_flip([-1, 2, 3]) == (0.5, 0.25)


def test_five_recordings_cannot_go_below_one_in_sixteen() -> None:
    found = compare_pairs([1.0] * 5, [0.0] * 5, list("abcde"))
    assert (found.p_permutation, found.smallest_p) == (0.0625, 0.0625)
    assert "p cannot be below 0.0625" in found.note and "conditional on these recordings" in found.note
    assert math.isnan(found.lo) and math.isnan(found.hi)


def test_recordings_without_a_difference_do_not_lower_the_smallest_p() -> None:
    assert sign_flip([1, 1, 0, 0, 0, 0.1 + 0.2 - 0.3]) == (0.5, 0.5)


def test_many_recordings_are_drawn_with_the_plus_one_rule() -> None:
    strong = sign_flip([1.0] * 40)
    assert strong == (1 / 10_001, 1 / 10_001)
    sums = np.random.default_rng(5).normal(0.3, 1, 13)
    assert sign_flip(sums, seed=3) == sign_flip(sums, seed=3)
    assert sign_flip(sums, seed=3).p != sign_flip(sums, seed=4).p
    assert sign_flip(sums).p == pytest.approx(scipy_sign_flip(sums.tolist()), abs=0.015)


@pytest.mark.parametrize("macro", [False, True])
def test_difference_and_interval_are_those_of_the_differences(macro: bool) -> None:
    a, b, labels = sample()
    found = compare_pairs(a, b, labels, macro=macro)
    expected = (macro_interval if macro else mean_interval)(a - b, labels)
    assert (found.difference, found.lo, found.hi, found.n, found.clusters) == pytest.approx(expected[:5])


def test_macro_permutes_recording_means() -> None:
    a, b, labels = sample()
    means = np.array(recording_sums(a - b, labels)) / [labels.count(label) for label in dict.fromkeys(labels)]
    assert compare_pairs(a, b, labels, macro=True).p_permutation == pytest.approx(scipy_sign_flip(means.tolist()))


@pytest.mark.parametrize(("wins", "losses"), [(4, 0), (0, 4), (9, 2), (10, 10), (25, 12), (1, 0)])
def test_mcnemar_matches_the_binomial_test(wins: int, losses: int) -> None:
    a = np.array([1] * wins + [0] * losses + [1] * 20 + [0] * 6)
    b = np.array([0] * wins + [1] * losses + [1] * 20 + [0] * 6)
    found = compare_pairs(a, b, [i % 7 for i in range(len(a))])
    assert found.mcnemar_p == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
    assert (found.wins, found.ties, found.losses) == (wins, 26, losses)


def test_mcnemar_of_fifty_probes_differing_in_four() -> None:
    a, b = np.ones(50), np.ones(50)
    b[:4] = 0
    found = compare_pairs(a, b, [i % 10 for i in range(50)])
    assert found.mcnemar_p == pytest.approx(0.125)
    assert found.difference == pytest.approx(0.08)


def test_mcnemar_matches_statsmodels() -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    a, b = np.array([1] * 9 + [0] * 3 + [1] * 8), np.array([0] * 9 + [1] * 3 + [1] * 8)
    expected = tables.mcnemar([[8, 9], [3, 0]], exact=True).pvalue
    assert compare_pairs(a, b, range(20)).mcnemar_p == pytest.approx(float(expected))


def test_mcnemar_is_for_binary_values_only() -> None:
    labels = list("abcdef")
    assert math.isnan(compare_pairs([1, 0, 0.5, 1, 1, 1], [0] * 6, labels).mcnemar_p)
    assert compare_pairs([1, 0, math.nan, 1, 1, 1], [0] * 6, labels).mcnemar_p == pytest.approx(0.125)


def test_identical_strategies() -> None:
    found = compare_pairs([1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1], list("abcdef"))
    assert (found.difference, found.lo, found.hi, found.p_permutation, found.mcnemar_p) == (0, 0, 0, 1, 1)
    assert (found.wins, found.ties, found.losses) == (0, 6, 0)
    assert "not certainty" in found.note


def test_a_rounding_error_is_a_tie() -> None:
    assert compare_pairs([0.1 + 0.2], [0.3], ["a"]).ties == 1


def test_nothing_in_common_is_nan() -> None:
    found = compare_pairs([1, math.nan], [math.nan, 1], ["a", "b"])
    assert all(math.isnan(x) for x in found[:6])
    assert found[6:11] == (0, 0, 0, 0, 0)
    assert found.note == "no defined value"


@pytest.mark.parametrize("clusters", [4, 8, 20])
def test_swapping_flips_the_sign_and_nothing_else(clusters: int) -> None:
    a, b, labels = sample(clusters)
    one, other = compare_pairs(a, b, labels, seed=9), compare_pairs(b, a, labels, seed=9)
    mirrored = one._replace(difference=-one.difference, lo=-one.hi, hi=-one.lo, wins=one.losses, losses=one.wins)
    same(mirrored, other)


@pytest.mark.parametrize("clusters", [4, 8, 20])
def test_names_of_recordings_and_order_of_probes_change_nothing(clusters: int) -> None:
    a, b, labels = sample(clusters)
    expected = compare_pairs(a, b, labels, seed=9)
    names = list(dict.fromkeys(labels))
    renamed = dict(zip(names, np.random.default_rng(2).permutation(names).tolist(), strict=True))
    same(compare_pairs(a, b, [renamed[label] for label in labels], seed=9), expected)
    order = np.random.default_rng(3).permutation(len(a))
    same(compare_pairs(a[order], b[order], [labels[i] for i in order], seed=9), expected)


def same(found: Pair, expected: Pair) -> None:
    assert found[:-1] == pytest.approx(expected[:-1], rel=1e-12, nan_ok=True)
    assert found.note == expected.note


def test_false_alarms_are_as_frequent_as_promised() -> None:
    rng = np.random.default_rng(4)
    alarms = sum(sign_flip(rng.normal(0, rng.random(8) + 0.1)).p <= 0.05 for _ in range(3000)) / 3000
    assert 0.035 <= alarms <= 0.06


def test_lengths_must_agree() -> None:
    with pytest.raises(InvalidInput, match="2 values against 1"):
        compare_pairs([1, 2], [1], ["a", "b"])
