"""How much a question needs: a width of scores by its kind, nothing where nothing fits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from mnemo_lab.context import Candidates, Query
from mnemo_lab.conversation import Message

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray

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
NEAR: Final = 0.25
"""How far below a least score is just below it, in standard deviations of the scores."""
IDENTIFIER: Final = re.compile(r"(?=[\w.-]*[\d_])[A-Za-z0-9][A-Za-z0-9_.-]+[A-Za-z0-9]")


def enough(candidates: Candidates, query: Query, ranked: Sequence[int]) -> int:
    """How many of the positions, ranked from best to worst, lie within a width of the best."""
    if not len(ranked):
        return 0
    scores = scores_at(candidates, ranked)
    width = WIDTHS["wide" if WIDE.search(query.text) else "narrow"]
    inside = int((scores >= scores.max() - width).sum())
    return max(inside, min(FEWEST, len(ranked)))


def nothing_fits(candidates: Candidates, query: Query, messages: Iterable[Message], unrelated: float) -> bool:
    """Whether no cosine reaches ``unrelated`` and no identifier of the question ("E-4417") was ever written.

    Ordinary words in common are no sign of fitting: most unrelated questions share one with some message.
    """
    dense = candidates.scores.get("dense")
    if dense is None or not len(dense) or float(dense.max()) >= unrelated:
        return False
    named = {found.casefold() for found in IDENTIFIER.findall(query.text)}
    return not named or not any(name in message.text.casefold() for message in messages for name in named)


def near_misses(candidates: Candidates, minimum: float) -> int:
    """Messages whose score lies just below the minimum."""
    if not len(candidates.fused):
        return 0
    least = minimum - NEAR * float(candidates.fused.std())
    return int(((candidates.fused < minimum) & (candidates.fused >= least)).sum())


def scores_at(candidates: Candidates, positions: Sequence[int]) -> FloatArray:
    """Final scores of these positions; raises ``KeyError`` for one that is no candidate."""
    import numpy as np

    order = np.argsort(candidates.positions, kind="stable")
    places = np.searchsorted(candidates.positions, positions, sorter=order)
    found = order[np.minimum(places, len(order) - 1)]
    if (candidates.positions[found] != np.asarray(positions)).any():
        raise KeyError(f"not among the candidates: {positions!r:.80}")
    scores: FloatArray = candidates.fused[found]
    return scores
