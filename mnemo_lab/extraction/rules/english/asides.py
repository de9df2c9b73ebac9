"""Facts said in passing, without a verb of their own: ``my daughter Elsie``, ``as a nurse``, ``three it is``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.rules.english.lexicon import ambiguous, attribute_of, kinds, kinds_of, word_set
from mnemo_lab.extraction.rules.english.scene import DAYS, PROJECT, Draft, Scene, is_name, slot_of
from mnemo_lab.extraction.rules.english.values import ASIDE, STOPS, cut, lows, named, single, trim
from mnemo_lab.extraction.rules.english.words import Sentence, Word
from mnemo_lab.extraction.rules.english.work import AGES, is_role

_NEAR: Final = frozenset("relative pet".split())
_COUNTED: Final = word_set("asides counted")
_TECH: Final = frozenset(("database", "framework", "queue", "web server", "operating system", "programming language"))
_OPENERS: Final = frozenset(("my", "our", "as", "where", "a", "an"))
_LOOSE: Final = word_set("asides loose")
_NO_NAMES: Final = frozenset("i mr mrs ms dr".split())


def asides(sentence: Sentence, scene: Scene) -> Iterator[Draft]:
    """What is true of the user however the sentence goes on; so it may stand in a question too."""
    words = sentence.words
    for place, word in enumerate(words):
        if word.low in _OPENERS:
            yield from _opened(words, place, scene)
    yield from _states(words)
    yield from _sizes(words)
    if sentence.mark != "?" or {"i", "we", "my", "our"} & set(lows(words)):
        yield from _spans(words)
    if sentence.mark != "?":
        for piece in _pieces(words):
            yield from _labelled(piece, scene)
        yield from _it_is(words)


def _opened(words: list[Word], place: int, scene: Scene) -> Iterator[Draft]:
    low, before = words[place].low, words[place - 1].low if place else ","
    if low in ("my", "our"):
        yield from _relative(words, place)
    if low == "as" and before in (",", "work", "working"):
        yield from _as_role(words, place, scene)
    elif low == "where" and " ".join(lows(words[place + 1 : place + 3])) in ("i live", "we live", "i work"):
        yield from _where(words, place)
    elif low in ("a", "an", "my", "our") and place > 1 and before == ",":
        yield from _beside(words, place)


def _relative(words: list[Word], place: int) -> Iterator[Draft]:
    """``my daughter Elsie``, ``our boss, Anselm,``, ``Pixel, our cat``."""
    for size in (2, 1):
        noun = words[place + 1 : place + 1 + size]
        found = kinds().get(" ".join(lows(noun)), ()) if len(noun) == size else ()
        if not _NEAR & set(found):
            continue
        at = place + 1 + size
        at += at + 1 < len(words) and words[at].low in (",", "called", "named", "(")
        name = _name(words, at)
        if (
            not name
            and place > 1
            and words[place - 1].low == ","
            and is_name(words[place - 2])
            and words[place - 2].low not in _LOOSE
        ):
            name = words[place - 2 : place - 1]
        if name:
            attribute = "pet" if "pet" in found else " ".join(lows(noun))
            yield Draft("user_info", attribute, name, importance=3, additive=True, confidence=0.85)
            yield from _who_is(words, name)
        return


def _beside(words: list[Word], place: int) -> Iterator[Draft]:
    """``Tollgate, our gateway, …``; ``my sister Ana, a nurse in Porto, …``."""
    value = cut(words[place + 1 :], ASIDE | {","})
    after = next((i for i in range(place, len(words)) if words[i].start > value[-1].start), len(words)) if value else 0
    closed = after == len(words) or words[after].low in (",", "in", "at", "from", "and")
    name = words[place - 2]
    near = _NEAR & set(kinds_of(lows(value))) if value else set()
    if (
        value
        and closed
        and len(value) < 5
        and is_name(name)
        and not near
        and not any(word.low == "'s" for word in value)
        and (place > 2 or words[place].low == "our")
    ):
        role = is_role(value)
        yield Draft("user_info" if role else "project_fact", "role" if role else "what it is", value, name.text)


_SIZE: Final = re.compile(r"\d+-(?:person|people|strong|page|seat|day|week|hour|year|bed|room|man|woman|member)")


def _sizes(words: list[Word]) -> Iterator[Draft]:
    """``the 12-person team``, ``a class of 24``."""
    for place, word in enumerate(words[1:-1], 1):
        if "-" in word.low and _SIZE.match(word.low) and words[place - 1].low in ("my", "our", "the"):
            yield Draft("project_fact", "size", [word], PROJECT, confidence=0.6)


def _who_is(words: list[Word], name: list[Word]) -> Iterator[Draft]:
    """``our son Bas, who is nine``."""
    after = [word for word in words if word.start >= name[-1].end][:5]
    told = lows(after[:2]) == [",", "who"] and len(after) > 3 and after[2].low in ("is", "'s")
    if told and (after[3].low.isdecimal() or after[3].low in AGES):
        yield Draft("user_info", "age", after[3:4], name[0].text)


def _states(words: list[Word]) -> Iterator[Draft]:
    """A piece between commas that is nothing but a state of health or a diet: ``41, asthmatic, ...``."""
    if not any(word.low in (",", ";", "and", ":") for word in words):
        return
    for piece in _pieces(words, (",", ";", "and", ":")):
        found = kinds().get(" ".join(lows(piece)), ()) if 0 < len(piece) < 4 and len(words) > len(piece) else ()
        kind = next((kind for kind in ("diet", "health") if kind in found), "")
        if kind and piece[0].low not in ambiguous():
            yield Draft("preference" if kind == "diet" else "user_info", kind, piece, importance=4, confidence=0.6)


def _spans(words: list[Word]) -> Iterator[Draft]:
    """``from six to two``, ``Wednesday to Saturday``; ``forty guests``."""
    low = lows(words)
    if not any(word in AGES or word in DAYS or word.isdecimal() for word in low):
        return
    for place in range(1, len(words) - 1):
        pair = low[place - 1], low[place + 1]
        if low[place] in ("to", "till", "until", "through") and all(part in AGES or part in DAYS for part in pair):
            yield Draft("user_info", "hours", words[place - 1 : place + 2], confidence=0.6)
    for piece in _pieces(words):
        counted = len(piece) == 2 and (piece[0].low.isdecimal() or piece[0].low in AGES)
        if counted and piece[1].low in _COUNTED:
            yield Draft("project_fact", f"number of {piece[1].low}", piece, "user", confidence=0.6)


def _where(words: list[Word], place: int) -> Iterator[Draft]:
    """``14 Alder Court, Norwich, where I live``."""
    start = place - 1 if words[place - 1].low == "," else place
    begin = start
    while begin and (is_name(words[begin - 1]) or words[begin - 1].low == "," or words[begin - 1].low.isdecimal()):
        begin -= 1
    value = trim(words[begin:start])
    if value:
        street = words[begin].low.isdecimal()
        attribute = "employer" if words[place + 2].low == "work" else "address" if street else "town"
        yield Draft("user_info", attribute, value, importance=4)


def _pieces(words: list[Word], marks: tuple[str, ...] = (",", ";", "and")) -> Iterator[list[Word]]:
    start = 0
    for place, word in enumerate(words):
        if word.low == ":" and ":" not in marks:
            break
        if word.low in marks:
            yield words[start:place]
            start = place + 1
    yield words[start:]


def _name(words: list[Word], at: int) -> list[Word]:
    end = at
    while end < len(words) and end < at + 2 and is_name(words[end]) and words[end].low not in _NO_NAMES:
        end += 1
    return [] if end > at and kinds_of(named(words[at:end]))[:1] == ("spoken language",) else words[at:end]


def _as_role(words: list[Word], place: int, scene: Scene) -> Iterator[Draft]:
    if [word.low for word in words[place + 1 : place + 2]] in (["a"], ["an"], ["the"]):
        value = cut(words[place + 2 :], STOPS | {",", "i", "we", "at", "on", "in", "for", "you"}, scene.today)
        follows = [word.low for word in words[place + 2 + len(value) : place + 12]]
        if value and len(value) < 5 and is_role(value) and {"i", "my"} & set(follows):
            yield Draft("user_info", "role", value, importance=4, confidence=0.8)


def _labelled(words: list[Word], scene: Scene) -> Iterator[Draft]:
    """``Deadline: 5 May``, ``backend in Kotlin``: a line of a list."""
    if 1 < len(words) < 4 and words[-1].low[:1].isdigit() and _TECH & set(kinds_of(named(words[:-1]))):
        yield Draft("project_fact", slot_of(kinds_of(named(words[:-1]))[0]), words, PROJECT, confidence=0.6)
        return
    colon = next((i for i, word in enumerate(words[:5]) if word.low == ":" and i), None)
    place = next((i for i, word in enumerate(words[:4]) if word.low in ("in", "on", "with") and i), None)
    cutting = colon or place
    if cutting is None or cutting + 1 >= len(words):
        return
    noun = trim(words[:cutting])
    known = attribute_of(lows(noun), bool(words) and words[0].low == "my")
    value = single(cut(words[cutting + 1 :], ASIDE - {"to"} if colon else ASIDE, None))
    telling = value and (is_name(value[0]) or value[0].low[:1].isdigit() or kinds_of(named(value)))
    if known and telling and len(value) < 7 and (colon or len(words) < 7):
        scope, attribute = known
        category = "user_info" if scope == "user" else "project_fact"
        yield Draft(category, attribute, value, PROJECT if scope == "project" else "user", confidence=0.8)


def _it_is(words: list[Word]) -> Iterator[Draft]:
    """``three it is``, ``Jonas then``, ``hand luggage only then``."""
    low = lows(words)
    for place in range(1, min(len(words) - 1, 8)):
        if low[place : place + 2] == ["it", "is"] and (place + 2 == len(words) or low[place + 2] in (",", "then")):
            value = trim(words[next((i for i in range(place - 1, -1, -1) if low[i] in (",", ":")), -1) + 1 : place])
            if value and low[0] not in ("what", "how", "so", "that"):
                yield Draft("decision", "choice", value, PROJECT, importance=3, changes=True, confidence=0.7)
            return
    while low and low[-1] in ("decided", "settled", ",", "sorted"):
        words, low = words[:-1], low[:-1]
    if 1 < len(words) < 7 and low[-1] == "then" and low[0] not in _LOOSE:
        value = single(trim(words[:-1]))
        if value and not value[0].low.endswith("ing"):
            yield Draft("decision", "choice", value, PROJECT, confidence=0.6)
