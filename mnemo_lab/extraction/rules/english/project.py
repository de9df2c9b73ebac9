"""What a project, a shop, a document is like: its stack, numbers, dates, owners, places and conventions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.dates import dates
from mnemo_lab.extraction.rules.english.lexicon import attribute_of, kinds, kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import DAYS, PROJECT, Draft, Scene, Subject, is_name, slot_of
from mnemo_lab.extraction.rules.english.values import ASIDE, STOPS, cut, lows, named, parts, single, trim
from mnemo_lab.extraction.rules.english.words import Sentence, Word

_STATES: Final = word_set("project states")
_PEOPLE: Final = frozenset(("relative", "role", "food", "drink"))
_LINKS: Final = frozenset(
    """on in at with by to through into around from for as behind under of using per up""".split()
)
_MOODY: Final = re.compile(r"(?:y|ed|ing|ful|less|able|ous|ive|ic)$")
_TECH_VERBS: Final = frozenset("use run deploy host build write store develop cache track lint ship".split())
_UNTOLD: Final = word_set("project untold")


def is_something(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``the budget is $40,000``, ``the owner of billing is Priya``, ``Larkspur is on Postgres``, ``X is the owner``."""
    gone = clause.rest and clause.rest[0].low in ("out", "gone", "history")
    if clause.group.modal not in ("", "will", "used to") or not clause.rest or gone:
        return
    if subject.noun:
        yield from _attribute(clause, subject, scene)
    elif subject.kind == "person" and clause.who == "noun":
        yield from _in_charge(clause, subject, scene)
    elif subject.kind in ("thing", "project"):
        yield from _thing(clause, subject, scene)


def _attribute(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    noun = list(subject.noun)
    own = subject.kind == "user" or clause.owner == "my"
    known = attribute_of(noun, own)
    if subject.kind == "user" and "spoken language" in kinds().get(" ".join(noun), ()):
        yield Draft("user_info", "language", clause.noun, additive=True)
        return
    if not known and (noun[-1] in _UNTOLD or (subject.kind != "user" and clause.owner == "")):
        return
    value = attribute_value(clause.rest, scene)
    if not value or (len(value) == 1 and value[0].low in _STATES) or len(value) > 8:
        return
    described = clause.owner in ("my", "our") and clause.rest[0].low in ("a", "an", "the") and len(value) < 5
    if (
        not _telling(value, scene)
        and not (known and not _MOODY.search(value[-1].low))
        and not described
        and clause.owner != "my"
    ):
        return
    if not known and not _telling(value, scene) and not described:
        return
    favourite = noun[0] in ("favourite", "favorite", "preferred", "go-to", "usual")
    scope, attribute = known or (subject.kind, " ".join(noun))
    if favourite:
        attribute = f"favourite {' '.join(noun[1:])}".strip()
    personal = scope == "user" and subject.kind in ("user", "person")
    category = "preference" if favourite else "user_info" if personal else "project_fact"
    yield Draft(
        category, attribute, value, subject.name, clause.group.negative, importance=4 if personal else 3,
        changes="now" in clause.group.adverbs, past=clause.group.tense == "past" and not clause.group.perfect,
        confidence=0.85 if known else 0.6,
    )  # fmt: skip


def attribute_value(rest: list[Word], scene: Scene) -> list[Word]:
    """The value after ``is``: a date first, else up to what is only an aside."""
    while rest and rest[0].low in _LINKS | {"called", "named", "set", "due", "going", "be", "written", "about"}:
        rest = rest[1:]
    found = dates(rest[:8], scene.today)
    if found and found[0].outer <= 1:
        return rest[found[0].start : found[0].end]
    return single(cut(rest, STOPS | {"by", "at", "for", "with", "not"}, scene.today))


def _telling(value: list[Word], scene: Scene) -> bool:
    """Whether a value is definite: a name, a number, a date, a known thing."""
    low = lows(value)
    return (
        is_name(value[0])
        or is_name(value[-1])
        or any(char.isdigit() or char in "{/_" for word in low for char in word)
        or bool(kinds_of(low))
        or bool(dates(value, scene.today))
    )


def _in_charge(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``Priya is the owner of billing``, ``Tom is in charge of releases``, ``Ana is our designer``."""
    low = lows(clause.rest)
    for words in (("in", "charge", "of"), ("responsible", "for"), ("the", "owner", "of"), ("the", "lead", "on")):
        if tuple(low[: len(words)]) == words:
            thing = cut(clause.rest[len(words) :], STOPS | {"and"}, scene.today)
            if thing:
                yield Draft("project_fact", "responsibility", thing, subject.name, importance=3)
            return


def _thing(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """A thing without an attribute of its own: the value's kind says which one is meant."""
    rest = clause.rest
    called = rest[0].low in ("called", "named") or clause.verb in ("call", "name")
    value = attribute_value(rest, scene)
    if not value or len(value) > 7 or (len(value) == 1 and value[0].low in _STATES):
        return
    kind = next(iter(kinds_of(named(value))), "")
    noun = subject.name.lower().split()
    known = attribute_of(noun, False)
    dated = bool(dates(value, scene.today)) and not value[0].low.startswith(("tonight", "today", "tomorrow"))
    if called:
        attribute = "name"
    elif known and _telling(value, scene):
        attribute = known[1]
    elif dated:
        attribute = "date"
    elif kind and (is_name(value[0]) or kind not in ("food", "hobby", "device", "vehicle")) and kind not in _PEOPLE:
        attribute = slot_of(kind)
    else:
        return
    if subject.name == PROJECT and clause.who in ("it", "that", "this") and not scene.thing and not known:
        return
    if dated and clause.owner == "our" and not known:
        yield Draft("user_info", f"{' '.join(clause.nouns)} date", value, confidence=0.65)
        return
    yield Draft(
        "project_fact", attribute, value, subject.name, clause.group.negative,
        changes=bool({"now", "no longer"} & (clause.group.adverbs | set(lows(rest)))),
        past=clause.group.tense == "past" and not clause.group.passive, confidence=0.75,
    )  # fmt: skip


def named_so(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``the project is called Bluebird``."""
    value = single(cut(clause.rest, ASIDE | {"after"}, scene.today))
    names = [word for word in clause.rest if is_name(word)]
    if not clause.group.passive and clause.who == "we" and len(names) == 1 and names[0] is clause.rest[-1]:
        thing = single(cut(clause.rest[:-1], ASIDE))
        if thing:
            yield Draft("project_fact", "name", names, " ".join(word.text for word in thing), importance=4)
    if clause.group.passive and value and len(value) < 4 and subject.kind != "person":
        noun = " ".join(subject.noun)
        name = PROJECT if subject.name in ("project", "app", "tool") else subject.name
        yield Draft("project_fact", f"{noun} name".strip(), value, name, importance=4)


def uses(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``we use Postgres``, ``it runs on port 8080``, ``the API is written in Go``, ``everything deploys to Fly.io``."""
    group = clause.group
    rest = clause.rest
    if group.modal in ("can", "must", "will") or not rest or (group.progressive and clause.verb != "use"):
        return
    linked = rest[0].low in _LINKS
    value_words = rest[1:] if linked else rest
    negative = group.negative
    past = group.modal == "used to" or (group.tense == "past" and not group.passive and not group.perfect)
    for value in parts(cut(value_words, ASIDE | {"to"}, scene.today)):
        kind = next(iter(kinds_of(named(value))), "")
        port = "port" in lows(value) or (
            clause.verb in ("listen", "run", "serve") and rest[0].low in ("on", "at") and value[-1].low.isdecimal()
        )
        if port:
            value = [word for word in value if word.low not in ("port", "the", "tcp")] or value
        if (
            kind in _PEOPLE
            or len(value) > 6
            or not (port or kind or (is_name(value[0]) and (linked or clause.verb == "use")))
        ):
            continue
        slot = "port" if port else "deployment day" if value[0].low in DAYS else _for(clause, kind)
        changes = bool({"now", "no longer"} & group.adverbs)
        yield Draft("project_fact", slot, value, subject.name, negative, changes=changes, past=past)


def _for(clause: Clause, kind: str) -> str:
    """The attribute of a tool: its kind, else what it is used for."""
    low = lows(clause.rest)
    if "for" in low and not kind:
        purpose = cut(clause.rest[low.index("for") + 1 :], ASIDE | {"and"})
        known = attribute_of(lows(purpose), False) if purpose else None
        return known[1] if known else " ".join(lows(purpose)) or "tool"
    return slot_of(kind) if kind else "tool"


def owns(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``Priya owns the billing service``: the thing's owner is the value."""
    thing = single(cut(clause.rest, ASIDE, scene.today))
    if not thing or subject.kind != "person" or clause.group.negative or clause.group.modal not in ("", "will"):
        return
    name = scene.thing or PROJECT if thing[0].low == "it" else " ".join(word.text for word in thing)
    value: list[Word] | str = clause.noun if clause.who == "noun" and len(clause.noun) < 3 else subject.name
    attribute = "owner" if clause.verb == "own" else "lead" if clause.verb == "lead" else f"who {clause.verb}s"
    yield Draft("project_fact", attribute, value, name, confidence=0.75)


def happens(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``the beta goes out on 16 February``, ``we launch on 3 May``, ``rehearsal starts at 19:30``."""
    found = [item for item in dates(clause.rest, scene.today) if item.outer < 3 and not _soon(clause.rest[item.start])]
    clock = [word for word in clause.rest if word.low[:1].isdigit() and ":" in word.low]
    if subject.kind not in ("thing", "project") or not (found or clock) or clause.group.tense == "past":
        return
    value = clause.rest[found[0].start : found[0].end] if found else clock[:1]
    noun = " ".join(subject.noun) or subject.name.lower()
    known = attribute_of(noun.split(), False) if noun != PROJECT else None
    attribute = known[1] if known else "launch date" if clause.verb in ("launch", "release", "open") else "date"
    yield Draft("project_fact", attribute, value, subject.name, clause.group.negative)


def _soon(word: Word) -> bool:
    return word.low in ("today", "tonight", "tomorrow", "yesterday", "now")


def costs(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``a ticket costs 12 euros``."""
    value = trim(cut(clause.rest, ASIDE, scene.today))
    if value and any(char.isdigit() for char in value[0].low) and subject.kind != "user":
        yield Draft("project_fact", "price", value, subject.name)


def shapes(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """Conventions: ``branch names start with feature/``, ``every response has the shape {code, data, message}``."""
    low = lows(clause.rest)
    shape = next((word for word in clause.rest if word.low.startswith("{")), None)
    if shape:
        yield Draft("project_fact", _named(subject), [shape], subject.name, importance=4)
    elif low[:1] in (["with"], ["by"]) and clause.verb in ("start", "begin", "end", "prefix", "sign"):
        value = single(cut(clause.rest[1:], ASIDE, scene.today))
        if value:
            yield Draft("project_fact", f"{_named(subject)} {clause.verb}".strip(), value, subject.name, importance=3)


def _named(subject: Subject) -> str:
    noun = list(subject.noun) or subject.name.lower().split()
    known = attribute_of(noun, False)
    return known[1] if known else " ".join(noun)


def not_that(clause: Clause, found: Draft, sentence: Sentence, scene: Scene) -> Iterator[Draft]:
    """``…, not LaunchDarkly``: what stands beside a value as not being it."""
    after = [word for word in sentence.words if word.start >= clause.start][: len(clause.rest) + 16]
    for place, word in enumerate(after[:-1]):
        if word.low == "not" and place > 2 and (after[place - 1].low == "," or word.start > clause.rest[0].start):
            value = single(cut(after[place + 1 :], ASIDE | {","}, scene.today))
            if (
                value
                and len(value) < 4
                and (is_name(value[0]) or kinds_of(named(value)) or (len(value) == 1 and after[place - 1].low != ","))
            ):
                yield Draft("decision" if found.category == "decision" else found.category, found.attribute, value,
                            found.subject, True, confidence=0.6)  # fmt: skip
            return
