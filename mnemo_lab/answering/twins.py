"""Answerable twins: to each question that the recording does not answer, one like it that it does."""

from __future__ import annotations

from typing import NamedTuple

from mnemo_lab.answering.scores import words_of
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.text.words import words


class _Known(NamedTuple):
    probe: Probe
    terms: frozenset[str]
    horizon: int


def can_be_scored(probe: Probe) -> bool:
    """Whether there is a truth to hold an answer against: a gold answer, or that there is none to give."""
    return not probe.answerable or any(words_of(gold) for gold in probe.answers)


def twins(recording: Recording) -> dict[str, str]:
    """Id of an unanswerable probe → id of its twin; no probe is the twin of two, and some may have none.

    The nearest pairs come first: same category, then the share of question words in common (Jaccard), then how near
    to each other they are asked, then the order of the probes.
    """
    places = {message.id: place for place, message in enumerate(recording.messages(), 1)}
    known = [
        _Known(probe, frozenset(words(probe.question)), places.get(probe.after or "", len(places)))
        for probe in recording.probes
        if can_be_scored(probe)
    ]
    pairs = sorted(
        (_distance(a, b), i, j)
        for i, a in enumerate(known)
        if not a.probe.answerable
        for j, b in enumerate(known)
        if b.probe.answerable
    )
    found: dict[str, str] = {}
    for _, i, j in pairs:
        one, twin = known[i].probe.id, known[j].probe.id
        if one not in found and twin not in found.values():
            found[one] = twin
    return found


def _distance(a: _Known, b: _Known) -> tuple[bool, float, int]:
    union = len(a.terms | b.terms)
    overlap = len(a.terms & b.terms) / union if union else 0.0
    return a.probe.category != b.probe.category, -overlap, abs(a.horizon - b.horizon)
