"""Days in the words of a sentence, told from the day it was said."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final, NamedTuple

from mnemo_lab.extraction.rules.english.words import Word

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(("monday mon", "tuesday tue tues", "wednesday wed", "thursday thu thurs",
                                    "friday fri", "saturday sat", "sunday sun"))
    for name in names.split()
}  # fmt: skip
_NUMBERS: Final = {
    name: number
    for number, name in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"a": 1, "an": 1, "couple": 2}
_UNITS: Final = {"day": 1, "week": 7, "fortnight": 14}
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_ISO: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)$")
_DAY: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?$")
_ORDINAL: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th)$")
_YEAR: Final = re.compile(r"(?:19|20)\d\d$")
_FIRST: Final = frozenset(
    [*_MONTHS, *_WEEKDAYS, *_NUMBERS, *"today tonight tomorrow yesterday the next last this coming end".split(),
     *"first second third fourth".split()]
)  # fmt: skip
FROM: Final = frozenset("from since starting effective beginning after as".split())
UNTIL: Final = frozenset("until till til through".split())
_BEFORE: Final = FROM | UNTIL | frozenset("on by in at around for as of back before during to".split())


class Dated(NamedTuple):
    """Words ``start`` to ``end - 1`` (``text``) name ``day``; ``relation``: the preposition before them, part of the
    words from ``outer`` on. ``relative``: one day, that can only be told from when it was said (not ``next year``)."""

    outer: int
    start: int
    end: int
    day: str
    relation: str
    relative: bool
    text: list[Word]


class _Found(NamedTuple):
    end: int
    day: date
    relative: bool


def dates(words: list[Word], today: date | None, past: bool = False) -> list[Dated]:
    """Dates from left to right; ``past``: what has no year lies behind. None without a day to tell from."""
    if today is None:
        return []
    found: list[Dated] = []
    at = 0
    low = [word.low for word in words]
    while at < len(words):
        if low[at] not in _FIRST and not low[at][:1].isdigit():
            at += 1
            continue
        here = _date_at(low, at, today, past or _before(words, at) == "since")
        if here is None:
            at += 1
            continue
        outer = at
        while outer and (words[outer - 1].low in _BEFORE or (outer == at and words[outer - 1].low == "the")):
            outer -= 1
        relation = next((words[i].low for i in range(outer, at) if words[i].low in _BEFORE), "")
        found.append(Dated(outer, at, here.end, here.day.isoformat(), relation, here.relative, words[at : here.end]))
        at = here.end
    return found


def _before(words: list[Word], at: int) -> str:
    return words[at - 1].low if at else ""


def _date_at(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    for reader in (_iso, _named_day, _after_day, _nth_weekday, _month, _weekday, _span, _ago, _end_of, _year):
        found = reader(low, at, today, past)
        if found:
            return found
    return None


def _word(low: list[str], at: int) -> str:
    return low[at] if 0 <= at < len(low) else ""


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _iso(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    match = _ISO.match(low[at])
    day = _made(*map(int, match.groups())) if match else None
    return _Found(at + 1, day, False) if day else None


def _named_day(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    days = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}
    if low[at] in days:
        return _Found(at + 1, today + timedelta(days[low[at]]), True)
    if low[at : at + 4] == ["the", "day", "after", "tomorrow"]:
        return _Found(at + 4, today + timedelta(2), True)
    return None


def _after_day(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    """``a week from Friday``, ``two weeks on Monday``."""
    count = _NUMBERS.get(low[at])
    if not count or _word(low, at + 1).rstrip("s") not in _UNITS or _word(low, at + 2) not in ("from", "on"):
        return None
    begin = _weekday(low, at + 3, today, False) or _named_day(low, at + 3, today, False) if at + 3 < len(low) else None
    return _Found(begin.end, begin.day + timedelta(count * _UNITS[low[at + 1].rstrip("s")]), True) if begin else None


def _month(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    """``3 May 2026``, ``the 3rd of May``, ``May 3rd, 2026``, ``May 2026``, ``May``, ``the 3rd``."""
    number, month, place = _DAY.match(low[at]), 0, at + 1
    if number:
        place += _word(low, place) == "of"
        month = _MONTHS.get(_word(low, place), 0)
        if not month:
            return _ordinal(low, at, today, past)
        place += 1
    elif low[at] in _MONTHS:
        month = _MONTHS[low[at]]
        number = _DAY.match(_word(low, place))
        place += number is not None
        if low[at] in ("may", "march", "mar", "sun", "sat") and not number and not _may_be_month(low, at):
            return None
    if not month:
        return None
    return _of_year(low, place, today, past, month, int(number[1]) if number else 1)


def _may_be_month(low: list[str], at: int) -> bool:
    return _word(low, at - 1) in _BEFORE | {"early", "late", "mid", "last", "next", "this", "end"} or bool(
        _YEAR.match(_word(low, at + 1))
    )


def _of_year(low: list[str], place: int, today: date, past: bool, month: int, number: int) -> _Found | None:
    comma = _word(low, place) == ","
    year = _YEAR.match(_word(low, place + comma))
    if year:
        day = _made(int(year[0]), month, number)
        return _Found(place + comma + 1, day, False) if day else None
    years = (today.year, today.year - 1) if past else (today.year, today.year + 1)
    days = [day for day in (_made(year, month, number) for year in years) if day]
    fitting = [day for day in days if (day <= today if past else day >= today - timedelta(31 if number == 1 else 0))]
    return _Found(place, (fitting or days)[0], False) if days else None


def _ordinal(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    number = _ORDINAL.match(low[at])
    if number is None or _word(low, at - 1) != "the":
        return None
    month = today.month + (0 if past or int(number[1]) >= today.day else 1)
    day = _made(today.year + month // 13, (month - 1) % 12 + 1, int(number[1]))
    return _Found(at + 1, day, False) if day else None


def _weekday(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    which = low[at] if low[at] in ("next", "this", "last", "coming") else ""
    place = at + bool(which)
    number = _WEEKDAYS.get(_word(low, place))
    if number is None or (_word(low, place) in ("sun", "sat", "mon", "wed") and not which):
        return None
    exact = _month(low, place + 1 + (_word(low, place + 1) == ","), today, past) if place + 2 < len(low) else None
    if exact and not which:
        return exact
    monday = today - timedelta(today.weekday())
    if which == "next":
        return _Found(place + 1, monday + timedelta(7 + number), True)
    ahead = (number - today.weekday()) % 7
    if _word(low, at - 1) in ("every", "each", "second", "other", "to", "through", "till"):
        return _Found(place + 1, today + timedelta(ahead), False)
    if which == "last" or (past and which != "this"):
        return _Found(place + 1, today - timedelta((today.weekday() - number) % 7 or 7), True)
    return _Found(place + 1, today + timedelta(ahead if which == "this" else ahead or 7), True)


def _nth_weekday(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    """``the first Monday in June``."""
    nth = {"first": 0, "second": 1, "third": 2, "fourth": 3}.get(low[at])
    number, month = _WEEKDAYS.get(_word(low, at + 1)), _MONTHS.get(_word(low, at + 3))
    if nth is None or number is None or not month or _word(low, at + 2) not in ("in", "of"):
        return None
    begin = _of_year(low, at + 4, today, past, month, 1)
    if begin is None:
        return None
    return _Found(begin.end, begin.day + timedelta((number - begin.day.weekday()) % 7 + 7 * nth), True)


def _span(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    """``next month``, ``last year``, ``this spring``."""
    if low[at] not in ("next", "last", "this"):
        return None
    step = {"next": 1, "last": -1, "this": 0}[low[at]]
    unit = _word(low, at + 1)
    if unit in ("week", "weekend"):
        return _Found(at + 2, today - timedelta(today.weekday()) + timedelta(7 * step), False)
    if unit == "month":
        return _Found(at + 2, _months_on(today.replace(day=1), step), False)
    if unit == "year":
        return _Found(at + 2, date(today.year + step, 1, 1), False)
    month = _SEASONS.get(unit) or _MONTHS.get(unit)
    if month:
        year = today.year + (step == 1 and month <= today.month) - (step == -1 and month >= today.month)
        return _Found(at + 2, date(year, month, 1), False)
    return None


def _months_on(day: date, months: int) -> date:
    month = day.month - 1 + months
    year, month = day.year + month // 12, month % 12 + 1
    return next(made for made in (_made(year, month, number) for number in range(day.day, 0, -1)) if made)


def _ago(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    """``two weeks ago``, ``in three days``, ``a month from now``, ``in two months' time``."""
    count = _NUMBERS.get(low[at]) or (int(low[at]) if low[at].isdecimal() and len(low[at]) < 4 else 0)
    place = at + 1 + (_word(low, at + 1) == "of")
    unit = _word(low, place).rstrip("s")
    if not count or unit not in (*_UNITS, "month", "year"):
        return None
    after = low[place + 1 : place + 3]
    if after[:1] == ["ago"]:
        return _Found(place + 2, _moved(today, -count, unit), True)
    if after in (["from", "now"], ["from", "today"]):
        return _Found(place + 3, _moved(today, count, unit), True)
    if _word(low, at - 1) == "in" and not past:
        return _Found(place + 1, _moved(today, count, unit), True)
    return None


def _moved(day: date, count: int, unit: str) -> date:
    if unit in _UNITS:
        return day + timedelta(count * _UNITS[unit])
    return _months_on(day, count * (12 if unit == "year" else 1))


def _end_of(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    if low[at : at + 2] != ["end", "of"]:
        return None
    place = at + 2 + (_word(low, at + 2) in ("the", "this", "next"))
    step, unit = _word(low, at + 2) == "next", _word(low, place)
    if unit == "month":
        return _Found(place + 1, _months_on(today.replace(day=1), 1 + step) - timedelta(1), True)
    if unit == "year":
        return _Found(place + 1, date(today.year + step, 12, 31), True)
    if unit == "week":
        return _Found(place + 1, today + timedelta(4 - today.weekday() + 7 * step), True)
    month = _of_year(low, place + 1, today, past, _MONTHS[unit], 1) if unit in _MONTHS else None
    return month._replace(day=_months_on(month.day, 1) - timedelta(1)) if month else None


def _year(low: list[str], at: int, today: date, past: bool) -> _Found | None:
    if _YEAR.match(low[at]) and _word(low, at - 1) in _BEFORE and _word(low, at - 1) != "at":
        return _Found(at + 1, date(int(low[at]), 1, 1), False)
    return None
