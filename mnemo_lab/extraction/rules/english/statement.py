"""The open reader: what a clause asserts, when no narrower family reads it. What it leaves out decides, not a list of
values: moods and events of the day, what is thought, felt, found, asked; what has nothing definite to say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.base import USER
from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.dates import dates
from mnemo_lab.extraction.rules.english.lexicon import attribute_of, forms, kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import DAYS, PROJECT, Draft, Scene, Subject, is_name, slot_of
from mnemo_lab.extraction.rules.english.values import ASIDE, STOPS, cut, lows, named, parts, trim
from mnemo_lab.extraction.rules.english.words import Word
from mnemo_lab.extraction.rules.english.work import AGES

_ONGOING: Final = word_set("statement ongoing")
_GAINED: Final = word_set("statement gained")
_MENTAL: Final = word_set("statement mental")
_TRANSIENT: Final = word_set("statement transient")
_ABSTRACT: Final = word_set("statement abstract")
_CANNOT: Final = word_set("statement cannot")
_HABITS: Final = word_set("statement habits")
_PRIVATE: Final = word_set("statement private")
_MOMENT: Final = word_set("statement moment")
_UNTOLD: Final = word_set("telling untold")
_KINDS: Final = word_set("telling kinds")
_BESIDE: Final = frozenset("after before when while once until as where".split())
_ENDS: Final = ASIDE | {"as"}
_LEADS: Final = ASIDE | {"up", "out", "off", "away", "back", "as", "after", "together", "myself"}
_TAKEN: Final = frozenset("use switch move adopt do write run keep".split())
_CHANGED: Final = frozenset("go rise drop grow increase change move fall jump shrink".split())
_VAGUE: Final = word_set("statement vague")
_UNSAID: Final = (_VAGUE | {","}) - {"it", "them", "one"}
_DIVIDERS: Final = ASIDE | {",", "and", "or", "but", "as", "not", "before", "after", "like"}
_ALL: Final = frozenset("every all each no any".split())
_LONGEST, _OPENING = 6, 16


def tells(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I commute by ferry``, ``every pull request needs two approvals``, ``our heating runs on pellets``."""
    first = clause.rests[0] if clause.rest else ""
    keeps = clause.verb == "keep" and first.endswith("ing")
    if _of_today(clause) or clause.joined in _BESIDE or keeps or first in _UNSAID:
        return
    if set(subject.noun) & _UNTOLD or set(subject.name.lower().split()[-1:]) & _UNTOLD:
        return
    if clause.who in ("i", "we") and scene.last and clause.verb in _TAKEN and "it" in clause.rests[:3]:
        yield _draft(clause, subject, scene.last, False, scene)
        return
    living = (subject.kind in ("user", "person") and not subject.noun) or clause.who == "we"
    values = _of_somebody(clause, scene) if living else _of_something(clause, subject, scene)
    told = [value for value in values if value and not _secret(value)]
    for value in told:
        yield _draft(clause, subject, value, len(told) > 1, scene)


def _of_today(clause: Clause) -> bool:
    low = lows(clause.rest)
    whole = any(low[i] == "all" and low[i + 1] in ("day", "week", "morning") for i in range(len(low) - 1))
    starts = "today" in low and low[low.index("today") - 1] in ("of", "from")
    return not starts and (whole or bool(_MOMENT & {*clause.group.adverbs, *low, *lows(clause.lead)}))


def _of_somebody(clause: Clause, scene: Scene) -> list[list[Word]]:
    group = clause.group
    if group.modal == "can" and group.negative and clause.verb in _CANNOT:
        return _objects(clause.rest, scene) or [[group.word] if group.word else []]
    if not clause.rest:
        return []
    owned = clause.verb == "get" and group.perfect
    if group.modal not in ("", "will", "must", "used to") or (clause.verb in _MENTAL and not owned):
        return []
    if clause.verb == "be":
        return _being(clause, scene) or _of_other(clause, scene)
    if clause.verb == "have" or owned:
        return _having(clause, scene) or _of_other(clause, scene)
    if group.modal in ("will", "must") and not _habit(clause):
        return []
    if group.progressive and group.tense != "past":
        course = clause.verb == "do" and clause.rest[0].low in ("a", "an", "my")
        return _objects(clause.rest, scene) if clause.verb in _ONGOING or (course and not group.perfect) else []
    if (group.tense == "past" or group.perfect) and not group.passive:
        return _gained(clause, scene)
    return _told(clause.rest, scene) if group.tense != "past" else []


def _of_other(clause: Clause, scene: Scene) -> list[list[Word]]:
    present = clause.group.tense != "past" and not clause.group.progressive
    return _definite_parts(clause, scene)[:1] if clause.who not in ("i", "we") and present else []


def _told(rest: list[Word], scene: Scene) -> list[list[Word]]:
    """The object; where that is only a plain noun, the name or number that stands after it."""
    days = [word for word in rest if word.low in DAYS and word.low.endswith("s")]
    values = _objects(rest, scene)
    known = [part for part in map(trim, _segments(rest)) if part and _KINDS & set(kinds_of(named(part)))]
    if days or known:
        return [days[:1]] if days else known[:1]
    if values and not _named(values) and values[-1][-1].low.endswith("s"):
        further = [word for word in rest if word.start > values[-1][-1].start]
        return next(([v] for v in map(trim, _segments(further)) if v and len(v) < 4 and _named([v])), values)
    return values


def _habit(clause: Clause) -> bool:
    return bool(_HABITS & {*clause.group.adverbs, *lows(clause.rest), *lows(clause.lead)})


def _gained(clause: Clause, scene: Scene) -> list[list[Word]]:
    """What one has since: ``bought a Volvo``; or for long: ``has shared an office since 2021``."""
    low = lows(clause.rest)
    lasting = clause.group.perfect and ("since" in low or ("for" in low and "years" in low))
    value = _objects(clause.rest, scene)[:1]
    if lasting and clause.verb not in _MENTAL:
        return value
    return value if clause.verb in _GAINED and (low[0] in ("a", "an", "our") or _named(value)) else []


def _named(values: list[list[Word]]) -> bool:
    return any(is_name(word) for value in values for word in value)


def _being(clause: Clause, scene: Scene) -> list[list[Word]]:
    """``I'm the treasurer of …``, ``we're a team of six``, ``he's a whippet``."""
    low = lows(clause.rest)
    if clause.group.progressive or low[0] not in ("a", "an", "the", "our", "one"):
        return []
    value = cut(clause.rest, STOPS | {",", "and", "at", "in", "with", "for"}, scene.today)
    counted = "of" in lows(value) and (value[-1].low in AGES or value[-1].low.isdecimal())
    if clause.who == "we":
        return [value[-1:]] if counted else []
    plain = 0 < len(value) < 5 and not set(lows(value)) & _ABSTRACT and clause.who != "i"
    return [value] if plain and low[0] != "the" else []


def _having(clause: Clause, scene: Scene) -> list[list[Word]]:
    """``we have ten evenings``, ``she has a suitcase``; not ``I have a question``."""
    rest = clause.rest[1:] if clause.rest[0].low == "got" else clause.rest
    values = _objects(rest, scene)
    if set(lows(rest)) & _ABSTRACT or clause.group.tense == "past" or not rest:
        return []
    counted = rest[0].low in AGES or rest[0].low[:1].isdigit()
    return values if counted or (rest[0].low == "no" and clause.who == "we") else []


def _of_something(clause: Clause, subject: Subject, scene: Scene) -> list[list[Word]]:
    group = clause.group
    if clause.verb in _CHANGED and "to" in clause.rests and group.tense == "past":
        return _objects(clause.rest[clause.rests.index("to") :], scene)[:1]
    if (group.tense == "past" and not group.passive and not group.perfect) or group.progressive:
        return []
    rule = clause.owner in _ALL or group.modal in ("must", "should")
    if group.modal not in ("", "will", "must", "should") or (clause.verb in _TRANSIENT and not rule):
        return []
    definite = _definite_parts(clause, scene)
    unnamed = clause.who in ("it", "that", "this") and not scene.thing and clause.start < _OPENING
    clock = bool(definite) and (definite[0][-1].low in AGES or definite[0][-1].low[:1].isdigit())
    if clause.who in ("it", "that", "this") and clock and not scene.thing and not dates(definite[0], scene.today):
        return []
    if unnamed and clause.verb == "be" and definite and not dates(definite[0], scene.today):
        return []
    if definite and not (rule and group.passive):
        return definite[:1]
    if clause.verb == "be" and clause.owner in ("my", "our") and clause.rests[:1] in (["a"], ["an"], ["the"]):
        return _objects(clause.rest, scene)[:1]
    if clause.who in ("it", "that", "this", "they") or (clause.verb in ("be", "have") and not rule):
        return []
    if rule:
        return [_rule(clause, scene)]
    own = clause.owner in ("my", "our") or (subject.name[:1].isupper() and subject.name != PROJECT)
    return _objects(clause.rest, scene) if own and clause.verb not in _MENTAL else []


def _rule(clause: Clause, scene: Scene) -> list[Word]:
    word = clause.group.word
    return next(iter(_objects(clause.rest, scene)), [word] if word and clause.group.passive else [])


def _objects(rest: list[Word], scene: Scene) -> list[list[Word]]:
    """The object or what follows the preposition: up to the next aside, a list member by member."""
    purpose = forms().get(rest[1].low) if len(rest) > 1 and rest[0].low == "to" else None
    if purpose and purpose.tense == "base" and purpose.lemma == rest[1].low:
        return []
    if rest and rest[0].low in ("every", "each", "once", "twice"):
        return []
    while rest and rest[0].low in _LEADS:
        rest = rest[1:]
    if not rest or rest[0].low in _VAGUE:
        return []
    found = dates(rest[:6], scene.today)
    if found and found[0].outer == 0:
        span = lows(rest[found[0].end : found[0].end + 1]) in (["to"], ["till"])
        return [rest[found[0].start : found[0].end + 2 * span]]
    values = list(parts(cut(rest, _ENDS, scene.today)))
    return [v for v in values[:4] if len(v) <= _LONGEST and v[0].low not in _VAGUE and v[-1].low not in _ABSTRACT]


def _definite_parts(clause: Clause, scene: Scene) -> list[list[Word]]:
    segments = list(_segments(clause.rest))
    if clause.verb not in ("be", "have", "own"):
        segments.sort(key=lambda part: not _KINDS & set(kinds_of(named(part))))
    return [value for value in (_definite(part, scene, not clause.group.perfect) for part in segments) if value]


def _segments(rest: list[Word]) -> Iterator[list[Word]]:
    start = 0
    for place, word in enumerate(rest):
        if word.low in _DIVIDERS:
            yield rest[start:place]
            start = place + 1
    yield rest[start:]


def _definite(part: list[Word], scene: Scene, present: bool) -> list[Word]:
    """A name, a number, a date, an address, a known thing."""
    found = dates(part, scene.today)
    if found and len(part) < 7:
        return part[found[0].start : found[0].end]
    part = trim(part)
    if not part or len(part) > _LONGEST:
        return []
    if any(char.isdigit() for word in part for char in word.low) or (present and part[0].low in AGES):
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


def _draft(clause: Clause, subject: Subject, value: list[Word], several: bool, scene: Scene) -> Draft:
    group = clause.group
    unnamed = (clause.owner == "our" and subject.kind == "thing") or (clause.who == "it" and not scene.thing)
    mine = clause.owner == "my" or (unnamed and bool(dates(value, scene.today)))
    mine = mine or (clause.who == "we" and clause.verb in _PRIVATE)
    personal = mine or subject.kind in ("user", "person")
    return Draft(
        "user_info" if personal else "project_fact", _attribute(subject, value, clause), value,
        USER if mine and subject.kind != "person" else subject.name, group.negative or clause.owner == "no",
        changes="now" in group.adverbs or group.tense == "past", past=group.modal == "used to", additive=several,
        confidence=0.55,
    )  # fmt: skip


def _attribute(subject: Subject, value: list[Word], clause: Clause) -> str:
    noun = list(subject.noun) or [word.low for word in clause.noun]
    known = attribute_of(noun, False) if noun else None
    kind = next(iter(kinds_of(named(value))), "")
    if known:
        return known[1]
    if kind:
        return slot_of(kind)
    return f"{' '.join(noun[-2:])} {clause.verb}".strip() if noun and subject.name != PROJECT else clause.verb
