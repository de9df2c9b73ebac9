"""Time expressions of a question ("last Tuesday", 上个月) as ranges of days, from the time it is asked."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple

from mnemo_lab.conversation import time_of
from mnemo_lab.text.dates import MONTH_NAMES


class Days(NamedTuple):
    """Days ``first`` to ``last``, both included, and the words that say so."""

    first: date
    last: date
    words: str


_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        (
            "",
            "a an one 一",
            "two couple 二 两",
            "three few 三",
            "four 四",
            "five 五",
            "six 六",
            "seven 七",
            "eight 八",
            "nine 九",
            "ten 十",
        )  # fmt: skip
    )
    for word in words.split()
}
_COUNT: Final = r"(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|(?:a )?(?:couple|few))(?: of)?"
_ZH_COUNT: Final = r"(\d{1,3}|[一二两三四五六七八九十])"
_MONTHS: Final = "|".join(f"{name}|{name[:3]}" for name in MONTH_NAMES)
_ZH_WEEKDAY: Final = r"(?:周|星期|礼拜)(?P<day>[一二三四五六日天])"
_UNITS: Final = {"day": 1, "week": 7, "天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7}

Reading = Callable[[re.Match[str], date], "tuple[date, date] | None"]


def days_named(text: str, asked_at: str | None) -> list[Days]:
    """The stretches of days that a text names, seen from ``asked_at`` (ISO 8601); none where that is unreadable.

    A bare month or weekday is the last one up to that day; "last week" is the calendar week before.
    """
    moment = time_of(asked_at)
    if moment is None:
        return []
    today, taken, found = moment.date(), [False] * len(text), []
    for pattern, read in _READINGS:
        for match in pattern.finditer(text):
            span = range(*match.span())
            if any(taken[i] for i in span):
                continue
            days = _safely(read, match, today)
            if days is not None:
                found.append((match.start(), Days(*days, match[0])))
                for i in span:
                    taken[i] = True
    return [days for _, days in sorted(found)]


def _safely(read: Reading, match: re.Match[str], today: date) -> tuple[date, date] | None:
    try:
        return read(match, today)
    except (ValueError, OverflowError):  # 31 June, or a year before 1
        return None


def _day(offset: int) -> Reading:
    return lambda match, today: (today + timedelta(offset), today + timedelta(offset))


def _week(offset: int) -> Reading:
    def read(match: re.Match[str], today: date) -> tuple[date, date]:
        monday = today - timedelta(today.weekday()) + timedelta(7 * offset)
        return monday, monday + timedelta(6)

    return read


def _month(offset: int) -> Reading:
    return lambda match, today: _whole_month(*_shifted(today, offset))


def _year(offset: int) -> Reading:
    return lambda match, today: (date(today.year + offset, 1, 1), date(today.year + offset, 12, 31))


def _shifted(today: date, months: int) -> tuple[int, int]:
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return year, month + 1


def _whole_month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _weekend(match: re.Match[str], today: date) -> tuple[date, date]:
    saturday = today - timedelta(today.weekday()) + timedelta(5)
    if match[0].startswith(("last", "Last", "上")) or saturday > today:
        saturday -= timedelta(7)
    return saturday, saturday + timedelta(1)


def _weekday(match: re.Match[str], today: date) -> tuple[date, date]:
    """The last such day before today; "last Tuesday" said on a Wednesday is yesterday."""
    back = (today.weekday() - _WEEKDAYS.index(match["day"].lower())) % 7 or 7
    return today - timedelta(back), today - timedelta(back)


def _zh_weekday(match: re.Match[str], today: date) -> tuple[date, date]:
    monday = today - timedelta(today.weekday()) - timedelta(7 * match["back"].count("上"))
    day = monday + timedelta("一二三四五六日".index(match["day"].replace("天", "日")))
    if not match["back"] and day > today:
        day -= timedelta(7)
    return day, day


def _ago(match: re.Match[str], today: date) -> tuple[date, date]:
    """``three weeks ago``: that day for days, three days around it for weeks, the whole month for months."""
    count, unit = _number(match[1]), match[2].lower().rstrip("s")
    if unit in ("month", "月"):
        return _whole_month(*_shifted(today, -count))
    if unit in ("year", "年"):
        return date(today.year - count, 1, 1), date(today.year - count, 12, 31)
    then, slack = today - timedelta(count * _UNITS[unit]), 0 if _UNITS[unit] == 1 else 3
    return then - timedelta(slack), then + timedelta(slack)


def _past(match: re.Match[str], today: date) -> tuple[date, date]:
    """``in the last three weeks``, 最近三天: up to today."""
    count, unit = _number(match[1] or "1"), match[2].lower().rstrip("s")
    months = {"month": 1, "月": 1, "year": 12, "年": 12}.get(unit)
    if months:
        year, month = _shifted(today, -count * months)
        return date(year, month, min(today.day, monthrange(year, month)[1])), today
    return today - timedelta(count * _UNITS[unit]), today


def _named_month(match: re.Match[str], today: date) -> tuple[date, date]:
    month = next(i for i, name in enumerate(MONTH_NAMES, 1) if name.lower().startswith(match["month"].lower()[:3]))
    return _dated(match, today, month)


def _zh_month(match: re.Match[str], today: date) -> tuple[date, date]:
    month = _number(match["month"])
    if match["last"]:
        return _dated(match, today, month, today.year - (2 if match["last"] == "前年" else 1))
    return _dated(match, today, month)


def _dated(match: re.Match[str], today: date, month: int, year: int | None = None) -> tuple[date, date]:
    """A month, or a day in it; without a year the last one that has begun."""
    written = match["year"]
    day = int(match["day"]) if match["day"] else None
    if year is None:
        year = int(written) if written else today.year - (date(today.year, month, day or 1) > today)
    return (date(year, month, day), date(year, month, day)) if day else _whole_month(year, month)


def _iso(match: re.Match[str], today: date) -> tuple[date, date]:
    day = date(int(match[1]), int(match[2]), int(match[3]))
    return day, day


def _only_year(match: re.Match[str], today: date) -> tuple[date, date]:
    return date(int(match[1]), 1, 1), date(int(match[1]), 12, 31)


def _number(text: str) -> int:
    text = text.lower().removeprefix("a ") or "a"
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if ten:
        return (_NUMBERS[tens] if tens else 1) * 10 + (_NUMBERS[ones] if ones else 0)
    return _NUMBERS[text]


def _patterns() -> Iterator[tuple[str, Reading]]:
    """From the most to the least specific: words that were read are not read again."""
    yield r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b", _iso
    day = r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? )"
    yield rf"\b{day}(?P<month>{_MONTHS})\b\.?(?:,? (?P<year>\d{{4}}))?", _named_month
    year = r"(?:,? (?P<year>\d{4}))?"
    yield rf"\b(?P<month>{_MONTHS})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d){year}", _named_month
    before = "in|during|of|since|last|this|early|late|mid"
    yield rf"\b(?:{before}) (?P<month>{_MONTHS})\b(?P<day>){year}", _named_month
    yield rf"\b(?P<month>{_MONTHS})(?P<day>) (?P<year>\d{{4}})\b", _named_month
    zh = r"(?:(?P<year>\d{4})年|(?P<last>去年|前年|今年)?)(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月"
    yield zh.replace("|今年", "") + r"(?:份)?(?:(?P<day>\d{1,2})[日号])?", _zh_month
    yield r"\bthe day before yesterday\b|前天", _day(-2)
    yield r"\byesterday\b|昨[天日晚]", _day(-1)
    yield r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今[天日晚早]", _day(0)
    yield r"\b(?:last|this past|the) weekend\b|上?个?周末", _weekend
    yield rf"\b(?:in|over|during|for)?\s*the (?:last|past) (?:{_COUNT} )?(days?|weeks?|months?|years?)\b", _past
    yield rf"(?:最近|过去|近){_ZH_COUNT}个?(天|日|周|星期|礼拜|月|年)", _past
    yield rf"\b{_COUNT} (days?|weeks?|months?|years?) (?:ago|earlier|before)\b", _ago
    yield rf"{_ZH_COUNT}个?(天|周|星期|礼拜|月|年)(?:之?前|以前)", _ago
    yield rf"\b(?:last|on|this|past) (?P<day>{'|'.join(_WEEKDAYS)})\b", _weekday
    yield rf"(?P<back>(?:上个?)*){_ZH_WEEKDAY}", _zh_weekday
    yield r"\blast week\b|上个?(?:周|星期|礼拜)", _week(-1)
    yield r"\bthis week\b|[这本]个?(?:周|星期|礼拜)", _week(0)
    yield r"\blast month\b|上个?月", _month(-1)
    yield r"\bthis month\b|[这本]个?月", _month(0)
    yield r"\blast year\b|去年", _year(-1)
    yield r"\bthis year\b|今年", _year(0)
    yield r"前年", _year(-2)
    yield r"\b(?:in|during|of) ((?:19|20)\d{2})\b", _only_year
    yield r"((?:19|20)\d{2})年", _only_year


_READINGS: Final = tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in _patterns())
