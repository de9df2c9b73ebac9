"""Abstention: whether a reader refuses what cannot be known, and only that."""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import NamedTuple


class TwinPair(NamedTuple):
    """An unanswerable question and its answerable twin, as a reader treated them."""

    refused: bool
    """The unanswerable one was refused, as it should be."""
    twin_refused: bool


def balanced_accuracy(pairs: Iterable[TwinPair]) -> float:
    """Mean of the share of unanswerable questions refused and of the share of their twins answered; NaN without pairs.

    0.5 is what a reader gets that refuses everything, nothing, or by chance.
    """
    found = list(pairs)
    if not found:
        return nan
    return sum(pair.refused + (not pair.twin_refused) for pair in found) / (2 * len(found))


def hallucination_rate(refused: Iterable[bool]) -> float:
    """Share of unanswerable questions that were answered; NaN where there are none."""
    found = list(refused)
    return sum(not one for one in found) / len(found) if found else nan


def per_correct(total: float, correct: float) -> float:
    """Tokens or dollars for one correct answer: all that was spent, on wrong ones too; NaN without a correct one."""
    return total / correct if correct else nan
