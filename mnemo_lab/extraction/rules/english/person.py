"""What ``I am`` and ``she is`` say: a role, a state of health, a place, an age, a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.lexicon import kinds, kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import Draft, Scene, Subject, is_name
from mnemo_lab.extraction.rules.english.values import ASIDE, STOPS, cut, lows, named, parts
from mnemo_lab.extraction.rules.english.work import AGES, GROUPS, called, cares, employer, is_role

_AFTER_AGE: Final = ("years", "now", ",", "and", "this", "next", "in", "months", "weeks", "today")
_ADJECTIVES: Final = ("diet", "health", "marital", "nationality", "pet")
_SLOT: Final = {
    "diet": "diet",
    "health": "health",
    "marital": "marital status",
    "nationality": "nationality",
    "pet": "breed",
}
_NOT_PLACES: Final = word_set("person not places")
_UNITS: Final = frozenset("cm kg m kilos pounds feet ft tall years months weeks".split())
_Low = list[str]


def is_somebody(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """What ``I am`` and ``she is`` say: a role, a state of health, a place, an age, a name."""
    rest, group = clause.rest, clause.group
    if not rest or subject.noun or subject.kind not in ("user", "person") or group.modal not in ("", "used to", "will"):
        return
    past = group.modal == "used to" or (group.tense == "past" and not group.passive)
    low = lows(rest)
    for reader in (_in_charge, _allergic, _fond, _placed, _aged, _of_kind, _as_role, _named):
        found = list(reader(clause, subject, scene, low))
        if found:
            for draft in found:
                draft.past = past
                draft.changes = draft.changes or bool({"now", "no longer"} & (group.adverbs | set(low)))
                draft.negative = draft.negative != group.negative
            yield from found
            return


def _in_charge(clause: Clause, subject: Subject, scene: Scene, low: _Low) -> Iterator[Draft]:
    yield from cares(clause, subject, scene)


def _allergic(clause: Clause, subject: Subject, scene: Scene, low: _Low) -> Iterator[Draft]:
    place = next((i for i, word in enumerate(low[:4]) if word in ("allergic", "intolerant", "sensitive")), None)
    if place is not None and low[place + 1 : place + 2] == ["to"]:
        for value in parts(cut(clause.rest[place + 2 :], STOPS, scene.today)):
            yield Draft("user_info", "allergy", value, subject.name, importance=5, additive=True, confidence=0.9)


def _fond(clause: Clause, subject: Subject, scene: Scene, low: _Low) -> Iterator[Draft]:
    """``fond of``, ``a fan of``, ``into``, ``keen on``, ``obsessed with``, ``scared of``."""
    text = " ".join(low[:6])
    match = re.match(
        r"(?:(?:an?|not|very|really|so|big|huge|massive|much|of|the|biggest|such) )*"
        r"(?:(fond of|fan of|lover of|into|keen on|partial to|obsessed with|crazy about|addicted to|mad about)"
        r"|(scared of|afraid of|terrified of|sick of|tired of|bored of)) ",
        text + " ",
    )
    if match:
        taken = match[0].count(" ")
        negative = bool(match[2])
        for value in parts(cut(clause.rest[taken:], ASIDE, scene.today)):
            if value[0].low not in ("it", "this", "that", "them", "you", "waiting", "these", "the"):
                attribute = "dislikes" if negative != clause.group.negative else "likes"
                yield Draft("preference", attribute, value, subject.name, negative, importance=2, additive=True)


def _placed(clause: Clause, subject: Subject, scene: Scene, low: _Low) -> Iterator[Draft]:
    """``based in Leeds``, ``back home in Dublin``, ``from Porto``, ``in Leeds``, ``on Shopify``, ``at Acme``."""
    place = next((i for i, word in enumerate(low[:5]) if word in ("in", "from", "at", "on")), None)
    led = set(low[: place or 0]) - {
        "now",
        "based",
        "back",
        "home",
        "living",
        "originally",
        "currently",
        "still",
        "also",
    }
    if place is None or led or place + 1 >= len(low):
        return
    value = cut(clause.rest[place + 1 :], ASIDE - {"on"} | {"and", ","}, scene.today)
    found = kinds_of(named(value)) if value else ()
    if low[place] == "on" and value and (value[-1].low in GROUPS or {"instrument", "vehicle", "medicine"} & set(found)):
        known = {"vehicle": "commute"}.get(found[0], found[0]) if found else "membership"
        attribute = "membership" if value[-1].low in GROUPS else known
        yield Draft("user_info", attribute, value, subject.name)
        return
    if not value or not is_name(value[0]) or value[0].low in _NOT_PLACES:
        return
    if low[place] == "at":
        yield Draft("user_info", "employer", value, subject.name, importance=4)
    elif low[place] == "on":
        yield Draft("user_info", found[0] if found else "tool", value, subject.name, confidence=0.6)
    elif "time zone" in found or value[0].low.startswith(("utc", "gmt")):
        yield Draft("user_info", "time zone", value, subject.name, importance=4)
    elif low[place] == "from" or "town" in found or "based" in low[:place]:
        attribute = "home town" if low[place] == "from" else "town"
        yield Draft("user_info", attribute, value, subject.name, importance=4)


def _aged(clause: Clause, subject: Subject, scene: Scene, low: _Low) -> Iterator[Draft]:
    at = 1 if low[0] in ("now", "nearly", "almost", "only", "about") else 0
    value = low[at] if at < len(low) else ""
    number = int(value) if value.isdecimal() else None
    ends = low[at + 1 : at + 2]
    if ends and ends[0] in ("cm", "kg", "m", "tall", "kilos"):
        name = "weight" if ends[0] in ("kg", "kilos") else "height"
        yield Draft("user_info", name, clause.rest[at : at + 2], subject.name)
        return
    old = (number is not None and 0 < number < 110) or value.split("-")[0] in AGES
    if old and (not ends or ends[0] in _AFTER_AGE):
        size = 2 if ends and ends[0] in ("months", "weeks") else 1
        yield Draft("user_info", "age", clause.rest[at : at + size], subject.name)


def _of_kind(clause: Clause, subject: Subject, scene: Scene, low: _Low) -> Iterator[Draft]:
    for value in parts(cut(clause.rest, ASIDE, scene.today)):
        whole = kinds().get(" ".join(lows(value))) or kinds().get(lows(value)[-1], ())
        kind = next((kind for kind in _ADJECTIVES if kind in whole), "")
        if kind == "pet" and subject.kind == "user":
            continue
        if kind and (len(value) < 5 or kind != "nationality"):
            body = kind in ("diet", "health")
            category = "preference" if kind == "diet" else "user_info"
            yield Draft(
                category, _SLOT[kind], value, subject.name, importance=5 if body else 3, additive=kind == "health",
                confidence=0.9,
            )  # fmt: skip


def _as_role(clause: Clause, subject: Subject, scene: Scene, low: _Low) -> Iterator[Draft]:
    rest = clause.rest
    if low[0] in ("my", "our") and clause.who == "noun" and is_role(rest[1:3]) and len(clause.noun) < 3:
        yield Draft("user_info", " ".join(lows(cut(rest[1:], ASIDE))), clause.noun, additive=True)
        return
    if low[:2] in (["working", "as"], ["employed", "as"]):
        rest = rest[2:]
    value = cut(rest, STOPS | {"at", "from", "with", ",", "and", "for", "by", "in"}, scene.today)
    if not value or not is_role(value) or len(value) > 7:
        return
    yield Draft("user_info", "role", value, subject.name, importance=4, confidence=0.9)
    after = [word for word in clause.rest if word.start >= value[-1].end]
    town = cut(after[1:], ASIDE | {",", "and"}) if lows(after[:1]) == ["in"] else []
    if town and all(is_name(word) for word in town) and "spoken language" not in kinds_of(named(town)):
        yield Draft("user_info", "town", town, subject.name, confidence=0.7)
    yield from called(clause.rest, subject.name)
    yield from employer(clause.rest, subject, scene)


def _named(clause: Clause, subject: Subject, scene: Scene, low: _Low) -> Iterator[Draft]:
    """``I'm Marta``: one or two names and nothing else that they might be."""
    value = cut(clause.rest, ASIDE | {"and", ","}, scene.today)
    alone = value and clause.rest[0] is value[0] and all(is_name(word) for word in value) and len(value) < 3
    if subject.kind == "user" and alone and not kinds_of(named(value)) and not value[0].text.isupper():
        yield Draft("user_info", "name", value, importance=5, confidence=0.85)
