"""How a reader's answer is compared with the gold answers: exactly, word by word, by containment.

Each is the best over the gold answer and its aliases, 0 to 1, and NaN where there is no gold answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from math import nan
from typing import Final

from mnemo_lab.language_models.reading import without_thoughts
from mnemo_lab.text.answers import PARTS, contains
from mnemo_lab.text.language import CJK
from mnemo_lab.text.normalise import normalise
from mnemo_lab.text.numbers import plain_numbers

_APOSTROPHE: Final = re.compile(r"(?<=\w)['’](?=\w)")
_BORDER: Final = re.compile(rf"(?<=[{CJK}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[{CJK}])")
"""Between scripts: a date or number that touches Chinese is read as one that does not."""
_SIGNS: Final = re.compile("[%$€£¥]")
_WITH_UNIT: Final = re.compile(r"(\d+(?:[.:]\d+)*)([a-z]+)")
_EARLY: Final = re.compile(r"0(\d:\d\d)")
_LIST: Final = re.compile(r"[;；、\n]")
_AND: Final = re.compile(r"[;；、\n，]|,(?!\d)|\s(?:and|&)\s|以及|和|与|及", re.IGNORECASE)
_PREFIX: Final = re.compile(r"^(?:(?:the )?(?:short )?answer(?: is)?|答案(?:是)?|回答)\s*[:：]\s*", re.IGNORECASE)


def clean(text: str) -> str:
    """An answer without thoughts, emphasis, the label ``Answer:`` and quotes around it."""
    bare = without_thoughts(text).replace("**", "").strip()
    return _PREFIX.sub("", bare).strip().strip('"“”「」`').strip()


def words_of(text: str) -> list[str]:
    """The words that are compared: ``normalise``, with numbers as digits, signs of currency and per cent left out as
    SQuAD does, a unit apart from its number, apostrophes gone, and 1:30 for 01:30."""
    lower = _BORDER.sub(" ", _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text).casefold()))
    found: list[str] = []
    for word in normalise(plain_numbers(_SIGNS.sub(" ", lower))).split():
        split = _WITH_UNIT.fullmatch(word)
        found += split.groups() if split else [_EARLY.sub(r"\1", word) if _EARLY.fullmatch(word) else word]
    kept = [word for word in found if any(c.isalnum() for c in word)]
    # "A" is an article, unless it is all there is.
    return kept or [word for word in lower.split() if any(c.isalnum() for c in word)]


def exact_match(answer: str, golds: Sequence[str]) -> float:
    """1 where the words are the same; a gold list (``a; b``) in any order and however it is joined."""
    said = words_of(clean(answer))
    defined = [gold for gold in golds if words_of(gold)]
    return float(any(said == words_of(gold) or _same_list(answer, gold) for gold in defined)) if defined else nan


def _same_list(answer: str, gold: str) -> bool:
    wanted = _items(gold)
    return bool(_LIST.search(gold)) and len(wanted) > 1 and wanted == _items(clean(answer))


def _items(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(found for part in _AND.split(text) if (found := tuple(words_of(part))))


def token_f1(answer: str, golds: Sequence[str]) -> float:
    """Harmonic mean of precision and recall over words as bags (Rajpurkar et al. 2016, SQuAD); the order of a list
    does not matter."""
    said = words_of(clean(answer))
    return max((_f1(said, wanted) for gold in golds if (wanted := words_of(gold))), default=nan)


def _f1(said: list[str], wanted: list[str]) -> float:
    common = (Counter(said) & Counter(wanted)).total()
    return 2 * common / (len(said) + len(wanted))


def contains_answer(answer: str, golds: Sequence[str]) -> float:
    """1 where every part of a gold answer stands in the answer as whole words."""
    said = " ".join(words_of(clean(answer)))
    defined = [parts for gold in golds if (parts := _needles(gold))]
    return float(any(all(contains(said, part) for part in parts) for parts in defined)) if defined else nan


def _needles(gold: str) -> list[str]:
    return [" ".join(found) for part in PARTS.split(gold) if (found := words_of(part))]
