"""The terms of a text that must not be lost: identifiers, numbers and names.

One definition for everyone who asks what survived, and for whoever chooses what shall.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from mnemo_lab.text.language import CJK
from mnemo_lab.text.normalise import find_dates

Kind = Literal["identifier", "number", "name"]
WORD: Final = rf"[^\W{CJK}]"
AMOUNT: Final = r"(?<![\w.,])\d{1,3}(?:[,，]\d{3})+(?:\.\d+)?(?![\d,，]*\d)"
_JOINT: Final = r"(?:[._/@#-]|::|(?<=\d):(?=\d\d(?!\d)))"
_SCAN: Final = re.compile(rf"(?P<amount>{AMOUNT})|(?:(?<!{WORD})(?<![/.~])[.~]{{0,2}}/)?{WORD}+(?:{_JOINT}{WORD}+)*")
_LIST_MARK: Final = re.compile(r"(?m)^[ \t]*\d{1,3}(?:[.)](?!\d)|、)")
_LINE_NUMBER: Final = re.compile(r"(?m)^[ \t]*(\d{1,6})(?=[ \t|:→]|$)")
MEASURE: Final = re.compile(
    r"\d+(?:-[a-z]+)+|[vx]?\d+(?:[.:,/-]\d+)*"
    r"(?:st|nd|rd|th|s|am|pm|[a-zµ°]{1,3}|[KMGT]B?|GiB|MiB|KiB|KB|MHz|GHz|kWh|mAh|fps|min|mins|hrs?)?",
    re.IGNORECASE,
)
"""Ordinals, times, dates and measures: ``3rd``, ``15:52``, ``60cm``, ``5-minute``."""
_DIGITS: Final = re.compile(r"\d+(?:[.:/-]\d+)*")
_RATE: Final = re.compile(r"\d+(?:\.\d+)?/[a-z]+")
_MADE_UP: Final = re.compile(
    r"[^\W_]_+[^\W_]|\w[a-z][A-Z]|[a-z][A-Z]\w|::|@.+\.|\w\w\.[a-z]\w"  # snake_case, camelCase, a::b, a@b.c, file.py
    r"|^[.~]*/|(?:.+/){3}|/.*[._]|[._].*/"  # paths
)
"""What no language puts together so."""
_NAME: Final = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+(?:\s[A-Z][a-z]+)*")
_CAPITALS: Final = re.compile(rf"(?<!{WORD})[A-Z]{{2,}}(?!{WORD})")


class Term(NamedTuple):
    """A term at characters ``start`` to ``end - 1``; ``key`` is the form in which terms are equal."""

    kind: Kind
    key: str
    start: int
    end: int


def shaped_terms(text: str) -> Iterator[Term]:
    """Identifiers and numbers, which their shape gives away, from left to right. The marks of a list and the
    line numbers of a listing are none.

    Numbers are equal by value (``34,000`` and ``34000``, ``60cm`` and ``60 cm``), dates by day and month however
    written; an identifier is its text without regard to case.
    """
    found: list[Term] = []
    rest = _LIST_MARK.sub(_blank, text)
    numbers = [int(mark[1]) for mark in _LINE_NUMBER.finditer(rest)]
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        rest = _LINE_NUMBER.sub(_blank, rest)
    for key, start, end in find_dates(text):
        if rest[start:end] == text[start:end]:  # no part of it belongs to a date already
            found.append(Term("number", key, start, end))
            rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
    for match in _SCAN.finditer(rest):
        kind, key = _of_token(match[0], is_amount=match.lastgroup == "amount")
        if kind:
            found.append(Term(kind, key, *match.span()))
    yield from sorted(found, key=lambda term: term.start)


def _blank(mark: re.Match[str]) -> str:
    return " " * len(mark[0])


def _of_token(token: str, is_amount: bool) -> tuple[Kind | None, str]:
    if token.isalpha() and (token.islower() or token.istitle()):
        return None, token
    if is_amount or token.replace("_", "").isdecimal():
        return "number", re.sub("[,，_]", "", token)
    if MEASURE.fullmatch(token) or _RATE.fullmatch(token):
        digits = _DIGITS.search(token)
        return "number", digits[0] if digits else token
    with_digit = any(map(str.isdecimal, token)) and any(map(str.isalpha, token))
    return ("identifier", token.casefold()) if with_digit or _MADE_UP.search(token) else (None, token)


def key_terms(text: str) -> set[str]:
    """Numbers, identifiers, capitals and capitalised names inside sentences as they are written, case-folded."""
    found = {text[term.start : term.end] for term in shaped_terms(text)}
    found.update(_NAME.findall(text), _CAPITALS.findall(text))
    return {term.casefold() for term in found}


def stands_in(folded: str, term: str) -> bool:
    """Whether a case-folded text has the term as a whole: ``543`` does not stand in ``5433``, Chinese may adjoin."""
    return re.search(rf"(?<!{WORD}){re.escape(term)}(?!{WORD})", folded) is not None
