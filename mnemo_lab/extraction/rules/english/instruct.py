"""How answers should be: standing instructions, told apart from requests of the moment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.extraction.rules.english.clauses import Clause
from mnemo_lab.extraction.rules.english.lexicon import kinds, word_set
from mnemo_lab.extraction.rules.english.scene import Draft, Scene, is_name
from mnemo_lab.extraction.rules.english.values import STOPS, cut, lows, parts, single, trim
from mnemo_lab.extraction.rules.english.words import Sentence, Word

_STYLES: Final = (
    "length",
    "format",
    "tone",
    "spelling",
    "units",
    "date style",
    "code style",
    "indentation",
    "naming convention",
    "citation style",
)
_STANDING: Final = (
    "from now on", "from here on", "going forward", "in future", "in the future", "from today on", "always", "never",
    "whenever", "every time", "each time", "by default", "as a rule", "in general", "henceforth", "for all future",
    "permanently", "your answers", "your replies", "your responses", "all answers", "when you answer", "when you reply",
    "when answering", "when you explain", "when you write code", "your code", "your snippets", "your explanations",
    "for future reference", "until further notice", "after this", "all future", "any time", "anytime", "if i ask",
    "when i ask", "any more", "anymore", "with me", "ground rules", "your messages", "your summaries", "ever again",
    "starting now", "every answer", "every reply", "each answer", "every response",
    "all the time", "from today", "as ever", "as of today", "when you write", "when writing", "when i ask",
    "in my code", "for good", "if you ever",
)  # fmt: skip
_STANDS: Final = re.compile(" (?:" + "|".join(map(re.escape, sorted(set(_STANDING), key=len, reverse=True))) + ") ")
_NEGATIVE: Final = frozenset("stop avoid skip omit drop leave spare quit ditch without no lose".split())
_LEADS: Final = word_set("instruct leads")


def is_standing(sentence: Sentence) -> bool:
    """Whether it tells how things should be from now on."""
    return _STANDS.search(f" {' '.join([word.low for word in sentence.words])} ") is not None


def instructs(clause: Clause, sentence: Sentence, scene: Scene) -> Iterator[Draft]:
    """``always answer in German``, ``no emojis from now on``, ``keep your answers short``."""
    if clause.verb == "call" and lows(clause.rest[:1]) == ["me"] and len(clause.rest) > 1:
        value = single(cut(clause.rest[1:], STOPS | {"from", "in", "not"}))
        if value and is_name(value[0]):
            yield Draft("user_info", "name", value, negative=clause.group.negative, importance=5)
        return
    standing = is_standing(sentence) or (clause.verb == "stop" and bool(manner(clause.rest)[0]))
    if not (scene.standing or standing):
        return
    negative = clause.group.negative or clause.verb in _NEGATIVE
    value, kind = manner(clause.rest)
    negative = negative or any(word.low in ("no", "without") for word in clause.rest[:3])
    if value:
        yield Draft(
            "preference", f"answer {kind}", value, negative=negative, importance=4, confidence=0.85, changes=True
        )
        return
    for part in parts(_object(clause.rest)) if standing else ():
        if part[0].low not in ("it", "this", "that", "me") and len(part) < 9:
            attribute = f"answers: {clause.verb}"
            yield Draft("preference", attribute, part, negative=negative, importance=4, additive=True)


def manner(words: list[Word]) -> tuple[list[Word], str]:
    """The words that name a manner of answering, longest first, and its kind."""
    known = kinds()
    for size in (4, 3, 2, 1):
        for at in range(len(words) - size + 1):
            found = known.get(" ".join(lows(words[at : at + size])), ())
            kind = next((kind for kind in (*_STYLES, "spoken language") if kind in found), "")
            if kind:
                return words[at : at + size], "language" if kind == "spoken language" else kind
    return [], ""


def _object(rest: list[Word]) -> list[Word]:
    value = cut(rest, STOPS | {"from", "in", "not"})
    while value and value[0].low in _LEADS:
        value = value[1:]
    return trim(value)


def fragment(words: list[Word], scene: Scene) -> Iterator[Draft]:
    """A standing instruction without a verb: ``from now on only metric units, no emojis please``."""
    low = lows(words)
    if not words or not (scene.standing or ("please" in low and low[0] in ("no", "plain", "only", "just"))):
        return
    for part in _pieces(words):
        value, kind = manner(part)
        if kind and len(part) < 9:
            negative = bool({"no", "without", "not", "n't"} & set(lows(part)))
            yield Draft("preference", f"answer {kind}", value, negative=negative, importance=4, changes=True)


def _pieces(words: list[Word]) -> Iterator[list[Word]]:
    start = 0
    for place, word in enumerate(words):
        if word.low in (",", "and", "but", ";"):
            yield words[start:place]
            start = place + 1
    yield words[start:]
