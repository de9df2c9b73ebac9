"""Maximal marginal relevance: a message that repeats what is already chosen steps back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray
    from mnemo_lab.embeddings.base import Vectors

POOL: Final = 100
"""Messages from the best on that are put in another order."""


def best_of(fused: FloatArray, count: int) -> IntArray:
    """Indexes of the ``count`` best scores from best to worst; of equal ones the earlier."""
    import numpy as np

    ranked: IntArray = np.argsort(-fused, kind="stable")[:count]
    return ranked


def diversified(fused: FloatArray, pool: IntArray, vectors: Vectors, mmr: float) -> FloatArray:
    """The scores of the ``pool`` (indexes, best first) dealt out anew among its messages; all others stay.

    Greedy (Carbonell and Goldstein 1998): the next highest score goes to the message whose (1 - ``mmr``) of relevance
    less ``mmr`` of its greatest cosine to those before it is greatest. Relevance is the score brought to 0 to 1 over
    the pool. ``vectors``: unit rows in the order of the pool.
    """
    import numpy as np

    scores = fused[pool]
    if len(pool) < 2:
        return fused
    relevance = (scores - scores.min()) / max(float(np.ptp(scores)), 1e-9)
    value = (1 - mmr) * relevance
    cosines = np.asarray(vectors @ vectors.T, dtype=np.float64)
    nearest, chosen = np.zeros(len(pool)), list[int]()
    for _ in range(len(pool)):
        best = int(np.argmax(value - mmr * nearest))
        nearest = np.maximum(nearest, cosines[best]) if chosen else cosines[best].copy()
        value[best] = -np.inf
        chosen.append(best)
    dealt = fused.copy()
    dealt[pool[chosen]] = scores
    return dealt
