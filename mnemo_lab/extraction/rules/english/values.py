"""The shortest words of a clause that say a value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date
from typing import Final

from mnemo_lab.extraction.rules.english.clauses import HARD
from mnemo_lab.extraction.rules.english.dates import dates
from mnemo_lab.extraction.rules.english.lexicon import ambiguous, kinds, word_set
from mnemo_lab.extraction.rules.english.words import Word

DETERMINERS: Final = frozenset("a an the my our some any this that these those your his her their its".split())
STOPS: Final = word_set("values stops")
ASIDE: Final = STOPS | frozenset(
    "for from at with on in by to into via over under about around every per and/or most once twice based".split()
)
_TAIL: Final = word_set("values tail")
_HEADS: Final = DETERMINERS | word_set("values heads")
_TAIL_PHRASES: Final = (
    ("these", "days"), ("at", "the", "moment"), ("right", "now"), ("for", "now"), ("any", "more"), ("as", "well"),
    ("from", "now", "on"), ("of", "course"), ("at", "all"), ("a", "lot"), ("so", "much"), ("by", "the", "way"),
    ("so", "far"), ("in", "general"), ("for", "a", "while"), ("to", "be", "honest"), ("and", "so", "on"),
    ("per", "default"), ("by", "default"), ("every", "day"), ("each", "day"), ("all", "day"), ("every", "time"),
    ("full", "stop"), ("all", "the", "time"), ("any", "longer"),
    ("going", "forward"), ("in", "future"), ("for", "good"), ("once", "and", "for", "all"), ("very", "much"),
    ("after", "all"), ("in", "the", "end"), ("of", "all"), ("to", "date"), ("for", "years"), ("in", "total"),
    ("or", "so"), ("and", "counting"),
)  # fmt: skip
_LY: Final = frozenset(
    "family assembly monopoly italy sicily july fly reply supply only weekly monthly daily yearly".split()
)
_LIST: Final = frozenset((",", "and", "or", "nor", "plus", "as well as"))


_BY_LAST_WORD: Final = {
    last: [phrase for phrase in _TAIL_PHRASES if phrase[-1] == last]
    for last in {phrase[-1] for phrase in _TAIL_PHRASES}
}


def cut(words: list[Word], stops: Collection[str] = STOPS, today: date | None = None) -> list[Word]:
    """Up to the first stop or date, without articles and adverbs around it; empty where nothing is left."""
    end = next((i for i, word in enumerate(words) if _stops(words, i, word, stops)), len(words))
    kept = words[:end]
    if today and kept:
        outer = next((found.outer for found in dates(kept, today)), len(kept))
        kept = kept[:outer] or kept
    return trim(kept)


def _stops(words: list[Word], at: int, word: Word, stops: Collection[str]) -> bool:
    if word.low in HARD - {"-"}:
        return True
    if not at or word.low not in stops:
        return False
    return word.low != "as" or words[at + 1 : at + 2] == [] or words[at + 1].low != "well"


def trim(words: list[Word]) -> list[Word]:
    """Without what only leads in or out."""
    low, high = 0, len(words)
    changed = True
    while changed and low < high:
        changed = False
        for phrase in _BY_LAST_WORD.get(words[high - 1].low, ()):
            if high - low > len(phrase) and tuple(word.low for word in words[high - len(phrase) : high]) == phrase:
                high -= len(phrase)
                changed = True
                break
        manner = high - low > 1 and words[high - 1].low.endswith("ly") and words[high - 1].low not in _LY
        if low < high and (words[high - 1].low in _TAIL or manner) and not words[high - 1].text[:1].isupper():
            high -= 1
            changed = True
        elif low < high and words[low].low in _HEADS and not (words[low].text.isupper() and len(words[low].text) > 1):
            low += 1
            changed = True
    return words[low:high]


def parts(words: list[Word]) -> Iterator[list[Word]]:
    """The members of a list, each trimmed; the whole where it is none."""
    start = 0
    for place, word in enumerate(words):
        if word.low in _LIST:
            yield from filter(None, [trim(words[start:place])])
            start = place + 1
    yield from filter(None, [trim(words[start:])])


def single(words: list[Word]) -> list[Word]:
    """Up to the first comma or ``and`` between small phrases: the first member of a list."""
    return next(parts(words), [])


def text_of(source: str, words: list[Word]) -> str:
    """As written, blanks in a row as one."""
    return re.sub(r"\s+", " ", source[words[0].start : words[-1].end])


def named(words: list[Word]) -> list[str]:
    """In small letters for the lexicon; an everyday word that is also a name is left empty unless it is written so."""
    odd = ambiguous()
    whole = [word.low for word in words]
    if len(whole) > 1 and " ".join(whole) in kinds():
        return whole
    return ["" if word.low in odd and word.text.islower() else word.low for word in words]


def lows(words: list[Word]) -> list[str]:
    return [word.low for word in words]
