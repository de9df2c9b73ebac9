"""How much of the gold evidence a context keeps word for word, or at least represents."""

from __future__ import annotations

from functools import partial
from math import nan

from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.view import Spans
from mnemo_lab.text.key_terms import key_terms, stands_in
from mnemo_lab.text.normalise import normalise


def _whole(outcome: Outcome) -> list[bool]:
    """For each evidence message: whether it is wholly verbatim in the context."""
    kept, messages = outcome.kept.verbatim, outcome.view.messages
    return [kept.get(e) == ((0, len(messages[e].text)),) for e in outcome.gold.evidence]


def evidence_recall(outcome: Outcome) -> float:
    """Share of evidence messages wholly verbatim in the context, 0 to 1; NaN without evidence."""
    whole = _whole(outcome)
    return sum(whole) / len(whole) if whole else nan


def evidence_any(outcome: Outcome) -> float:
    """1 if at least one evidence message is wholly verbatim, else 0; NaN without evidence."""
    whole = _whole(outcome)
    return float(any(whole)) if whole else nan


def evidence_all(outcome: Outcome) -> float:
    """1 if every evidence message is wholly verbatim, else 0; NaN without evidence."""
    whole = _whole(outcome)
    return float(all(whole)) if whole else nan


def evidence_coverage(outcome: Outcome) -> float:
    """Mean over evidence of the labelled answer characters that are verbatim, white space not counted."""
    shares = [_covered(outcome, e, spans) for e, spans in outcome.gold.spans.items()]
    defined = [share for share in shares if share == share]
    return sum(defined) / len(defined) if defined else nan


def _covered(outcome: Outcome, position: int, answer: Spans) -> float:
    text, kept = outcome.view.messages[position].text, outcome.kept.verbatim.get(position, ())
    if kept == ((0, len(text)),):
        return 1.0 if any(text[a:b].strip() for a, b in answer) else nan
    total = sum(_ink(text, start, end) for start, end in answer)
    inside = sum(_ink(text, max(a, c), min(b, d)) for a, b in answer for c, d in kept if max(a, c) < min(b, d))
    return inside / total if total else nan


def _ink(text: str, start: int, end: int) -> int:
    return sum(not c.isspace() for c in text[start:end])


def evidence_represented(outcome: Outcome) -> float:
    """Over evidence not wholly verbatim: share of its numbers, identifiers, names and answer words that survive
    in derived text (summaries, checkpoints, memories). NaN where nothing is derived or nothing is to represent."""
    if not outcome.kept.derived:
        return nan
    derived = " ".join(outcome.kept.derived)
    words, folded = set(normalise(derived).split()), derived.casefold()
    has = partial(stands_in, folded)
    shares = []
    for position, whole in zip(outcome.gold.evidence, _whole(outcome), strict=True):
        terms = set() if whole else key_terms(outcome.view.messages[position].text)
        answer = set() if whole else set(normalise(outcome.probe.answer or "").split())
        if terms or answer:
            survived = sum(map(has, terms)) + len(answer & words)
            shares.append(survived / (len(terms) + len(answer)))
    return sum(shares) / len(shares) if shares else nan
