"""Whether the gold answer can be read off the context at all."""

from __future__ import annotations

from math import nan

from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.text.answers import contains
from mnemo_lab.text.normalise import normalise


def answer_in_context(outcome: Outcome) -> float:
    """1 if every part of the gold answer (or of an alias) stands in the context after normalisation, else 0.

    NaN where the probe has no answer, or where not even the full text seen so far contains it ("7 May" said as
    "yesterday"): such probes are unreachable for every strategy. ``random`` shows how often chance hits.
    """
    if not outcome.probe.answerable:
        return nan
    reachable = [parts for parts in outcome.view.answer_places(outcome.probe) if all(places for _, places in parts)]
    if not reachable:
        return nan
    return float(any(all(_present(outcome, needle, places) for needle, places in parts) for parts in reachable))


def _present(outcome: Outcome, needle: str, places: frozenset[int]) -> bool:
    kept, messages = outcome.kept.verbatim, outcome.view.messages
    for position in places if len(places) < len(kept) else places & kept.keys():
        spans = kept.get(position)
        if spans and (spans == ((0, len(messages[position].text)),) or _in_parts(outcome, position, needle)):
            return True
    return any(contains(normalise(text), needle) for text in outcome.kept.derived)


def _in_parts(outcome: Outcome, position: int, needle: str) -> bool:
    text = outcome.view.messages[position].text
    return any(contains(normalise(text[a:b]), needle) for a, b in outcome.kept.verbatim[position])
