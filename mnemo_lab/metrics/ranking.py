"""Standard ranking measures by message and by session; NaN for strategies that do not rank."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2, nan

from mnemo_lab.replay.outcome import Outcome


def recall_at(k: int, outcome: Outcome) -> float:
    """Share of evidence messages among the ``k`` best-ranked messages."""
    return _recall(outcome.ranking, outcome.gold.evidence, k)


def session_recall_at(k: int, outcome: Outcome) -> float:
    """Share of evidence sessions among the first ``k`` distinct sessions of the ranking."""
    session = outcome.view.sessions
    ranked = list(dict.fromkeys(session[p] for p in outcome.ranking))
    return _recall(ranked, sorted({session[e] for e in outcome.gold.evidence}), k)


def _recall(ranking: Sequence[int], gold: Sequence[int], k: int) -> float:
    if not gold or not ranking:
        return nan
    best = set(ranking[:k])
    return sum(g in best for g in gold) / len(gold)


def mrr(outcome: Outcome) -> float:
    """One over the rank of the best-ranked evidence message; 0 where none is ranked."""
    gold = set(outcome.gold.evidence)
    if not gold or not outcome.ranking:
        return nan
    return next((1 / rank for rank, p in enumerate(outcome.ranking, 1) if p in gold), 0.0)


def ndcg_at(k: int, outcome: Outcome) -> float:
    """Normalised discounted cumulative gain, binary gain, discount log2(rank + 1) (Järvelin & Kekäläinen 2002)."""
    gold = set(outcome.gold.evidence)
    if not gold or not outcome.ranking:
        return nan
    gain = sum(1 / log2(rank + 1) for rank, p in enumerate(outcome.ranking[:k], 1) if p in gold)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(k, len(gold)) + 1))
    return gain / ideal
