"""Holm against a worked example and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.statistics import holm


def test_by_hand() -> None:
    # Sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04, and never less than the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@pytest.mark.parametrize("seed", range(5))
def test_matches_statsmodels(seed: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(seed).random(12) ** 3
    p[3] = p[7]
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


def test_nan_stays_and_is_not_counted() -> None:
    found = holm([np.nan, 0.01, np.nan, 0.04])
    assert np.isnan(found[[0, 2]]).all()
    assert found[[1, 3]] == pytest.approx([0.02, 0.04])


def test_edges() -> None:
    assert holm([]).shape == (0,)
    assert holm([0.7, 0.8]).tolist() == [1, 1]
    assert np.isnan(holm([np.nan])).all()
    with pytest.raises(InvalidInput, match=r"1\.2"):
        holm([0.1, 1.2])
