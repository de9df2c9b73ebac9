"""Maximal marginal relevance, against a naive implementation."""

from __future__ import annotations

import numpy as np
import pytest

from mnemo_lab.hydration.diversity import best_of, diversified


def unit(rows: object) -> np.ndarray:
    found = np.asarray(rows, dtype=np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)  # type: ignore[no-any-return]


def naive(fused: list[float], vectors: np.ndarray, mmr: float, size: int) -> list[int]:
    """Positions in the order of the definition: one at a time, every cosine taken anew."""
    pool = sorted(range(len(fused)), key=lambda i: (-fused[i], i))[:size]
    low, high = min(fused[i] for i in pool), max(fused[i] for i in pool)
    chosen: list[int] = []
    while len(chosen) < len(pool):

        def worth(i: int) -> float:
            closest = max((float(vectors[i].astype(float) @ vectors[j].astype(float)) for j in chosen), default=0.0)
            return (1 - mmr) * (fused[i] - low) / (high - low) - mmr * closest

        chosen.append(max((i for i in pool if i not in chosen), key=worth))
    return chosen


@pytest.mark.parametrize("mmr", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("size", [2, 7, 40])
def test_agrees_with_the_definition(mmr: float, size: int) -> None:
    random = np.random.default_rng(size)
    fused, vectors = random.normal(size=30), unit(random.normal(size=(30, 5)))
    pool = best_of(fused, size)
    dealt = diversified(fused, pool, vectors[pool], mmr)
    expected = naive(fused.tolist(), vectors, mmr, size)
    assert best_of(dealt, size).tolist() == expected
    outside = sorted(set(range(30)) - set(expected))
    assert dealt[outside].tolist() == fused[outside].tolist(), "what is outside the pool stays"
    assert sorted(dealt) == sorted(fused), "scores are dealt out anew, none is made up"


def test_a_repetition_steps_back() -> None:
    """Scores 1, 0.9, 0.5, 0; the second says what the first says, the third something else. With half and half the
    second is worth 0.45 - 0.5, the third 0.25 - 0."""
    fused, vectors = np.array([1.0, 0.9, 0.5, 0.0]), unit([[1, 0], [1, 0], [0, 1], [1, 1]])
    assert diversified(fused, best_of(fused, 4), vectors, 0.5).tolist() == [1.0, 0.5, 0.9, 0.0]
    assert diversified(fused, best_of(fused, 4), vectors, 0.0).tolist() == fused.tolist()
    assert fused.tolist() == [1.0, 0.9, 0.5, 0.0], "the scores it was given stay as they were"


def test_few_or_equal_scores() -> None:
    one = np.array([3.0])
    assert diversified(one, best_of(one, 5), unit([[1, 0]]), 0.5).tolist() == [3.0]
    assert diversified(np.zeros(0), best_of(np.zeros(0), 5), np.zeros((0, 2), dtype=np.float32), 0.5).tolist() == []
    same = np.full(3, 2.0)
    assert diversified(same, best_of(same, 3), unit([[1, 0], [1, 0], [0, 1]]), 0.5).tolist() == [2.0, 2.0, 2.0]
    assert best_of(np.array([1.0, 2.0, 2.0]), 2).tolist() == [1, 2]
