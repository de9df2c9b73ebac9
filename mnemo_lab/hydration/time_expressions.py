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


class _Found(NamedTuple):
    start: int
    stop: int
    days: Days


Range = tuple[date, date]
Reading = Callable[[re.Match[str], date], "Range | None"]

_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORDS: Final = """a|an|one two|couple three|few four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty"""
_NUMBERS: Final = {word: number for number, words in enumerate(_WORDS.split(), 1) for word in words.split("|")}
_DIGITS: Final = "零一二三四五六七八九"
_VAGUE: Final = ("few", "couple", "几", "several")
_COUNT: Final = (
    rf"(?P<count>\d{{1,3}}|(?:a )?(?:few|couple(?: of)?)|several|{'|'.join(sorted(_NUMBERS, reverse=True))})"
)
_ZH_NUMBER: Final = "(?<![一二三四五六七八九十])(?:[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_ZH_COUNT: Final = rf"(?P<count>(?<!\d)\d{{1,3}}|{_ZH_NUMBER}|两|几|半)"
_MONTHS: Final = "|".join(f"{name}|{name[:3]}" for name in MONTH_NAMES) + "|Sept"
_WEEK: Final = "(?:周|星期|礼拜)"
_UNITS: Final = {"day": 1, "week": 7, "天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7}
_JOINS: Final = re.compile(r"\s*(?:-|–|—|to|until|till|through|至|到)\s*", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\bbetween (?:the )?$", re.IGNORECASE)
_SINCE: Final = re.compile(r"(?:\b(?:since|after)(?: the)? |自从?)$", re.IGNORECASE)
_ONWARDS: Final = re.compile(r"\s*(?:on(?:wards?)?\b|以来|之后|以后|至今|开始|起)", re.IGNORECASE)


def days_named(text: str, asked_at: str | None) -> list[Days]:
    """The stretches of days that a text names, seen from ``asked_at`` (ISO 8601); none where that is unreadable.

    A bare month or weekday is the last one before that day; "last week" is the calendar week before, which begins on
    Monday. "since" and 以来 reach to the day asked; two dates joined by "to", "between … and" or 到 are one stretch.
    What lies ahead ("tomorrow", 下周三) is not named: nothing was said then.
    """
    moment = time_of(asked_at)
    if moment is None:
        return []
    today, taken, found = moment.date(), [False] * len(text), []
    for pattern, read in _READINGS:
        for match in pattern.finditer(text):
            start, stop = match.span()
            if any(taken[start:stop]):
                continue
            taken[start:stop] = [True] * (stop - start)
            days = _safely(read, match, today)
            if days is not None and days[0] <= today:
                found.append(_Found(start, stop, Days(*days, match[0])))
    return _joined(text, sorted(found), today)


def _safely(read: Reading, match: re.Match[str], today: date) -> Range | None:
    try:
        return read(match, today)
    except (ValueError, OverflowError):  # 31 June, or a year before 1
        return None


def _joined(text: str, found: list[_Found], today: date) -> list[Days]:
    """Stretches in the order of the text, those that belong together made one."""
    result: list[Days] = []
    while found:
        here = found.pop(0)
        if found and _belong(text, here, found[0]) and here.days.first <= found[0].days.last:
            there = found.pop(0)
            words = text[here.start : there.stop]
            here = _Found(here.start, there.stop, Days(here.days.first, there.days.last, words))
        elif _onwards(text, here):
            here = here._replace(days=here.days._replace(last=max(today, here.days.last)))
        result.append(here.days)
    return result


def _belong(text: str, one: _Found, two: _Found) -> bool:
    between = text[one.stop : two.start]
    if between.strip().lower() == "and":
        return _BETWEEN.search(text[: one.start]) is not None
    return _JOINS.fullmatch(between) is not None


def _onwards(text: str, one: _Found) -> bool:
    before, after = text[: one.start], text[one.stop :]
    return bool(_SINCE.search(before) or one.days.words.lower().startswith("since ") or _ONWARDS.match(after))


def _ahead(match: re.Match[str], today: date) -> None:
    """Named, but not yet come: its words mean nothing else."""


def _day(offset: int) -> Reading:
    return lambda match, today: (today + timedelta(offset), today + timedelta(offset))


def _week(offset: int) -> Reading:
    def read(match: re.Match[str], today: date) -> Range:
        monday = _monday(today, offset)
        return monday, monday + timedelta(6)

    return read


def _month(offset: int) -> Reading:
    return lambda match, today: _whole_month(*_shifted(today, offset))


def _year(offset: int) -> Reading:
    return lambda match, today: (date(today.year + offset, 1, 1), date(today.year + offset, 12, 31))


def _monday(today: date, weeks: int) -> date:
    return today - timedelta(today.weekday()) + timedelta(7 * weeks)


def _shifted(today: date, months: int) -> tuple[int, int]:
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return year, month + 1


def _whole_month(year: int, month: int) -> Range:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _back(match: re.Match[str]) -> int:
    """How many times 上 is said: 上上周 is two weeks back."""
    return match[0].count("上")


def _zh_week(match: re.Match[str], today: date) -> Range | None:
    return _week(-_back(match))(match, today)


def _zh_months(match: re.Match[str], today: date) -> Range | None:
    return _month(-_back(match))(match, today)


def _weekend(match: re.Match[str], today: date) -> Range:
    """``last``, 上: that of the week before; ``this``, 这, 本: of this week; bare: the last that has begun."""
    said = match[0].lower()
    saturday = _monday(today, 0) + timedelta(5)
    if said.startswith(("last", "上")) or (saturday > today and not said.startswith(("this weekend", "这", "本"))):
        saturday -= timedelta(7)
    return saturday, saturday + timedelta(1)


def _weekday(match: re.Match[str], today: date) -> Range:
    """The last such day before today ("last Tuesday" said on a Wednesday is yesterday); ``this``: of this week."""
    number = _WEEKDAYS.index(match["day"].lower())
    if match[0].lower().startswith("this "):
        day = _monday(today, 0) + timedelta(number)
    else:
        day = today - timedelta((today.weekday() - number) % 7 or 7)
    return day, day


def _zh_weekday(match: re.Match[str], today: date) -> Range:
    """上周二 is in the calendar week before, 这周二 in this one, a bare 周二 the last one before today."""
    number, which = "一二三四五六日".index(match["day"].replace("天", "日")), match["which"] or ""
    if which:
        day = _monday(today, -which.count("上")) + timedelta(number)
    else:
        day = today - timedelta((today.weekday() - number) % 7 or 7)
    return day, day


def _ago(match: re.Match[str], today: date) -> Range:
    """``three weeks ago``: that day for days, three days around it for weeks, the whole month for months.

    ``a few days ago`` is two to seven days back.
    """
    written, unit = match["count"].lower(), match["unit"].lower().rstrip("s")
    if unit in ("month", "月"):
        return _whole_month(*_shifted(today, -_number(written)))
    if unit in ("year", "年"):
        if written in ("half a", "半"):
            return _whole_month(*_shifted(today, -6))
        year = today.year - _number(written)
        return date(year, 1, 1), date(year, 12, 31)
    if unit in ("day", "天", "日") and any(word in written for word in ("few", "几", "several")):
        return today - timedelta(7), today - timedelta(2)
    then = today - timedelta(_number(written) * _UNITS[unit])
    slack = timedelta(3 if _UNITS[unit] == 7 else int(any(word in written for word in _VAGUE)))
    return then - slack, then + slack


def _past(match: re.Match[str], today: date) -> Range:
    """``in the last three weeks``, 最近三天: up to today."""
    written, unit = (match["count"] or "1").lower(), match["unit"].lower().rstrip("s")
    if unit in ("hour", "小时"):
        return today - timedelta(-(-_number(written) // 24)), today
    months = {"month": 1, "月": 1, "year": 12, "年": 12}.get(unit)
    if months:
        count = 6 if written == "半" else _number(written) * months
        year, month = _shifted(today, -count)
        return date(year, month, min(today.day, monthrange(year, month)[1])), today
    return today - timedelta(_number(written) * _UNITS[unit]), today


def _few_days(match: re.Match[str], today: date) -> Range:
    return today - timedelta(7), today - timedelta(2)


def _named_month(match: re.Match[str], today: date) -> Range:
    month = next(i for i, name in enumerate(MONTH_NAMES, 1) if name.lower().startswith(match["month"].lower()[:3]))
    return _dated(match, today, month, int(match["year"]) if match["year"] else None)


def _days_of_month(match: re.Match[str], today: date) -> Range:
    """``3 to 7 May``."""
    last = _named_month(match, today)[1]
    first = last.replace(day=int(match["from"]))
    return (first, last) if first <= last else (last, last)


def _zh_month(match: re.Match[str], today: date) -> Range:
    offset = {"今年": 0, "去年": -1, "前年": -2}.get(match["which"] or "")
    year = int(match["year"]) if match["year"] else None
    return _dated(match, today, _number(match["month"]), year if offset is None else today.year + offset)


def _dated(match: re.Match[str], today: date, month: int, year: int | None) -> Range:
    """A month, or a day in it; without a year the last one that has begun."""
    day = _number(match["day"]) if match["day"] else None
    if year is None:
        year = today.year - (date(2000, month, day or 1).replace(year=2000) > today.replace(year=2000))
    return (date(year, month, day), date(year, month, day)) if day else _whole_month(year, month)


def _day_of_month(match: re.Match[str], today: date) -> Range:
    """``on the 5th``: the last 5th up to today."""
    day = int(match["day"])
    year, month = _shifted(today, -1 if day > today.day else 0)
    return date(year, month, day), date(year, month, day)


def _iso(match: re.Match[str], today: date) -> Range:
    day = date(int(match[1]), int(match[3]), int(match[4]))
    return day, day


def _only_year(match: re.Match[str], today: date) -> Range:
    return date(int(match[1]), 1, 1), date(int(match[1]), 12, 31)


def _number(text: str) -> int:
    """``three``, ``a few``, 12, 十二, 两; 几 counts as three."""
    text = text.lower().removeprefix("a ").removesuffix(" of")
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if ten:
        return (_DIGITS.index(tens) if tens else 1) * 10 + (_DIGITS.index(ones) if ones else 0)
    if text in _NUMBERS:
        return _NUMBERS[text]
    return {"两": 2, "几": 3, "several": 3}[text] if text in ("两", "几", "several") else _DIGITS.index(text)


def _english() -> Iterator[tuple[str, Reading]]:
    """From the most to the least specific: words that were read are not read again."""
    days = "|".join(_WEEKDAYS)
    yield rf"\bnext (?:{days}|{_MONTHS}|week(?:end)?|month|year)\b|\btomorrow\b", _ahead
    nth, year = r"(?:st|nd|rd|th)?", r"(?:,? (?P<year>\d{4})\b)?"
    month = rf"(?P<month>{_MONTHS})\b\.?"
    day = rf"(?P<day>\d{{1,2}}){nth}(?: of)? "
    yield rf"\b(?P<from>\d{{1,2}}){nth} ?(?:-|–|to|until) ?(?:the )?{day}{month}{year}", _days_of_month
    yield rf"\b{day}{month}{year}", _named_month
    yield rf"\b{month} (?:the )?(?P<day>\d{{1,2}}){nth}\b(?![\d:]){year}", _named_month
    before = "in|during|of|since|last|this|early|late|mid|back in"
    yield rf"\b(?:{before}) (?:early |late |mid[- ])?{month}(?P<day>){year}", _named_month
    yield rf"\b{month}(?P<day>) (?P<year>\d{{4}})\b", _named_month
    yield r"\bon the (?P<day>\d{1,2})(?:st|nd|rd|th)\b(?! of)", _day_of_month
    yield r"\bthe day before yesterday\b", _day(-2)
    yield r"\b(?:yesterday|last night)\b", _day(-1)
    yield r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", _day(0)
    yield r"\bthe other day\b", _few_days
    yield r"\b(?:last|this past|this|the|over the) weekend\b", _weekend
    units = "(?P<unit>days?|weeks?|months?|years?)"
    yield rf"\b(?:the )?(?:last|past) (?:{_COUNT} )(?P<unit>hours?|days?|weeks?|months?|years?)\b", _past
    yield rf"\bthe (?:last|past) (?P<count>){units}\b", _past
    yield r"\b(?P<count>half a) (?P<unit>year) ago\b", _ago
    yield rf"\b{_COUNT} {units} ago\b", _ago
    later = "".join(f"(?<!{word} )" for word in ("every", "each", "by", "until", "coming", "next"))
    yield rf"\b(?:(?:last|on|this|past) )?{later}(?P<day>{days})\b", _weekday
    yield r"\bthe week before last\b", _week(-2)
    yield r"\blast week\b", _week(-1)
    yield r"\bthis week\b", _week(0)
    yield r"\blast month\b", _month(-1)
    yield r"\bthis month\b", _month(0)
    yield r"\blast year\b", _year(-1)
    yield r"\bthis year\b", _year(0)
    yield r"\b(?:in|during|of|since) ((?:19|20)\d{2})\b(?![-/.]\d)", _only_year


def _chinese() -> Iterator[tuple[str, Reading]]:
    yield (
        rf"下+一?个?{_WEEK}(?:[一二三四五六日天末])?|下+一?个?月|[明后]年(?:{_ZH_NUMBER}|\d{{1,2}})?月?|[明后]天",
        _ahead,
    )
    number = rf"(?:\d{{1,2}}|{_ZH_NUMBER})"
    year = r"(?:(?P<year>\d{4})年|(?P<which>[去前今]年)的?)?"
    yield rf"{year}(?<!\d)(?P<month>{number})月份?(?:(?P<day>{number})[日号])?(?!\d)", _zh_month
    yield "大前天", _day(-3)
    yield "前天", _day(-2)
    yield "昨[天日晚夜]", _day(-1)
    yield "今[天日晚早]", _day(0)
    yield "前几天|前些天|前些日子", _few_days
    yield rf"(?:上上?个?|[这本]个?)?(?:{_WEEK}末|周末)", _weekend
    units = rf"个?(?P<unit>小时|天|日|{_WEEK}|月|年)"
    yield rf"(?:最近|过去|近)(?:这|的)?{_ZH_COUNT}{units}", _past
    yield rf"{_ZH_COUNT}{units}(?:之?前|以前)", _ago
    yield rf"(?<!每)(?<!每个)(?P<which>上+个?|[这本]个?)?{_WEEK}(?P<day>[一二三四五六日天])", _zh_weekday
    yield rf"上+一?个?{_WEEK}", _zh_week
    yield rf"[这本]一?个?{_WEEK}", _week(0)
    yield "上+一?个?月", _zh_months
    yield "[这本]个?月", _month(0)
    yield "前年", _year(-2)
    yield "去年", _year(-1)
    yield "今年", _year(0)
    yield r"(?<!\d)((?:19|20)\d{2})年", _only_year


def _both() -> Iterator[tuple[str, Reading]]:
    yield r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)", _iso
    yield from _english()
    yield from _chinese()


_READINGS: Final = tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in _both())
