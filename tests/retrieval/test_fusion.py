"""Fusion by value: by hand, and against ranx."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.errors import UnknownName
from mnemo_lab.retrieval.fusion import Method, fuse
from tests.interpreted_ranx import Run
from tests.interpreted_ranx import fuse as ranx_fuse

METHODS: tuple[Method, ...] = ("zscore", "minmax", "rrf")
COLUMN = st.lists(st.integers(-10_000, 10_000).map(lambda n: n / 100), min_size=6, max_size=6, unique=True)


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def test_rrf_by_hand() -> None:
    """Ranks 1, 2, 3 and 3, 1, 2 with k = 60, then with k = 1 and weights."""
    scores = {"keyword": column(9, 5, 1), "dense": column(0.1, 0.9, 0.5)}
    found = fuse(scores, {"keyword": 1, "dense": 1}, "rrf")
    assert found == pytest.approx([1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62])
    found = fuse(scores, {"keyword": 2, "dense": 0.5}, "rrf", rrf_k=1)
    assert found == pytest.approx([2 / 2 + 0.5 / 4, 2 / 3 + 0.5 / 2, 2 / 4 + 0.5 / 3])


def test_minmax_and_zscore_by_hand() -> None:
    scores = {"keyword": column(0, 2, 4)}
    assert fuse(scores, {"keyword": 3}, "minmax") == pytest.approx([0, 1.5, 3])
    root = (8 / 3) ** 0.5
    assert fuse(scores, {"keyword": 1}, "zscore") == pytest.approx([-2 / root, 0, 2 / root])
    assert fuse(scores, {"keyword": 1}, "zscore", {"keyword": (1.0, 0.5)}) == pytest.approx([-2, 2, 6])


@settings(max_examples=40, deadline=None)
@given(one=COLUMN, two=COLUMN, seen=st.sets(st.integers(0, 5), min_size=1), k=st.sampled_from([1, 20, 60]))
def test_rrf_equals_ranx(one: list[float], two: list[float], seen: set[int], k: int) -> None:
    """Also where a list holds only some of the union."""
    partly = [value if i in seen else nan for i, value in enumerate(two)]
    ours = fuse({"a": column(*one), "b": column(*partly)}, {"a": 1, "b": 1}, "rrf", rrf_k=k)
    lists = [{f"d{i}": v for i, v in enumerate(values) if v == v} for values in (one, partly)]
    theirs = ranx_fuse([Run({"q": found}) for found in lists], norm=None, method="rrf", params={"k": k}).to_dict()["q"]
    assert dict(zip([f"d{i}" for i in range(6)], ours.tolist(), strict=True)) == pytest.approx(theirs)


@settings(max_examples=40, deadline=None)
@given(one=COLUMN, two=COLUMN, weight=st.floats(0.1, 5))
@pytest.mark.parametrize(("method", "norm"), [("minmax", "min-max"), ("zscore", "zmuv")])
def test_weighted_sums_equal_ranx(method: Method, norm: str, one: list[float], two: list[float], weight: float) -> None:
    ours = fuse({"a": column(*one), "b": column(*two)}, {"a": 1, "b": weight}, method)
    runs = [Run({"q": {f"d{i}": v for i, v in enumerate(values)}}) for values in (one, two)]
    theirs = ranx_fuse(runs, norm=norm, method="wsum", params={"weights": (1.0, weight)}).to_dict()["q"]
    assert ours.tolist() == pytest.approx([theirs[f"d{i}"] for i in range(6)])


@pytest.mark.parametrize("method", METHODS)
def test_a_keyword_only_hit_survives(method: Method) -> None:
    """The union, not the intersection: what dense search did not retrieve can still come first (D26)."""
    scores = {"keyword": column(8, 1, nan), "dense": column(nan, nan, 0.6)}
    found = fuse(scores, {"keyword": 1.5, "dense": 1}, method)
    assert np.isfinite(found).all()
    assert found.argmax() == 0


@pytest.mark.parametrize("method", METHODS)
def test_not_retrieved_is_worth_the_least(method: Method) -> None:
    """NaN is never more than the worst that was retrieved; in rrf it is nothing at all."""
    found = fuse({"a": column(3, 1, nan, nan)}, {"a": 1}, method)
    assert found[2] == found[3] <= found[1] < found[0]
    assert method != "rrf" or found[2] == 0


@pytest.mark.parametrize("method", METHODS)
def test_constant_empty_and_unknown_columns(method: Method) -> None:
    assert fuse({"a": column(2, 2, 2)}, {"a": 1}, method).std() == 0
    assert np.isfinite(fuse({"a": column(nan, nan)}, {"a": 1}, method)).all()
    assert fuse({"a": column()}, {"a": 1}, method).tolist() == []
    assert fuse({}, {"a": 1}, method).tolist() == []
    assert fuse({"a": column(1, 2), "b": column(nan, nan)}, {"a": 1}, method).argmax() == 1


@pytest.mark.parametrize("method", METHODS)
def test_signals_of_weight_nothing_are_left_out(method: Method) -> None:
    both = {"a": column(1, 2, 3), "b": column(9, 0, 0)}
    alone = fuse({"a": both["a"]}, {"a": 1}, method).tolist()
    assert fuse(both, {"a": 1, "b": 0}, method).tolist() == alone
    assert fuse(both, {"a": 1}, method).tolist() == alone
    assert fuse(both, {"a": 1, "c": 4}, method).tolist() == alone


def test_equal_scores_get_equal_ranks() -> None:
    assert fuse({"a": column(5, 5, 1)}, {"a": 1}, "rrf") == pytest.approx([1 / 61, 1 / 61, 1 / 63])


@settings(max_examples=40, deadline=None)
@given(values=COLUMN, kept=st.sets(st.integers(0, 5), min_size=1))
def test_zscores_of_a_shortlist_are_those_of_the_whole(values: list[float], kept: set[int]) -> None:
    """Moments over all messages make a stored shortlist fuse as the whole did."""
    whole = column(*values)
    moments = {"a": (float(whole.mean()), float(whole.std()))}
    places = sorted(kept)
    assert fuse({"a": whole[places]}, {"a": 1}, "zscore", moments) == pytest.approx(
        fuse({"a": whole}, {"a": 1})[places]
    )


def test_unknown_method() -> None:
    with pytest.raises(UnknownName, match="unknown fusion method 'borda'; known: minmax, rrf, zscore"):
        fuse({"a": column(1)}, {"a": 1}, "borda")  # type: ignore[arg-type]


def test_in_rrf_a_zero_of_a_keyword_signal_is_no_hit() -> None:
    """Else a hundred messages without any term of the query would tie for the second rank."""
    scores = {"keyword": column(7, 0, 0, 0), "dense": column(0.1, 0.9, 0.8, 0.0)}
    found = fuse(scores, {"keyword": 1, "dense": 1}, "rrf")
    assert found == pytest.approx([1 / 61 + 1 / 63, 1 / 61, 1 / 62, 1 / 64])


def test_no_signal_buries_a_message() -> None:
    """One far vector among a hundred near ones is ten deviations below the mean; it counts as three."""
    far = column(0, *[1] * 100)
    assert (far[0] - far.mean()) / far.std() == pytest.approx(-10)
    assert fuse({"dense": far}, {"dense": 1})[0] == -3
    assert fuse({"dense": -far}, {"dense": 1})[0] == pytest.approx(10), "a single hit stands out as far as it does"


@pytest.mark.parametrize("flag", ["speaker", "answers", "asks", "asker", "role", "time", "names", "checkpoint_words"])
def test_a_flag_that_is_not_set_has_no_rank(flag: str) -> None:
    column = np.array([0.0, 1.0, 0.0])
    assert fuse({flag: column}, {flag: 1.0}, "rrf").tolist() == pytest.approx([0, 1 / 61, 0])
