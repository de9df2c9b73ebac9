"""Numbers that are written in words, in English and Chinese, as digits."""

from __future__ import annotations

import re
from typing import Final

_SMALL: Final = dict(
    zip(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split(),
        range(20),
        strict=True,
    )
)
_TENS: Final = dict(
    zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True)
)
_SCALES: Final = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ONE: Final = "|".join(list(_SMALL)[1:10])
_BELOW_100: Final = f"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{_ONE}))?|{'|'.join(sorted(_SMALL, key=len, reverse=True))})"
_BELOW_1000: Final = f"(?:(?:a|{_BELOW_100}) hundred(?: (?:and )?{_BELOW_100})?|{_BELOW_100})"
_ENGLISH: Final = re.compile(
    rf"\b(?:{_BELOW_1000}|a)(?: (?:thousand|million|billion)(?:,? (?:and )?{_BELOW_1000})?)+\b|\b{_BELOW_1000}\b"
)
_SCALED: Final = re.compile(r"(?<![a-z\d.,])(\d+(?:\.\d+)?) (hundred|thousand|million|billion)\b")

_DIGITS: Final = {**{c: i for i, c in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_MYRIADS: Final = {"万": 10**4, "亿": 10**8}
_CHINESE: Final = re.compile("[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*")
_MIXED: Final = re.compile(r"(?<![a-z\d.,])(\d+(?:\.\d+)?) ?([百千]?[万亿]|[百千])")


def plain_numbers(text: str) -> str:
    """``three weeks`` → ``3 weeks``, ``twenty-one`` → ``21``, ``七十二万`` → ``720000``, ``1.5万`` → ``15000``.

    The text must be in lower case. Words that only look like numbers (``one of them``, ``一起``) change too: it is
    done to both sides of a comparison.
    """
    text = _SCALED.sub(lambda m: _times(m[1], _SCALES[m[2]]), text)
    text = _ENGLISH.sub(lambda m: str(_english(m[0])), text)
    text = _MIXED.sub(lambda m: _times(m[1], _scale(m[2])), text.replace("百分之", ""))
    return _CHINESE.sub(lambda m: _chinese(m[0]), text)


def _times(number: str, scale: int) -> str:
    value = round(float(number) * scale, 6)
    return str(int(value)) if value == int(value) else str(value)


def _english(text: str) -> int:
    total = part = 0
    for word in re.findall("[a-z]+", text):
        if word == "hundred":
            part *= 100
        elif word in _SCALES:
            total, part = total + part * _SCALES[word], 0
        elif word != "and":
            part += 1 if word == "a" else _SMALL.get(word, _TENS.get(word, 0))
    return total + part


def _scale(units: str) -> int:
    scale = 1
    for unit in units:
        scale *= _UNITS.get(unit) or _MYRIADS[unit]
    return scale


def _chinese(text: str) -> str:
    """A numeral; digits in a row without units are read as written (``二〇二六``)."""
    if all(c in _DIGITS for c in text):
        return "".join(str(_DIGITS[c]) for c in text)
    total = section = digit = 0
    last = 1
    for c in text:
        if c in _DIGITS:
            digit, last = _DIGITS[c], 1 if c in "零〇" else last
        elif c in _UNITS:
            section += (digit or 1) * _UNITS[c]
            digit, last = 0, _UNITS[c]
        elif c == "万":
            total, section, digit, last = total + (section + digit) * _MYRIADS[c], 0, 0, _MYRIADS[c]
        else:
            total, section, digit, last = (total + section + digit) * _MYRIADS[c], 0, 0, _MYRIADS[c]
    return str(total + section + digit * (last // 10 if last > 10 else 1))
