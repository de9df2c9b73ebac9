"""What was decided, switched to, settled, rejected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.base import USER
from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.dates import dates
from mnemo_lab.extraction.rules.english.lexicon import attribute_of, kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import DAYS, PROJECT, Draft, Scene, Subject, is_name, slot_of
from mnemo_lab.extraction.rules.english.values import ASIDE, STOPS, cut, lows, named, single
from mnemo_lab.extraction.rules.english.words import Word

_TAKE: Final = word_set("choice take")
_REFUSE: Final = frozenset("drop dropping skip skipping cancel reject avoid remove abandon scrap not against".split())
_LINKS: Final = frozenset("with to on for into over onto using up down from".split())
_SHIFT: Final = word_set("choice shift")
_GIVE_UP: Final = word_set("choice give up")
_SETTLE: Final = word_set("choice settle")
_MOMENT: Final = word_set("choice moment")


def chooses(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """Dispatch by the kind of verb: giving up, shifting from one to another, settling, and ``let's use``."""
    if clause.group.modal in ("can", "must", "used to") or not clause.rest or subject.kind == "person":
        return
    if clause.verb in _GIVE_UP:
        yield from _given_up(clause, subject, scene)
    elif clause.verb in _SHIFT:
        yield from _shifted(clause, subject, scene)
    elif clause.verb in _SETTLE:
        yield from _settled(clause, subject, scene)


def lets(clause: Clause, scene: Scene) -> Iterator[Draft]:
    """``let's use OAuth``, ``let's go with the red one``, ``we'll keep SQLite``."""
    if clause.verb not in ("use", "go", "adopt", "keep", "stick", "move", "switch", "drop", "settle", "pick", "call"):
        return
    subject = Subject(PROJECT, "project")
    if clause.verb == "drop":
        yield from _given_up(clause, subject, scene)
    elif clause.verb in ("move", "switch"):
        yield from _shifted(clause, subject, scene)
    else:
        yield from _taken(clause.rest, clause, subject, scene, clause.group.negative)


def _settled(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    low = lows(clause.rest)
    if clause.verb == "stick" and clause.group.passive:
        return
    if clause.verb == "go" and low[0] not in ("with", "for", "fully", "completely"):
        return
    if clause.verb == "go" and clause.group.tense not in ("past",) and clause.who not in ("we", "let", "i"):
        return
    negative = clause.group.negative or low[0] in ("against", "not")
    rest = clause.rest
    if low[0] == "that":
        return
    while rest and rest[0].low in _LINKS | _TAKE | _REFUSE | {"fully", "the", "have", "finally"}:
        negative = negative or rest[0].low in _REFUSE
        rest = rest[1:]
    yield from _taken(rest, clause, subject, scene, negative)


def _taken(rest: list[Word], clause: Clause, subject: Subject, scene: Scene, negative: bool) -> Iterator[Draft]:
    while rest and rest[0].low in _LINKS:
        rest = rest[1:]
    value = single(cut(rest, ASIDE - {"with", "of"} | {"to"}, scene.today))
    if not value or _vague(value) or len(value) > 7 or (value[0].low.endswith("ing") and len(value) == 1):
        return
    if clause.verb == "adopt" and not kinds_of(named(value)):
        return
    attribute = _about(value, clause, rest)
    name = subject.name if subject.kind != "person" else PROJECT
    yield Draft(
        "decision", attribute, value, name, negative, importance=4, changes=True, former=_instead(rest), confidence=0.8
    )
    former = _instead(rest)
    if former and not negative:
        yield Draft("decision", attribute, former, name, True, importance=3, changes=True, confidence=0.55)


def _vague(value: list[Word]) -> bool:
    """``it``, ``the second option``: what only the talk of the moment explains."""
    ordered = value[0].low in ("first", "second", "some", "more", "each", "one", "both")
    return value[0].low in _MOMENT and not (
        ordered and len(value) > 1 and value[-1].low not in _MOMENT | {"suggestion"}
    )


def _about(value: list[Word], clause: Clause, rest: list[Word]) -> str:
    low = lows(rest)
    kind = next(iter(kinds_of(named(value))), "")
    if kind:
        return slot_of(kind)
    if "for" in low:
        purpose = cut(rest[low.index("for") + 1 :], ASIDE)
        known = attribute_of(lows(purpose), False) if purpose else None
        return known[1] if known else " ".join(lows(purpose)) or "choice"
    known = attribute_of(lows(value), False)
    return known[1] if known else "choice"


def _instead(rest: list[Word]) -> list[Word]:
    """What stands after ``instead of``, ``rather than``, ``over``, ``not``."""
    low = lows(rest)
    for place, word in enumerate(low):
        pair = tuple(low[place : place + 2])
        skip = 2 if pair in (("instead", "of"), ("rather", "than")) else 1 if word in ("over", "not") and place else 0
        if skip:
            return single(cut(rest[place + skip :], ASIDE))
    return []


def _given_up(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``we dropped Redis``, ``Vercel was ruled out``, ``I rejected the offer``."""
    if clause.group.passive:
        value = clause.noun
    else:
        rest = clause.rest[1:] if lows(clause.rest[:1]) in (["out"], ["down"]) else clause.rest
        value = single(cut(rest, ASIDE, scene.today))
    if not value or value[0].low in _MOMENT or len(value) > 6 or clause.group.negative or clause.group.progressive:
        return
    if not clause.group.passive and not (is_name(value[0]) or kinds_of(named(value))):
        return
    kept = _in_favour(clause)
    if kept:
        yield Draft("decision", _about(kept, clause, []), kept, PROJECT, importance=4, changes=True, former=value)
    own = clause.who == "i"
    category, name = ("preference", subject.name) if own else ("decision", PROJECT)
    yield Draft(category, _about(value, clause, []), value, name, True, importance=3, changes=True)


def _in_favour(clause: Clause) -> list[Word]:
    """``… in favour of Postgres``."""
    low = lows(clause.rest)
    place = next((i for i in range(len(low) - 3) if low[i] == "in" and low[i + 1][:4] == "favo"), None)
    return [] if place is None else single(cut(clause.rest[place + 3 :], ASIDE))


def out(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``Bluetooth beacons are out``, ``the tabs experiment is over``, ``Go is off the table``."""
    low = lows(clause.rest)
    gone = low[:1] in (["out"], ["gone"], ["history"]) or low[:3] == ["off", "the", "table"]
    noun = clause.noun
    plain = (len(noun) == 1 and noun[0].low in ("sun", "moon", "rain", "school")) or any(
        char.isdigit() for word in noun for char in word.low
    )
    if (
        gone
        and not plain
        and clause.who == "noun"
        and len(clause.noun) < 5
        and (len(low) < 4 or low[1] in STOPS)
        and not clause.group.negative
    ):
        yield Draft(
            "decision", _about(clause.noun, clause, []), clause.noun, PROJECT, True, changes=True, confidence=0.7
        )


def _shifted(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``switched from X to Y``, ``replaced X with Y``, ``changed X to Y``, ``pushed the beta to 9 March``."""
    low = lows(clause.rest)
    goal = next(
        (i for i, word in enumerate(low) if word in ("to", "with", "by", "for") and _is_goal(clause, word)), None
    )
    if goal is None or (clause.verb == "move" and clause.who == "i" and not kinds_of(low[goal + 1 :])):
        return
    former = [word for word in _former(clause, low[:goal]) if word.low not in ("everything", "it", "all", "over")]
    found = dates(clause.rest[goal + 1 :], scene.today)
    dated = found and found[0].outer == 0
    after = clause.rest[goal + 1 :]
    value = after[found[0].start : found[0].end] if dated else single(cut(after, ASIDE | {"on"}, scene.today))
    if not value or value[0].low in _MOMENT or "town" in kinds_of(named(value)) or clause.group.negative:
        return
    mark = clause.noun if clause.group.passive or clause.verb in ("slip", "slide") else former
    known = attribute_of(lows(mark), clause.who == "i") if mark else None
    attribute = known[1] if known else _about(value, clause, after)
    if attribute == "choice" and mark:
        attribute = " ".join(lows(mark))
    personal = clause.who == "i" or value[0].low in DAYS
    thing = mark and not known and not kinds_of(named(mark)) and not dated
    name = USER if personal else " ".join(word.text for word in mark) if thing else PROJECT
    category = (
        "preference" if clause.who == "i" else "user_info" if personal else "project_fact" if dated else "decision"
    )
    yield Draft(
        category, attribute, value, name, importance=4, changes=True, former=former if kinds_of(named(former)) else []
    )


def _is_goal(clause: Clause, word: str) -> bool:
    if clause.verb in ("replace", "swap"):
        return word in ("with", "by", "for")
    return word == "to"


def _former(clause: Clause, before: list[str]) -> list[Word]:
    start = before.index("from") + 1 if "from" in before else 0
    return cut(clause.rest[start : len(before)], ASIDE - {"of"}) if len(before) > start else []
