"""By when something has to be done, and when somebody goes somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.base import USER
from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.dates import dates
from mnemo_lab.extraction.rules.english.scene import PROJECT, Draft, Scene, Subject
from mnemo_lab.extraction.rules.english.values import ASIDE, lows, single

_DOING: Final = frozenset("hand submit deliver finish send ship complete present publish defend file renew".split())
_GOING: Final = frozenset("fly travel leave start".split())
_SOON: Final = frozenset("today tonight tomorrow yesterday".split())


def due(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I have to hand in my dissertation a week from Friday``, ``the first release has to ship by 30 May``."""
    low = lows(clause.rest)
    doing = next((i for i, word in enumerate(low[:4]) if word in _DOING), None)
    must = clause.verb in ("want", "plan") and doing is not None and "to" in low[: doing + 1]
    going = clause.verb in _DOING and clause.group.modal in ("must", "will")
    leaving = clause.verb in _GOING and (clause.group.progressive or clause.group.tense == "present")
    found = dates(clause.rest, scene.today)
    if found and "married" in low[:2] and subject.kind in ("user", "project"):
        yield Draft("user_info", "wedding date", clause.rest[found[0].start : found[0].end], importance=4)
        return
    if not (must or going or leaving) or not found or low[found[0].start] in _SOON or clause.group.negative:
        return
    value = clause.rest[found[0].start : found[0].end]
    begin = (doing or 0) + 1 if must else 0
    thing = single([word for word in clause.rest[begin : found[0].outer] if word.low not in ASIDE])
    personal = subject.kind in ("user", "person")
    named = " ".join(subject.noun) or (subject.name.lower() if subject.name not in (USER, PROJECT) else "")
    attribute = f"{' '.join(lows(thing)) or named} {clause.verb if leaving else 'deadline'}".strip()
    yield Draft("user_info" if personal else "project_fact", attribute, value, subject.name, confidence=0.7)
