"""What somebody does: role, employer, what they look after; and who does it for the user."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.lexicon import kinds, kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import Draft, Scene, Subject, is_name, relative_in
from mnemo_lab.extraction.rules.english.values import ASIDE, STOPS, cut, lows, named, parts, single
from mnemo_lab.extraction.rules.english.words import Word

_ROLE_END: Final = re.compile(
    r"[a-z]{2,}(?:er|or|ist|ian|eer|ant|smith|wright|monger|woman|man|(?<!l)(?<!n)ess|iatrist|tron)$"
)
_NO_ROLE: Final = word_set("work no role")
GROUPS: Final = frozenset("committee board council panel jury team crew squad".split())
AGES: Final = word_set("work ages")


def is_role(value: list[Word]) -> bool:
    """Whether its head, or what stands before ``at``, ``of`` or ``for``, is somebody's work."""
    low = lows(value)
    head = next((i for i, word in enumerate(low) if word in ("at", "of", "for", "in", "on", "with") and i), len(low))
    for size in (1, 2):
        name = " ".join(low[max(0, head - size) : head])
        found = kinds().get(name) or kinds().get(name.rstrip("s"), ())
        if "role" in found:
            return low[head - 1] not in _NO_ROLE
    if not low or (value[0].text[:1].isupper() and len(low) == 1):
        return False
    return bool(_ROLE_END.match(low[head - 1])) and low[head - 1] not in _NO_ROLE


def employer(rest: list[Word], subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``… at Halden Robotics``, ``… for a small bakery``."""
    low = lows(rest)
    place = next((i for i, word in enumerate(low) if word in ("at", "for", "with") and i + 1 < len(low)), None)
    if place is None:
        return
    value = cut(rest[place + 1 :], ASIDE | {"and", ",", "as", "doing"}, scene.today)
    named = value and (is_name(value[0]) or (low[place + 1] in ("a", "an", "the") and low[place] != "with"))
    if named and len(value) < 6 and value[0].low not in ("moment", "time", "while", "years", "same", "minute", "few"):
        yield Draft("user_info", "employer", value, subject.name, importance=4)


def works(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I work as a nurse at St Mary's``, ``I joined Acme``, ``I teach maths``, ``I run a bakery``."""
    group = clause.group
    if not clause.rest or subject.kind not in ("user", "person") or _unsure(clause):
        return
    past = group.modal == "used to" or (group.tense == "past" and not group.perfect and clause.verb != "join")
    for verbs, reader in _WORKING:
        if clause.verb in verbs:
            for draft in reader(clause, subject, scene):
                draft.past, draft.negative = past, group.negative
                draft.changes = draft.changes or "now" in group.adverbs
                yield draft


def _employed(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    found = list(_as(clause.rest, subject, scene))
    yield from found
    if clause.verb != "start" or found or clause.rest[0].low == "at":
        yield from employer(clause.rest, subject, scene)


def _joined(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    yield from _as(clause.rest, subject, scene)
    value = cut(clause.rest, ASIDE | {"and", ","}, scene.today)
    if value and is_name(value[0]):
        yield Draft("user_info", "employer", value, subject.name, importance=4, changes=True)


def _studied(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    rest = clause.rest[1:] if clause.rest[0].low in ("in", "at", "on") else clause.rest
    value = cut(rest, ASIDE | {"and"}, scene.today)
    if value and (kinds_of(named(value)) or is_name(value[0])) and value[0].low not in ("it", "them"):
        attribute = "subject taught" if clause.verb == "teach" else "studies"
        yield Draft("user_info", attribute, value, subject.name)


def _managed(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    value = cut(clause.rest, ASIDE - {"of"} | {",", "and"}, scene.today)
    definite = clause.rest[0].low in ("a", "an", "the", "our", "my") and not clause.group.progressive
    if value and definite and len(value) < 7 and subject.kind == "user":
        yield Draft("user_info", "responsibility", value, subject.name, additive=True, confidence=0.65)
        after = [word for word in clause.rest if word.start >= value[-1].end]
        place = single(cut(after[1:], ASIDE)) if lows(after[:1]) == ["in"] else []
        if place and is_name(place[0]):
            yield Draft("user_info", "town", place, subject.name, confidence=0.6)


_WORKING: Final = (
    (("work", "volunteer", "freelance", "intern", "start"), _employed),
    (("join",), _joined),
    (("teach", "study", "lecture", "specialise", "specialize", "major"), _studied),
    (("run", "own", "manage", "lead", "maintain", "coordinate", "found", "supervise", "coach"), _managed),
)


def _unsure(clause: Clause) -> bool:
    """``I'll be working at Bosch`` is settled, ``I will work on it`` is not."""
    modal = clause.group.modal
    return modal in ("can", "must") or (modal == "will" and not (clause.group.progressive and clause.verb == "work"))


def introduces(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``my boss is Dana``, ``our accountant is called Femke``."""
    noun = clause.nouns
    liked = lows(clause.rest[:2]) in (["my", "favourite"], ["my", "favorite"]) and clause.who == "noun"
    if liked and len(noun) < 5:
        kind = " ".join(lows(cut(clause.rest[2:], ASIDE)))
        yield Draft("preference", f"favourite {kind}".strip(), clause.noun, importance=2)
        return
    if clause.owner not in ("my", "our") or not noun or relative_in(clause.noun) != len(noun) - 1:
        return
    for value in parts(cut(clause.rest, ASIDE, scene.today)):
        if all(is_name(word) for word in value) and len(value) < 4 and not kinds_of(named(value)):
            yield Draft("user_info", " ".join(noun), value, additive=True)


def _as(rest: list[Word], subject: Subject, scene: Scene) -> Iterator[Draft]:
    low = lows(rest)
    if "as" in low[:4]:
        value = cut(rest[low.index("as") + 1 :], STOPS | {"at", "for", "with", "in", ","}, scene.today)
        if value:
            yield Draft("user_info", "role", value, subject.name, importance=4)


def becomes(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I became head of sales``, ``I was promoted to team lead``, ``Leo turned six``."""
    rest = clause.rest
    if clause.verb in ("promote", "appoint", "make") and not clause.group.passive:
        return
    while rest and rest[0].low in ("to", "promoted", "made", "as", "be"):
        rest = rest[1:]
    if clause.verb == "get" and rest is clause.rest:
        return
    value = cut(rest, STOPS | {"at", "with", "in", ",", "on"}, scene.today)
    if not value or subject.kind not in ("user", "person"):
        return
    if clause.verb == "turn":
        if value[0].low.isdecimal() or value[0].low in AGES:
            yield Draft("user_info", "age", value[:1], subject.name, changes=True)
    elif is_role(value):
        yield Draft("user_info", "role", value, subject.name, importance=4, changes=True)


def sits(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I sit on the parents' committee``; ``we hired Amaru as our first salesperson``."""
    low = lows(clause.rest)
    if clause.verb in ("sit", "serve") and low[:1] == ["on"] and subject.kind in ("user", "person"):
        value = cut(clause.rest[1:], ASIDE | {"and"}, scene.today)
        if value and value[-1].low in GROUPS:
            yield Draft("user_info", "membership", value, subject.name, negative=clause.group.negative)
    elif clause.verb == "hire" and "as" in low and is_name(clause.rest[0]):
        value = cut(clause.rest[low.index("as") + 1 :], STOPS | {","}, scene.today)
        if value:
            scene.person = clause.rest[0].text
            yield Draft("user_info", "role", value, scene.person)


def cares(clause: Clause, subject: Subject, scene: Scene) -> Iterator[Draft]:
    """``I look after payroll``, ``I'm in charge of the rota``, ``I take care of the accounts``, ``I do the books``."""
    low = lows(clause.rest)
    for words in (("after",), ("in", "charge", "of"), ("care", "of"), ("responsible", "for"), ("for",), ("the",)):
        verb = {"after": "look", "care": "take", "for": "pay", "the": "do"}.get(words[0], "be")
        if tuple(low[: len(words)]) == words and clause.verb == verb and subject.kind in ("user", "person"):
            value = cut(clause.rest[len(words) :], STOPS | {"for", "at", "and", ","}, scene.today)
            if (
                value
                and clause.group.modal not in ("will", "can")
                and value[0].low not in ("it", "that", "rest", "same")
            ):
                yield Draft("user_info", "responsibility", value, subject.name, additive=True, confidence=0.65)
                yield from employer(clause.rest[len(words) :], subject, scene)
            return


def called(rest: list[Word], name: str) -> Iterator[Draft]:
    """``… a dog called Rex``."""
    for place, word in enumerate(rest[:-1]):
        if word.low in ("called", "named") and is_name(rest[place + 1]):
            noun = lows(rest[:place])
            found = kinds_of(noun) if noun else ()
            attribute = found[0] if found else " ".join(noun[-1:]) or "name"
            yield Draft("user_info", attribute, [rest[place + 1]], name, additive=True)
