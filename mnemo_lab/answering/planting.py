"""Planted answers, whose truth is known, by which a judge is judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from mnemo_lab.answering.scores import contains_answer, exact_match, token_f1, words_of
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.text.language import language_of
from mnemo_lab.text.normalise import MONTHS

Kind = Literal["another's answer", "number changed", "alias", "said otherwise"]
CLOSE: Final = 0.5
"""A planted wrong answer shares fewer words with the right ones than this F1; a changed number need not."""
_DIGIT: Final = re.compile(r"\d(?!.*\d)", re.DOTALL)
_ZH_DIGIT: Final = re.compile("[一二三四五六七八九](?!.*[一二三四五六七八九])", re.DOTALL)
_MONTH: Final = re.compile(rf"\b({'|'.join(MONTHS)})\b", re.IGNORECASE)
_ZH_NEXT: Final = dict(zip("一二三四五六七八九", "二三四五六七八九一", strict=True))
_THOUSANDS: Final = re.compile(r"(?<![\d.,-])\d{1,3}(?:,\d{3})+(?![\d,])")
_DAY_MONTH: Final = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)})\b", re.IGNORECASE)
FRAME: Final = {"en": "It is {}, as far as I can see.", "zh": "据我所知是{}。"}


class Planted(NamedTuple):
    """An answer that is right or wrong for certain; ``golds`` are what the judge is told."""

    recording: str
    probe: Probe
    golds: tuple[str, ...]
    answer: str
    right: bool
    kind: Kind


def plant(recording: Recording, probe: Probe, seed: int) -> list[Planted]:
    """Up to two wrong answers and one right one to an answerable probe.

    Wrong: the gold answer of another question of the same recording and category, and its own with the last digit (or
    the month) changed. Right: an alias that the judge is not told, else the answer said otherwise. Deterministic.
    """
    golds = probe.answers
    if not probe.answerable or not golds:
        return []
    wrong = ((_others(recording, probe, seed), "another's answer"), (_changed(golds), "number changed"))
    found = [Planted(recording.id, probe, golds, text, False, kind) for text, kind in wrong if text]  # type: ignore[arg-type]
    alias = next((a for a in golds[1:] if words_of(a) != words_of(golds[0])), None)
    if alias is not None:
        return [*found, Planted(recording.id, probe, golds[:1], alias, True, "alias")]
    return [*found, Planted(recording.id, probe, golds, said_otherwise(golds[0]), True, "said otherwise")]


def _others(recording: Recording, probe: Probe, seed: int) -> str | None:
    answers = [
        other.answers[0]
        for other in recording.probes
        if other.category == probe.category and other.answerable and other.answers and other.id != probe.id
    ]
    unlike = [text for text in answers if _is_wrong(text, probe.answers) and token_f1(text, probe.answers) < CLOSE]
    return min(unlike, key=lambda text: _luck(seed, probe.id, text), default=None)


def _changed(golds: Sequence[str]) -> str | None:
    """The answer with another last digit, another month, or another Chinese numeral; ``None`` where it has none."""
    gold = golds[0]
    for changed in (
        _DIGIT.sub(lambda m: str((int(m[0]) + 1) % 10), gold),
        _MONTH.sub(_next_month, gold, count=1),
        _ZH_DIGIT.sub(lambda m: _ZH_NEXT[m[0]], gold),
    ):
        if changed != gold and _is_wrong(changed, golds):
            return changed
    return None


def _next_month(found: re.Match[str]) -> str:
    name = MONTHS[(MONTHS.index(found[0].lower()) + 1) % 12]
    return name.capitalize() if found[0][0].isupper() else name


def _is_wrong(text: str, golds: Sequence[str]) -> bool:
    return not exact_match(text, golds) and not contains_answer(text, golds)


def said_otherwise(gold: str) -> str:
    """The same answer in another form: a number without separators, a date turned round, else inside a sentence."""
    for pattern, new in ((_THOUSANDS, lambda m: m[0].replace(",", "")), (_DAY_MONTH, lambda m: f"{m[2]} {m[1]}")):
        if pattern.search(gold):
            return pattern.sub(new, gold)
    return FRAME[language_of([gold])].format(gold)


def _luck(seed: int, probe: str, text: str) -> bytes:
    return blake2b(f"{seed}\n{probe}\n{text}".encode(errors="replace"), digest_size=8).digest()
