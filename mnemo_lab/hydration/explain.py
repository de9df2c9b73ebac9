"""Why a message was found: what every signal gave it, at which rank, and the lists of every signal apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from math import isnan
from typing import NamedTuple

from mnemo_lab.context import Candidates
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.adaptive import scores_at
from mnemo_lab.hydration.strategies.base import WithCheckpoints
from mnemo_lab.retrieval.fusion import fuse

HEAD = ("signal", "raw", "scaled", "weight", "contribution", "rank")


class Part(NamedTuple):
    """What one signal gave a message. ``raw`` is NaN where the signal did not score it, ``rank`` then 0; ``scaled`` is
    what its weight multiplies. ``rank`` counts from 1; equal values share the best."""

    signal: str
    raw: float
    scaled: float
    weight: float
    contribution: float
    rank: int


class Hit(NamedTuple):
    """A message in the list of one signal."""

    position: int
    score: float


@dataclass(frozen=True)
class Explanation:
    """The parts of one message's score from the greatest contribution to the least; they add up to ``total``.

    ``score`` is what it was ranked by (``rank`` from 1): it differs from ``total`` where ``mmr`` dealt scores out anew.
    """

    position: int
    parts: tuple[Part, ...]
    total: float
    score: float
    rank: int

    def __str__(self) -> str:
        rows = [HEAD, *(_shown(part) for part in self.parts)]
        first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
        lines = [
            "  ".join([name.ljust(first), *(cell.rjust(width) for cell, width in zip(cells, others, strict=True))])
            for name, *cells in rows
        ]
        return "\n".join([self._said(), *lines])

    def _said(self) -> str:
        moved = "" if abs(self.total - self.score) < 1e-9 else f" (moved from {self.total:.3f} by mmr)"
        return f"message {self.position}: rank {self.rank}, score {self.score:.3f}{moved}"

    def _repr_html_(self) -> str:
        def row(cells: tuple[str, ...], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row(_shown(part), "td") for part in self.parts)
        return f"<p>{escape(self._said())}</p><table><thead>{row(HEAD, 'th')}</thead><tbody>{body}</tbody></table>"


def explain(strategy: WithCheckpoints, candidates: Candidates, position: int) -> Explanation:
    """Every signal's part in the score of one message; raises ``InvalidInput`` for one that was not searched."""
    import numpy as np

    places = np.flatnonzero(candidates.positions == position)
    if not len(places):
        size = len(candidates.positions)
        raise InvalidInput(f"message {position} is none of the {size} that were searched; name one of their positions")
    at = int(places[0])
    weights = strategy.weights()
    parts = [_part(strategy, candidates, name, weights.get(name, 0.0), at) for name in candidates.scores]
    parts.sort(key=lambda part: -part.contribution)
    rank = int(np.flatnonzero(candidates.ranking == position)[0]) + 1
    (score,) = scores_at(candidates, [position])
    return Explanation(position, tuple(parts), sum(part.contribution for part in parts), float(score), rank)


def lists(candidates: Candidates, n: int) -> Mapping[str, list[Hit]]:
    """By signal the ``n`` messages it scores highest, best first, earlier ones first among equals.

    A message is in no list of a signal that did not score it, or that tells it from none: a flag (all 0 and 1) lists
    only those it is set for, words only those that share one.
    """
    import numpy as np

    found = {}
    for name, column in candidates.scores.items():
        known = ~np.isnan(column)
        if (column[known] >= 0).all():  # a flag or a sum of weights, whose 0 says that nothing was found
            known &= column != 0
        order = np.lexsort((candidates.positions, -np.where(known, column, -np.inf)))[: int(known.sum())]
        found[name] = [Hit(int(candidates.positions[i]), float(column[i])) for i in order[:n]]
    return found


def _part(strategy: WithCheckpoints, candidates: Candidates, name: str, weight: float, at: int) -> Part:
    column = candidates.scores[name]
    raw = float(column[at])
    scaled = float(fuse({name: column}, {name: 1.0}, strategy.fusion, candidates.moments)[at])
    rank = 0 if isnan(raw) else 1 + int((column > raw).sum())
    return Part(name, raw, scaled, weight, weight * scaled if weight else 0.0, rank)


def _shown(part: Part) -> tuple[str, ...]:
    raw = "not scored" if isnan(part.raw) else f"{part.raw:.3f}"
    rank = str(part.rank) if part.rank else "–"
    return (part.signal, raw, f"{part.scaled:.3f}", f"{part.weight:g}", f"{part.contribution:+.3f}", rank)
