"""Whether two values, or two sentences, say the same: by their words, with what decides kept apart.

Numbers, dates and negation decide: "ships on 3 May" and "ships on 4 May" share all but one word and are two facts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Final

from mnemo_lab.memory.keys import normal
from mnemo_lab.text.language import CJK
from mnemo_lab.text.words import words

SAME_VALUE: Final = 0.8
"""Least F1 of the words of two values that are one."""
_TOKEN: Final = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_DIGITS: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_ZH_NUMBER: Final = re.compile(
    r"[零一二三四五六七八九十百千万亿两]+(?=[个月日号年周天次小时分点岁块元人台条位级层楼版])"
)
_WEEKDAY: Final = (
    r"mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
)
_MONTH: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_DATE_WORD: Final = re.compile(rf"\b(?:{_WEEKDAY}|{_MONTH})\b|(?:周|星期|礼拜)[一二三四五六日天]|上午|下午|晚上|早上")
_NUMBER_WORD: Final = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
    r"|first|second|third|once|twice)\b"
)
_NOT: Final = re.compile(
    r"\b(?:not?|never|without|none|neither|nor|cannot|hates?|dislikes?|avoids?|stopped|quit|gave up)\b|n[’']t\b"
    r"|no longer|(?<![特分区识个性差])别(?![的人墅])|不|没|无法|未|勿|讨厌|戒了|禁止|拒绝"
)


def same_value(one: str, other: str) -> bool:
    """Equal but for case and punctuation, or nearly all of the same words with the same numbers."""
    a, b = normal(one), normal(other)
    return bool(a) and (a == b or (decides(a) == decides(b) and word_f1(a, b) >= SAME_VALUE))


def mentions(text: str, value: str) -> bool:
    """Whether a value stands in a text as words of its own."""
    wanted, where = normal(value), normal(text)
    if not wanted:
        return False
    edge = "" if _TOKEN.fullmatch(wanted[0]) and not wanted[0].isascii() else r"(?<![^\W_])"
    end = "" if not wanted[-1].isascii() else r"(?![^\W_])"
    return re.search(edge + re.escape(wanted) + end, where) is not None


def decides(text: str) -> tuple[Mapping[str, int], bool]:
    """What must be equal in two sentences that say the same: numbers and dates as counted, and whether it is denied."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    parts = (_DIGITS, _ZH_NUMBER, _DATE_WORD, _NUMBER_WORD)
    found = Counter(match[0] for pattern in parts for match in pattern.finditer(plain))
    return found, len(_NOT.findall(plain)) % 2 == 1


def word_f1(one: str, other: str) -> float:
    """F1 over words (Chinese: characters), 0 to 1."""
    a, b = (Counter(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())) for text in (one, other))
    common = sum((a & b).values())
    return 2 * common / (sum(a.values()) + sum(b.values())) if common else 0.0


def overlap(one: str, other: str) -> float:
    """Jaccard similarity of search words (stems, Chinese characters and pairs), 0 to 1."""
    a, b = set(words(one)), set(words(other))
    return len(a & b) / len(a | b) if a or b else 0.0


_NAME: Final = re.compile(r"(?<=[\w,;:’'] )[A-Z][^\W_]+")


def names_differ(one: str, other: str) -> bool:
    """Whether each has a capitalised word inside a sentence that the other has not."""
    a, b = (set(_NAME.findall(text)) for text in (one, other))
    return bool(a - b) and bool(b - a)
