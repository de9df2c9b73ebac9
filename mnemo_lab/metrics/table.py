"""The one table of metrics: column name to function. Adding a metric is one function and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import nan
from types import MappingProxyType
from typing import Final

from mnemo_lab.metrics.answers import answer_in_context
from mnemo_lab.metrics.evidence import (
    evidence_all,
    evidence_any,
    evidence_coverage,
    evidence_recall,
    evidence_represented,
)
from mnemo_lab.metrics.ranking import mrr, ndcg_at, recall_at, session_recall_at
from mnemo_lab.metrics.sizes import context_tokens, evidence_age_messages, evidence_age_tokens, precision
from mnemo_lab.metrics.validity import silent_empty, violations
from mnemo_lab.replay.outcome import Outcome

Metric = Callable[[Outcome], float]

METRICS: Final[Mapping[str, Metric]] = MappingProxyType(
    {
        "evidence_recall": evidence_recall,
        "evidence_any": evidence_any,
        "evidence_all": evidence_all,
        "evidence_coverage": evidence_coverage,
        "evidence_represented": evidence_represented,
        "answer_in_context": answer_in_context,
        "recall_at_1": partial(recall_at, 1),
        "recall_at_5": partial(recall_at, 5),
        "recall_at_10": partial(recall_at, 10),
        "session_recall_at_5": partial(session_recall_at, 5),
        "mrr": mrr,
        "ndcg_at_10": partial(ndcg_at, 10),
        "precision": precision,
        "context_tokens": context_tokens,
        "evidence_age_tokens": evidence_age_tokens,
        "evidence_age_messages": evidence_age_messages,
        "violations": violations,
        "silent_empty": silent_empty,
    }
)
OF_THE_PROBE: Final = frozenset({"evidence_age_tokens", "evidence_age_messages"})
"""Defined even where the strategy failed."""


def measure(outcome: Outcome) -> dict[str, float]:
    """Every metric of one outcome; all NaN but the probe's own where the strategy failed."""
    failed = outcome.context is None
    return {name: nan if failed and name not in OF_THE_PROBE else metric(outcome) for name, metric in METRICS.items()}
