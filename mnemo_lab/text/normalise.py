"""One normal form in which answers are compared with contexts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from mnemo_lab.text.language import CJK

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_START: Final = rf"(?<!(?![{CJK}])\w)"  # of a word: \b does not see one beside Chinese, which has no spaces
_END: Final = rf"(?!(?![{CJK}])\w)"
_MONTH: Final = "(?:" + "|".join(f"{m[:3]}(?:{m[3:]})?" for m in MONTHS) + rf"|sept){_END}\.?"
_YEAR: Final = rf"(?:(?:, ?|[ -])(\d{{4}}){_END})?"
_DAY_MONTH: Final = re.compile(rf"{_START}(\d{{1,2}})(?:st|nd|rd|th)?(?: of)?[ -]({_MONTH}){_YEAR}")
_MONTH_DAY: Final = re.compile(rf"{_START}({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?{_END}{_YEAR}")
_YMD: Final = re.compile(rf"(?<![./-]){_START}(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}})(?:t(?=\d)|{_END}(?![/-]|\.\d))")
_ZH: Final = re.compile(r"(?:(\d{4}) ?年 ?)?(\d{1,2}) ?月 ?(\d{1,2})(?!\d) ?[日号]?")
_ONES: Final = "[一二三四五六七八九]"
_ZH_NUMERAL: Final = re.compile(
    rf"(?<![十一二三四五六七八九])(十[一二]?|{_ONES}) ?月 ?([二三]?十{_ONES}?|{_ONES}) ?[日号]"
)
_DIGITS: Final = "零一二三四五六七八九"
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ARTICLES: Final = re.compile(r"(?<!\S)(?:a|an|the)(?!\S)")
_CJK: Final = re.compile(f"([{CJK}])")
_PUNCTUATION: Final = re.compile(r"[^\w\s.+/@:#%$€£¥-]|(?<!\d)[.:](?!\w)|[.:](?!\w)|_(?!\w)")


def normalise(text: str) -> str:
    """Width, case, articles, punctuation, thousands separators and written dates brought to one form.

    Words are separated by single spaces; every Chinese character is a word of its own, so that containment of
    `` needle `` in `` text `` works in both languages. Dates become ``m5d8`` or ``y2023m5d8``.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _THOUSANDS.sub("", text)
    text = _dates(text)
    text = _PUNCTUATION.sub(" ", text)
    text = _ARTICLES.sub(" ", text)
    return " ".join(_CJK.sub(r" \1 ", text).split())


def find_dates(text: str) -> Iterator[tuple[str, int, int]]:
    """Days as ``m5d8``, the year left out, with the places where they are written; places may overlap."""
    lowered = text.lower()
    for pattern in (_YMD, _ZH_NUMERAL, _ZH, _DAY_MONTH, _MONTH_DAY) if len(lowered) == len(text) else ():
        for found in pattern.finditer(lowered):
            written = found[0].rstrip(" .")
            yield _dates(found[0]).split()[-1], found.start(), found.start() + len(written)


def _dates(text: str) -> str:
    text = _YMD.sub(lambda m: _date(m[1], int(m[3]), m[4]), text)
    text = _ZH_NUMERAL.sub(lambda m: _date(None, _numeral(m[1]), str(_numeral(m[2]))), text)
    text = _ZH.sub(lambda m: _date(m[1], int(m[2]), m[3]), text)
    text = _DAY_MONTH.sub(lambda m: _date(m[3], _month(m[2]), m[1]), text)
    return _MONTH_DAY.sub(lambda m: _date(m[3], _month(m[1]), m[2]), text)


def _numeral(text: str) -> int:
    """A Chinese numeral below 100, as months and days are written: 五, 十二, 三十, 二十一."""
    tens, ten, ones = text.rpartition("十")
    high = (_DIGITS.index(tens) if tens else 1) if ten else 0
    return high * 10 + (_DIGITS.index(ones) if ones else 0)


def _month(name: str) -> int:
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _date(year: str | None, month: int, day: str) -> str:
    """A date as words, the year apart, so that a date without a year is contained in the same date with one."""
    return f" {f'y{year} ' if year else ''}m{month}d{int(day)} "
