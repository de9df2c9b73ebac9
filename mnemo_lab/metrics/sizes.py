"""What a context takes, and how much of that is evidence."""

from __future__ import annotations

from math import nan

from mnemo_lab.replay.outcome import Outcome


def context_tokens(outcome: Outcome) -> float:
    """Tokens of the rendered history."""
    return float(outcome.context.tokens) if outcome.context else nan


def precision(outcome: Outcome) -> float:
    """Share of the context's tokens that belong to pieces of evidence messages; NaN for an empty context."""
    if outcome.context is None or not outcome.context.tokens or not outcome.gold.evidence:
        return nan
    gold = {outcome.view.opaque[e] for e in outcome.gold.evidence}
    relevant = sum(p.tokens for p in outcome.context.pieces if any(s.message_id in gold for s in p.sources))
    return relevant / outcome.context.tokens


def evidence_age_tokens(outcome: Outcome) -> float:
    """Mean tokens said between the evidence and the question."""
    sums, gold = outcome.view.line_sums, outcome.gold
    ages = [sums[gold.horizon] - sums[e + 1] for e in gold.evidence]
    return sum(ages) / len(ages) if ages else nan


def evidence_age_messages(outcome: Outcome) -> float:
    """Mean number of messages between the evidence and the question."""
    ages = [outcome.gold.horizon - 1 - e for e in outcome.gold.evidence]
    return sum(ages) / len(ages) if ages else nan
