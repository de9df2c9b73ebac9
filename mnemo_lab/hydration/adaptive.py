"""How much a question needs: a width of scores by its kind, nothing where nothing fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mnemo_lab.context import Candidates, Query

WIDE: Final = re.compile(
    r"\b(?:all|every|each|list|how many|how often|which of|summar\w+|overall|order|sequence|timeline|compare|"
    r"throughout|across|between|changed?|evol\w+|in common|both)\b"
    r"|所有|全部|哪些|几次|几个|列出|总结|概括|顺序|先后|比较|分别|变化|经过",
    re.IGNORECASE,
)
WIDTHS: Final = {"narrow": 4.0, "wide": 6.0}
"""How far below the best score a message may lie, in the units of the fused score (standard deviations)."""
FEWEST: Final = 3
"""Messages that are taken where anything fits at all: the best alone is right too seldom."""
NEAR: Final = 0.5
LEAST_COSINE: Final = 0.2
"""A best cosine below this, without a word in common, is nothing that fits."""


def enough(candidates: Candidates, query: Query, ranked: Sequence[int]) -> int:
    """How many of the ranked positions to send: those whose score lies within a width of the best, 0 for none."""
    if not ranked or _nothing_fits(candidates):
        return 0
    score = dict(zip(candidates.positions.tolist(), candidates.fused.tolist(), strict=True))
    width = WIDTHS["wide" if WIDE.search(query.text) else "narrow"]
    best = max(score[position] for position in ranked)
    inside = sum(1 for position in ranked if score[position] >= best - width)
    return max(inside, min(FEWEST, len(ranked)))


def near_misses(candidates: Candidates, minimum: float) -> int:
    """Messages whose score lies at most ``NEAR`` below the minimum."""
    return int(((candidates.fused < minimum) & (candidates.fused >= minimum - NEAR)).sum())


def _nothing_fits(candidates: Candidates) -> bool:
    words = [candidates.scores[name] for name in ("keyword", "context") if name in candidates.scores]
    dense = candidates.scores.get("dense")
    if dense is None or not len(dense) or not words:
        return False
    return float(dense.max()) < LEAST_COSINE and all(not float(column.max()) > 0 for column in words)
