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
from mnemo_lab.text.numbers import plain_numbers
from mnemo_lab.text.words import words

SAME_VALUE: Final = 0.8
"""Least F1 of the words of two values that are one."""
_TOKEN: Final = re.compile(rf"[{CJK}]|[^\W_{CJK}]+[+#]*")
_DIGITS: Final = re.compile(r"\d+(?:[.,:]\d+)*|[a-z][+#]+")
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
_DENIAL: Final = re.compile(
    r"\b(?:(?:i|we|you|he|she|they)(?:[’'](?:ve|m|re|s|d|ll))?|have|has|had)\b|我们?"
    r"|\b(?:given up|give up|dropped|cancell?ed|discontinued|longer|completely|altogether|entirely|at all|any ?more)\b"
    r"|戒掉?|停掉?|取消|放弃|彻底|已经|再(?=[^见])|了(?=$|\W)"
)
_OF_NUMBERS: Final = frozenset(
    (
        *"am pm day days week weeks month months year years hour hours minute minutes port about around th st nd rd at "
        "on the a o clock".split(),
        *"年月日号天点分时个小岁元块端口约大概左右内后前",
    )
)
"""Units and words beside numbers that tell nothing more."""
_SAYS_LITTLE: Final = frozenset((*"must should shall need may can will always please".split(), *"要应该必须得都请的了"))
_NOT: Final = re.compile(
    r"\b(?:not?|never|without|none|neither|nor|cannot|hates?|dislikes?|avoids?|stopped|quit|gave up)\b|n[’']t\b"
    r"|no longer|(?<![特分区识个性差])别(?![的人墅])|不|没|无法|未|勿|讨厌|戒了|禁止|拒绝"
)

_NUMBERS: Final = re.compile("|".join(part.pattern for part in (_DIGITS, _ZH_NUMBER, _DATE_WORD, _NUMBER_WORD)))


def same_value(one: str, other: str) -> bool:
    """Equal but for case and punctuation, or nearly all of the same words with the same numbers; a word that stands in
    place of another ("phone numbers", "ID numbers") makes another value."""
    a, b = normal(one), normal(other)
    if not a or a == b:
        return bool(a)
    return decides(a) == decides(b) and word_f1(a, b) >= SAME_VALUE and not (_telling(a, b) and _telling(b, a))


def restates(one: str, other: str) -> bool:
    """Whether two values of one slot are one: the same, one told more fully ("8443", "port 8443"), or one number in
    other words ("06:40", "6.40 am"; "15 天", "十五日内"). What is told more fully may not have another number."""
    if same_value(one, other):
        return True
    if not normal(one) or not normal(other) or _is_denied(one) != _is_denied(other):
        return False
    (numbers, rest), (others, remains) = _numbers_and_words(one), _numbers_and_words(other)
    if numbers == others and numbers and (not rest or not remains):
        return True
    return (mentions(one, other) and others <= numbers) or (mentions(other, one) and numbers <= others)


def undenied(text: str) -> str:
    """What a denial denies: "no longer on the board", "given up coffee completely", 不再喝咖啡了 without the words that
    deny; the text as it is where nothing else would be left."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _DENIAL.sub(" ", _NOT.sub(" ", plain)).strip() or text


def shares(one: str, other: str) -> float:
    """Search words that two texts have in common, of those of the one with fewer; 0 to 1."""
    a, b = set(words(one)), set(words(other))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _numbers_and_words(text: str) -> tuple[Counter[str], set[str]]:
    """Numbers without leading zeros, and words that are no unit of one."""
    plain = plain_numbers(unicodedata.normalize("NFKC", text).casefold())
    numbers = Counter(match[0].lstrip("0") or "0" for match in re.finditer(r"\d+", plain))
    return numbers, set(_TOKEN.findall(re.sub(r"\d+", " ", plain))) - _OF_NUMBERS


def _is_denied(text: str) -> bool:
    return len(_NOT.findall(unicodedata.normalize("NFKC", text).casefold())) % 2 == 1


def other_number(one: str, other: str) -> bool:
    """Whether two values are one measure with another number or date: "30 days", "14 days"."""
    a, b = (_NUMBERS.sub(" ", normal(text)).split() for text in (one, other))
    return a == b and decides(normal(one)) != decides(normal(other))


def _telling(one: str, other: str) -> set[str]:
    """Words (Chinese: characters) of one that the other has not."""
    pairless = (word for word in {*words(one)} - {*words(other)} if word.isascii() or len(word) == 1)
    return {*pairless} - _SAYS_LITTLE


def mentions(text: str, value: str) -> bool:
    """Whether a value stands in a text as words of its own."""
    wanted, where = normal(value), normal(text)
    if not wanted:
        return False
    edge = "" if _TOKEN.fullmatch(wanted[0]) and not wanted[0].isascii() else r"(?<![^\W_])"
    edge += r"(?<![副非前准])(?<!\bvice )(?<!\bdeputy )(?<!\bnon )(?<!\bex )"  # no president is a vice president
    end = "" if not wanted[-1].isascii() else r"(?![^\W_]|[+#])"
    return re.search(edge + re.escape(wanted) + end, where) is not None


def decides(text: str) -> tuple[Mapping[str, int], bool]:
    """What must be equal in two sentences that say the same: numbers and dates as counted, and whether it is denied.
    C++ and C# count as numbers do."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    found = Counter(match[0] for match in _NUMBERS.finditer(plain))
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
