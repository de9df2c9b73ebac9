"""The definite part of a statement that no other family reads: a name, a number, a day, a known thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.base import USER
from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.dates import dates
from mnemo_lab.extraction.rules.english.lexicon import attribute_of, kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import PROJECT, Draft, Scene, Subject, is_name, slot_of
from mnemo_lab.extraction.rules.english.values import ASIDE, cut, lows, named, trim
from mnemo_lab.extraction.rules.english.words import Word

_UNTOLD: Final = word_set("telling untold")
_DIVIDERS: Final = ASIDE | {",", "and", "or", "but", "of", "as", "not", "before", "after"}
_KINDS: Final = word_set("telling kinds")
_EVENTS: Final = word_set("telling events")


def tells(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``our newsletter goes through Mailchimp``, ``we pay on the 25th``, ``my flight leaves at 06:40``."""
    group = clause.group
    own = clause.who == "i" and (group.progressive or group.negative or group.lemma in ("find", "have", "get", "be"))
    if own or group.lemma in _EVENTS or group.modal not in ("", "will", "must"):
        return
    if group.tense == "past" and not group.passive and not group.perfect:
        return
    if set(subject.noun) & _UNTOLD or (
        subject.name.lower().split()[-1:] and subject.name.lower().split()[-1] in _UNTOLD
    ):
        return
    if clause.rest and clause.rest[0].low in ("where", "what", "why", "how", "when", "that", "who"):
        return
    segments = list(_segments(clause.rest))
    if clause.verb not in ("be", "have", "own"):
        segments.sort(key=lambda part: not _KINDS & set(kinds_of(named(part))))
    for part in segments:
        value = _definite(part, scene)
        if value and (clause.who != "i" or _KINDS & set(kinds_of(named(value)))):
            unnamed = (clause.owner == "our" and subject.kind == "thing") or (clause.who == "it" and not scene.thing)
            dated = unnamed and bool(dates(value, scene.today))
            own = clause.owner == "my" or subject.kind in ("user", "person") or dated
            name = USER if (clause.owner == "my" or dated) and subject.kind != "person" else subject.name
            yield Draft(
                "user_info" if own else "project_fact", _attribute(subject, value, clause), value, name,
                group.negative, changes="now" in group.adverbs, confidence=0.55,
            )  # fmt: skip
            yield from venue(clause.rest, name, value, scene)
            return


def venue(rest: list[Word], name: str, day: list[Word], scene: Scene) -> Iterator[Draft]:
    """``… on 13 June, at the boathouse in Henley``: where what has a day takes place."""
    low = lows(rest)
    if "at" in low and dates(day, scene.today):
        value = cut(rest[low.index("at") + 1 :], ASIDE - {"in"} | {",", "and"}, scene.today)
        if value and not value[0].low[:1].isdigit() and value[0].low not in _UNTOLD | {"same", "moment", "latest"}:
            yield Draft("user_info" if name == USER else "project_fact", "venue", value, name, confidence=0.6)


def _segments(rest: list[Word]) -> Iterator[list[Word]]:
    start = 0
    for place, word in enumerate(rest):
        if word.low in _DIVIDERS:
            yield rest[start:place]
            start = place + 1
    yield rest[start:]


def _definite(part: list[Word], scene: Scene) -> list[Word]:
    found = dates(part, scene.today)
    if found and len(part) < 7:
        soon = part[found[0].start].low in ("today", "tonight", "tomorrow", "yesterday")
        return [] if soon else part[found[0].start : found[0].end]
    part = trim(part)
    if not part or len(part) > 6 or _secret(part):
        return []
    if any(char.isdigit() for word in part for char in word.low):
        return part if len(part) < 4 else []
    address = [word for word in part if any(mark in word.low[1:-1] for mark in "./_") and word.low[-1:].isalpha()]
    if address:
        return address[:1]
    names = [word for word in part if is_name(word) and "role" not in kinds_of([word.low])]
    if names:
        return part if len(part) < 5 else names
    return part if len(part) < 4 and _KINDS & set(kinds_of(named(part))) else []


def _secret(part: list[Word]) -> bool:
    """A long run of letters and digits is a key, and nothing to remember."""
    return any(len(word.low) > 19 and any(char.isdigit() for char in word.low) for word in part)


def _attribute(subject: Subject, value: list[Word], clause: Clause) -> str:
    noun = list(subject.noun) or [word.low for word in clause.noun]
    known = attribute_of(noun, False) if noun else None
    kind = next(iter(kinds_of(named(value))), "")
    if known:
        return known[1]
    if kind:
        return slot_of(kind)
    return f"{' '.join(noun[-2:])} {clause.verb}".strip() if noun and subject.name != PROJECT else clause.verb
