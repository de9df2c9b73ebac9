"""Where somebody lives, what they have, speak, suffer from, and gave up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.lexicon import kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import Draft, Scene, Subject, is_name, slot_of
from mnemo_lab.extraction.rules.english.values import ASIDE, cut, lows, named, parts, single
from mnemo_lab.extraction.rules.english.words import Word
from mnemo_lab.extraction.rules.english.work import called

_COMPANY: Final = word_set("living company")


def lives(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I live in Leeds``, ``we moved to Lisbon``, ``she relocated from Bonn to Graz``."""
    low = lows(clause.rest)
    place = next((i for i, word in enumerate(low) if word in ("in", "to", "at", "near")), None)
    if place is None or subject.kind == "thing" or place > 6 or (clause.verb == "grow" and low[0] != "up"):
        return
    moving = clause.verb in ("move", "relocate", "emigrate", "settle")
    value = cut(clause.rest[place + 1 :], ASIDE - {"on"} | {"and", "with"}, scene.today)
    if not value or not (is_name(value[0]) or "town" in kinds_of(named(value)) or value[0].low.isdecimal()):
        return
    known = kinds_of(named(value))
    if (known and known[0] not in ("town", "nationality")) or (moving and low[place] == "in"):
        return
    name = "user" if subject.kind == "project" else subject.name
    yield Draft(
        "user_info", "home town" if clause.verb == "grow" else "town", value, name, importance=4, changes=moving,
        former=_from(clause.rest),
        past=not moving and clause.verb != "grow" and (clause.group.tense == "past" or clause.group.modal == "used to")
        and not clause.group.perfect, negative=clause.group.negative, confidence=0.85,
    )  # fmt: skip


def _from(rest: list[Word]) -> list[Word]:
    low = lows(rest)
    return single(cut(rest[low.index("from") + 1 :], ASIDE)) if "from" in low else []


def speaks(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I speak Welsh``, ``we talk Danish at home``, ``I'm learning the cello``."""
    low = lows(clause.rest)
    if not low or subject.kind == "thing":
        return
    learning = clause.verb == "learn"
    piece = single(cut(clause.rest, ASIDE, scene.today))
    if learning and piece and is_name(piece[0]) and not kinds_of(named(piece)) and len(piece) < 5:
        yield Draft("user_info", "learning", piece, subject.name, additive=True, confidence=0.65)
    for value in parts(cut(clause.rest, ASIDE, scene.today)):
        found = kinds_of(named(value))
        if {"spoken language", "instrument", "programming language"} & set(found):
            attribute = found[0] if "spoken language" not in found else "language"
            attribute = f"learning {attribute}" if learning else attribute
            name = "user" if subject.kind == "project" else subject.name
            yield Draft("user_info", attribute, value, name, clause.group.negative, additive=True)


def has(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I have asthma``, ``we have two kids``, ``I've got a whippet called Biscuit``, ``I own a Volvo``."""
    group = clause.group
    if subject.kind in ("user", "person") and clause.verb == "have":
        yield from _eats(clause, subject, scene)
    if group.modal in ("will", "must", "can") or subject.kind == "thing":
        return
    rest = clause.rest[1:] if lows(clause.rest[:1]) == ["got"] else clause.rest
    name = "user" if subject.kind == "project" else subject.name
    past = group.modal == "used to" or (group.tense == "past" and clause.verb == "have" and not group.perfect)
    for value in parts(cut(rest, ASIDE | {"called", "named"}, scene.today)):
        found = kinds_of(named(value))
        if lows(value)[-1] == "allergy" and len(value) > 1:
            yield Draft("user_info", "allergy", value[:-1], name, group.negative, importance=5, additive=True)
        if clause.verb == "adopt" and is_name(value[0]):
            yield Draft("user_info", "pet", value[:1], name, additive=True)
            return
        if "role" in found or lows(value)[-1].rstrip("s") in _COMPANY:
            continue
        kind = next((kind for kind in ("health", "pet", "relative", "vehicle", "device") if kind in found), "")
        if kind and lows(value)[-1] not in ("food", "photo", "friend", "issue", "problem", "trouble", "bus", "train"):
            attribute = {"relative": "family", "vehicle": "vehicle"}.get(kind, kind)
            yield Draft(
                "user_info", attribute, value, name, group.negative, importance=5 if kind == "health" else 3,
                additive=True, past=past,
            )  # fmt: skip
    yield from called(clause.rest, name)


def _eats(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I can't have dairy``, ``I always have porridge for breakfast``."""
    refused = clause.group.negative and clause.group.modal in ("can", "")
    usual = "always" in clause.group.adverbs or "usually" in clause.group.adverbs
    for value in parts(cut(clause.rest, ASIDE, scene.today)) if refused or usual else ():
        kind = next((kind for kind in kinds_of(named(value)) if kind in ("food", "drink", "allergen")), "")
        if kind:
            yield Draft("preference", slot_of(kind), value, subject.name, refused, importance=4, additive=True)


def born(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I was born on 3 May 1990 in Cork``."""
    for place, word in enumerate(clause.rest[:-1]):
        if word.low in ("on", "in"):
            value = cut(clause.rest[place + 1 :], ASIDE | {","})
            if value:
                date_like = any(char.isdigit() for char in "".join(lows(value)))
                yield Draft("user_info", "birthday" if date_like else "home town", value, subject.name, importance=4)


def suffers(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I was diagnosed with asthma``."""
    rest = clause.rest[1:] if lows(clause.rest[:1]) in (["with"], ["from"], ["as"]) else clause.rest
    for value in parts(cut(rest, ASIDE, scene.today)):
        yield Draft("user_info", "health", value, subject.name, importance=5, additive=True)


def leaves(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I left Siemens``, ``I've given up coffee``, ``I quit smoking``, ``we stopped using Redis``."""
    rest = clause.rest
    if clause.who not in ("i", "we", "he", "she") or clause.group.passive:
        return
    if clause.verb == "get":
        if lows(rest[:2]) != ["rid", "of"]:
            return
        rest = rest[2:]
    while rest and rest[0].low in ("up", "on", "my", "using", "eating", "drinking", "taking", "out", "with", "playing"):
        rest = rest[1:]
    value = single(cut(rest, ASIDE | {"completely", "entirely", "altogether"}, scene.today))
    if clause.verb == "give" and lows(clause.rest[:1]) != ["up"]:
        return
    if not value or value[0].low in (
        "it",
        "them",
        "that",
        "this",
        "me",
        "there",
        "home",
        "job",
        "you",
        "work",
        "here",
        "trying",
        "hope",
    ):
        return
    known = kinds_of(named(value))
    if not known and not is_name(value[0]) and clause.verb in ("leave", "stop"):
        return
    job = clause.verb == "leave" and not known
    attribute = "employer" if job else (known[0] if known else "habit")
    category = "user_info" if job else ("decision" if subject.kind == "project" else "preference")
    yield Draft(category, attribute, value, subject.name, True, changes=True, confidence=0.75)
