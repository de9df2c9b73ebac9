"""What the readers of clauses share: the message, what was spoken of before, and the facts in the making."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from mnemo_lab.extraction.base import USER
from mnemo_lab.extraction.rules.english.clauses import OWNERS, Clause
from mnemo_lab.extraction.rules.english.lexicon import attribute_of, kinds, word_set
from mnemo_lab.extraction.rules.english.words import Word

PROJECT: Final = "project"
_SLOTS: Final = {
    "cloud": "hosting", "programming language": "language", "board": "microcontroller", "auth": "authentication",
    "allergen": "allergy", "shell": "shell", "container tool": "deployment tool", "spoken language": "language",
    "medicine": "medicine", "drink": "drink", "food": "food",
}  # fmt: skip
DAYS: Final = word_set("scene days")
_PLAIN: Final = frozenset("the our my new current old first final main next present total default".split())
_COUNTS: Final = frozenset("one two three four five some most none many few all half each".split())
_OF: Final = ("of", "for", "on", "in", "at")


class Subject(NamedTuple):
    """Whom or what a clause is about. ``kind``: ``user``, ``person``, ``thing`` or ``project`` (we, unnamed).
    ``noun``: what names the attribute in it ("the budget of …")."""

    name: str
    kind: str
    noun: tuple[str, ...] = ()


@dataclass(slots=True)
class Draft:
    """A fact in the making; a ``value`` of words is copied from the message."""

    category: str
    attribute: str
    value: list[Word] | str
    subject: str = USER
    negative: bool = False
    importance: int = 3
    confidence: float = 0.8
    changes: bool = False
    former: list[Word] = field(default_factory=list)
    additive: bool = False
    past: bool = False


@dataclass(slots=True)
class Scene:
    """``text``: of the message. ``person`` and ``thing``: the last ones named, which he, she and it may mean."""

    text: str
    today: date | None
    person: str = ""
    thing: str = ""
    standing: bool = False
    last: list[Word] = field(default_factory=list)


def slot_of(kind: str) -> str:
    """The attribute that a kind of value answers."""
    return _SLOTS.get(kind, kind)


def is_name(word: Word) -> bool:
    """Whether it is written like a name."""
    return word.text[:1].isupper() and word.low not in ("i", "ok")


def relative_in(noun: list[Word]) -> int | None:
    """The place of the word that says who somebody is to the user; ``None`` where none does."""
    for place in range(len(noun) - 1, -1, -1):
        if {"relative", "pet"} & set(kinds().get(noun[place].low, ())):
            return place
    return None


def subject_of(clause: Clause, scene: Scene) -> Subject | None:
    """``None`` where it is not known whom the clause is about."""
    plain = {"i": Subject(USER, "user"), "we": Subject(PROJECT, "project"), "let": Subject(PROJECT, "project")}
    if clause.who in plain:
        return plain[clause.who]
    if clause.who in ("he", "she"):
        return Subject(scene.person, "person") if scene.person else None
    if clause.who in ("it", "that", "this"):
        return Subject(scene.thing or PROJECT, "thing")
    return _noun_subject(clause, scene) if clause.who == "noun" else None


def _noun_subject(clause: Clause, scene: Scene) -> Subject | None:
    noun = clause.noun
    owned = next((i for i, word in enumerate(noun) if word.low == "'s"), None)
    if owned:
        return _owned(clause, noun[:owned], noun[owned + 1 :])
    if clause.owner in ("his", "her"):
        return Subject(scene.person, "person", _low(noun)) if scene.person else None
    place = relative_in(noun) if set(_low(noun)).isdisjoint(_OF) else None
    if place is not None and (clause.owner in OWNERS or not clause.owner):
        return _relative(clause, noun, place)
    if not clause.owner and len(noun) > 2 and is_name(noun[0]) and noun[1].low in ("from", "in", "at", "on"):
        return Subject(noun[0].text, "person")
    split = next((i for i, word in enumerate(noun) if word.low in _OF and i), None)
    if split and noun[split + 1 :]:
        return _attributed(clause, noun[:split], noun[split + 1 :])
    return _thing(clause, noun)


def _owned(clause: Clause, owner: list[Word], noun: list[Word]) -> Subject:
    place = relative_in(owner)
    if place is not None and clause.owner in ("my", "our"):
        return _relative(clause, owner, place)._replace(noun=_low(noun))
    person = len(owner) == 1 and is_name(owner[0]) and not clause.owner
    return Subject(_joined(owner), "person" if person else "thing", _low(noun))


def _relative(clause: Clause, noun: list[Word], place: int) -> Subject:
    names = [word for word in (*noun[place + 1 :], *clause.named) if is_name(word)]
    return Subject(names[0].text if names else _joined(noun[: place + 1]), "person")


def _attributed(clause: Clause, noun: list[Word], owner: list[Word]) -> Subject:
    if clause.owner == "my":
        return Subject(USER, "user", _low(noun))
    if noun[-1].low in _COUNTS:
        return Subject(_joined(owner), "thing")
    if owner and owner[0].low in ("the", "my", "our", "a", "this"):
        owner = owner[1:]
    return Subject(_joined(owner) or PROJECT, "thing", _low(noun))


def _thing(clause: Clause, noun: list[Word]) -> Subject:
    low = [word.low for word in noun]
    own = clause.owner == "my"
    if low == ["home"] and clause.owner not in ("his", "her", "their"):
        return Subject(USER, "user", ("home",))
    if low in (["everything"], ["all"]):
        return Subject(PROJECT, "project")
    if set(low) <= DAYS:
        return Subject(USER, "user", tuple(low))
    if not clause.owner and low[0] in ("new", "current", "old", "favourite", "favorite") and attribute_of(low, True):
        own = attribute_of(low, True)[0] == "user"  # type: ignore[index]
    for at in range(len(low)):
        if attribute_of(low[at:], own) and _is_whole(low[at:], own):
            named = [word for word in noun[:at] if is_name(word) and word.low not in _PLAIN]
            subject = _joined(named) or (USER if own else PROJECT)
            return Subject(subject, "user" if subject == USER else "thing", tuple(low[at:]))
    names = all(is_name(word) for word in noun) and not clause.owner
    known = kinds().get(" ".join(low), ()) if names else ()
    person = names and len(noun) <= 2 and not known and len(noun[0].text) > 2
    if own and not names:
        return Subject(USER, "user", tuple(low))
    return Subject(_joined(noun), "person" if person else "thing")


def _is_whole(low: list[str], own: bool) -> bool:
    return attribute_of([" ".join(low)], own) is not None


def _low(words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.low for word in words)


def _joined(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)
