"""Dates in Chinese sentences, told from the day they are said on."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

_N: Final = r"(?:\d{1,2}|[一二三四五六七八九十两]{1,3})"
_WEEKDAY: Final = "[一二三四五六日天末1-6]"
_FEAST: Final = (
    "元旦|春节|过年|清明|五一|劳动节|端午|六一|七一|中秋|国庆|十一|双十一|双11|双十二"
    "|618|圣诞节?|元宵|情人节|教师节|除夕"
)
_MONTH_PART: Final = r"(?:底|初|中旬?|上旬|下旬|末)"
DATE: Final = (
    rf"(?:(?:\d{{4}}|[二〇零一三四五六七八九]{{4}})[年/.-]{_N}(?:月份?|[/.-]){_N}[日号]?"
    rf"|\d{{4}}年(?:{_N}月份?{_MONTH_PART}?|[初底中]|[上下]半年)?"
    rf"|(?:今年|明年|去年|前年|后年)(?:的)?(?:{_N}月份?(?:{_N}[日号]?|{_MONTH_PART})?"
    rf"|{_FEAST}|[初底]|[春夏秋冬]天|[上下]半年|暑假|寒假)?"
    rf"|(?:下下|上上|[上下这本])个?月(?:{_N}[日号]|{_MONTH_PART})?"
    rf"|(?:下下|上上|[上下这本])个?(?:周|星期|礼拜){_WEEKDAY}?"
    rf"|(?:十[一二]|[一二三四五六七八九十]|1[0-2]|0?[1-9])月份?(?:{_N}[日号]?|{_MONTH_PART})?"
    rf"|(?<![\d.])(?:1[0-2]|0?[1-9])[/.-](?:3[01]|[12]\d|0?[1-9])(?![\d/.%])"
    rf"|大后天|后天|明天|今天|昨天|前天|大前天|今晚|明晚|(?:这个)?月底|月初|月中|年底|年初|年中|周末|(?:周|星期|礼拜){_WEEKDAY}"
    rf"|{_N}[号日](?!线|楼|院|店|馆|机|码|用|常|语|本|文|志|程)"
    rf"|(?:\d+|[一二两三四五六七八九十半]+)(?:天|个?月|个?(?:周|星期|礼拜)|年)(?:以?[前后]|之[前后])"
    rf"|{_FEAST}|[一二三四]季度|[上下]半年|Q[1-4])"
)
"""A date as it is written; ``day_of`` reads it."""
_DIGITS: Final = {sign: n for n, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "天": 7,
    "日": 7,
    "末": 6,
}
_AROUND: Final = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "今天": 0,
    "今晚": 0,
    "明天": 1,
    "明晚": 1,
    "后天": 2,
    "大后天": 3,
}
_STEP: Final = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_YEARS: Final = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_FEASTS: Final = {
    "元旦": (1, 1), "情人节": (2, 14), "清明": (4, 4), "五一": (5, 1), "劳动节": (5, 1), "六一": (6, 1),
    "七一": (7, 1), "教师节": (9, 10),
    "国庆": (10, 1), "十一": (10, 1), "双十一": (11, 11), "双11": (11, 11), "双十二": (12, 12), "618": (6, 18),
    "圣诞": (12, 25), "圣诞节": (12, 25), "年底": (12, 31), "年中": (6, 30),
    "底": (12, 31), "春天": (3, 1), "夏天": (6, 1),
    "秋天": (9, 1), "冬天": (12, 1), "上半年": (1, 1), "下半年": (7, 1), "暑假": (7, 1), "寒假": (1, 15),
    "一季度": (1, 1), "二季度": (4, 1), "三季度": (7, 1), "四季度": (10, 1),
    "Q1": (1, 1), "Q2": (4, 1), "Q3": (7, 1), "Q4": (10, 1),
}  # fmt: skip
"""Feasts of the moon's calendar move and are left out."""


def number(text: str) -> int:
    """``12``, ``十二``, ``二十``, ``两``; ``半`` and anything else is 0."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)


def day_of(text: str, said: date) -> date | None:
    """The day a written date means, the first of a longer stretch; ``None`` where that is not clear."""
    for pattern, read in _READERS:
        match = pattern.fullmatch(text)
        if match:
            try:
                return read(match, said)
            except (ValueError, OverflowError):
                return None
    return None


def _of_month(year: int, month: int, part: str | None) -> date:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if not part:
        return date(year, month, 1)
    day = {"初": 1, "上": 1, "中": 15, "下": 21, "底": 0, "末": 0}.get(part[0])
    if day is None:
        day = number(part.rstrip("日号"))
    return date(year, month, day or monthrange(year, month)[1])


def _full(m: re.Match[str], said: date) -> date:
    year = m["y"] if m["y"].isdigit() else "".join(str(_DIGITS[sign]) for sign in m["y"])
    return _of_month(int(year), number(m["m"]), m["d"])


def _year(m: re.Match[str], said: date) -> date | None:
    year = said.year + _YEARS[m["y"]] if m["y"] in _YEARS else int(m["y"][:4])
    if m["m"]:
        return _of_month(year, number(m["m"]), m["d"])
    rest = m["rest"] or ""
    if rest in ("", "初"):
        return date(year, 1, 1)
    return date(year, *_FEASTS[rest]) if rest in _FEASTS else None


def _near(m: re.Match[str], said: date) -> date:
    """Month and day without a year: the nearest such day, sooner one to come than one long past."""
    found = _of_month(said.year, number(m["m"]), m["d"])
    distance = (found - said).days
    year = said.year + (1 if distance < -210 else -1 if distance > 300 else 0)
    return _of_month(year, number(m["m"]), m["d"])


def _week(m: re.Match[str], said: date) -> date:
    monday = said - timedelta(days=said.weekday()) + timedelta(weeks=_STEP[m["s"] or "本"])
    return monday + timedelta(days=number(m["d"] or "一") - 1)


def _ago(m: re.Match[str], said: date) -> date | None:
    count, unit = number(m["n"]), m["u"]
    if not count:
        return None
    sign = -1 if m["w"] == "前" else 1
    if "年" in unit or "月" in unit:
        months = count * (12 if "年" in unit else 1) * sign
        first = _of_month(said.year, said.month + months, None)
        return first.replace(day=min(said.day, monthrange(first.year, first.month)[1]))
    return said + timedelta(days=sign * count * (1 if unit == "天" else 7))


def _feast(m: re.Match[str], said: date) -> date | None:
    if m[0] in ("年初",):
        return date(said.year, 1, 1)
    if m[0] not in _FEASTS:
        return None
    found = date(said.year, *_FEASTS[m[0]])
    return found if found >= said - timedelta(days=120) else found.replace(year=said.year + 1)


_Reader = Callable[[re.Match[str], date], date | None]
_PART: Final = rf"(?P<d>{_N}[日号]?|底|初|中旬?|上旬|下旬|末)?"
_READERS: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"(?P<y>\d{{4}}|[二〇零一三四五六七八九]{{4}})[年/.-](?P<m>{_N})(?:月份?|[/.-]){_PART}", _full),
        (rf"(?P<y>\d{{4}}年|今年|明年|去年|前年|后年)的?(?:(?P<m>{_N})月份?{_PART}|(?P<rest>.*))", _year),
        (rf"(?P<m>{_N})(?:月份?|[/.-]){_PART}", _near),
        (
            rf"(?P<s>上上|下下|[上下这本])个?月{_PART}",
            lambda m, said: _of_month(said.year, said.month + _STEP[m["s"]], m["d"]),
        ),
        (r"(?:这个)?月(?P<d>底|初|中)", lambda m, said: _of_month(said.year, said.month, m["d"])),
        (rf"(?P<s>上上|下下|[上下这本])?个?(?:周|星期|礼拜)(?P<d>{_WEEKDAY})?", _week),
        (r".*", lambda m, said: said + timedelta(days=_AROUND[m[0]]) if m[0] in _AROUND else _later(m, said)),
    )
)
_LATER: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = (
    (re.compile(rf"(?P<d>{_N}[号日])"), lambda m, said: _of_month(said.year, said.month, m["d"])),
    (re.compile(r"(?P<n>.+?)(?P<u>天|个?月|个?(?:周|星期|礼拜)|年)(?:以|之)?(?P<w>[前后])"), _ago),
    (re.compile(r".+"), _feast),
)


def _later(m: re.Match[str], said: date) -> date | None:
    for pattern, read in _LATER:
        match = pattern.fullmatch(m[0])
        if match:
            return read(match, said)
    return None
