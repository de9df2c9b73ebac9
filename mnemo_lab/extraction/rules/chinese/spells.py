"""From when to when a clause is true, and what its words say of change, addition and past."""

from __future__ import annotations

import re
from datetime import date
from typing import Final, NamedTuple

from mnemo_lab.extraction.rules.chinese.days import DATE, day_of
from mnemo_lab.extraction.rules.chinese.lexicon import mood

_RANGE: Final = re.compile(rf"(?P<a>{DATE})(?:到|至|-|—|~)(?P<b>{DATE})")
_SINCE: Final = re.compile(
    rf"(?:从|自从?)(?P<a>{DATE})|(?P<b>{DATE})(?:起|开始|以来|之后|以后|入职|搬|就|刚|已经|正式|整体|换|切|改|拿|考)"
)
_UNTIL: Final = re.compile(rf"(?:到|至)(?P<a>{DATE})(?:为止|结束)")
_CHANGES: Final = mood("changes")
_ADDITIVE: Final = re.compile(r"也|还(?!是|原|没|要|在|款)|另外|同时|又(?!是)|再加|加上|除了|第二|兼|顺带|以及")
_PAST: Final = mood("past")
_TODAY: Final = re.compile(r"从?(?:今天|现在|即日)(?:起|开始)|从今天")
_RELATIVE: Final = re.compile(r"今|明|昨|后天|前天|下|上|这|本|周|星期|礼拜|天|底|初")
_ALL: Final = re.compile(DATE)
_EVERY: Final = re.compile(r"每|周[一二三四五六日天末]$|星期[一二三四五六日天]$|底$|初$")


class Spell(NamedTuple):
    """Days as ISO 8601, ``None`` where nothing is said; and the signs of change, addition and past."""

    start: str | None
    end: str | None
    changes: bool
    additive: bool
    past: bool


def spell(text: str, whole: str, said: date | None) -> Spell:
    """Of a clause within its sentence, told from the day it was said."""
    changes, additive = _CHANGES.search(text) is not None, _ADDITIVE.search(text) is not None
    past = _PAST.search(text) is not None
    if said is None:
        return Spell(None, None, changes, additive, past)
    stretch = _RANGE.search(text) or _RANGE.search(whole)
    if stretch:
        start, end = day_of(stretch["a"], said), day_of(stretch["b"], said)
        over = end is not None and end < said
        return Spell(_text(start), _text(end), changes, additive, past or over)
    if _TODAY.search(text):
        return Spell(said.isoformat(), None, changes, additive, past)
    since = _SINCE.search(text) or _SINCE.search(whole)
    until = _UNTIL.search(text)
    start = day_of(since["a"] or since["b"], said) if since else None
    end = day_of(until["a"], said) if until else None
    return Spell(_text(start), _text(end), changes, additive, past)


def absolute(value: str, said: date | None) -> str:
    """A value that is nothing but a relative date as its ISO day; any other as it is."""
    if said is None or not _ALL.fullmatch(value) or not _RELATIVE.search(value) or _EVERY.match(value):
        return value
    if re.fullmatch(r"(?:周|星期|礼拜).", value) or re.search(r"\d+[月/]|[一二三四五六七八九十]月", value):
        return value
    day = day_of(value, said)
    return day.isoformat() if day else value


def _text(day: date | None) -> str | None:
    return day.isoformat() if day else None
