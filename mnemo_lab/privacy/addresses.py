"""Postal addresses: a number, a street and what follows them. A city or a street alone is not one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mnemo_lab.privacy.finding import Finding
from mnemo_lab.privacy.view import View

_SUFFIX: Final = (
    "Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Terrace|Ter|Square|Sq|Way"
    "|Close|Crescent"
    "|Cres|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Trail|Trl|Gardens|Grove|Mews|Row|Walk|Hill|Quay"
)
_CAP: Final = r"[A-ZÀ-Þ0-9][A-Za-zÀ-ÿ0-9'’.-]{0,24}"
_UNIT: Final = r"(?:,?[ \t](?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|Room|Rm|#)\.?[ \t]?[A-Za-z0-9-]{1,6})?"
_US: Final = r"[A-Z]{2}[ \t]\d{5}(?:-\d{4})?"
_UK: Final = r"[A-Z]{1,2}\d[A-Z\d]?[ \t]\d[A-Z]{2}"
_CITY: Final = rf"{_CAP}(?:[ \t]{_CAP}){{0,2}}"
_PLACE: Final = rf"(?:,?[ \t](?:{_US}|{_UK})|,[ \t]{_CITY}(?:,?[ \t](?:{_US}|{_UK}))?(?:,[ \t](?:{_US}|{_UK}))?)?"
_DOOR_EN: Final = re.compile(
    r"[0-9](?<![A-Za-z0-9.$€£#/-][0-9])[0-9]{0,4}[A-Za-z]?(?:[-/][0-9]{1,4})?[ \t](?:[NSEW]{1,2}\.?[ \t])?"
    rf"(?:{_CAP}[ \t]){{1,4}}?(?:{_SUFFIX})\b\.?(?:[ \t](?:NW|NE|SW|SE|N|S|E|W)\b)?{_UNIT}{_PLACE}"
)
_DOOR_FR: Final = re.compile(
    r"[0-9](?<![A-Za-z0-9][0-9])[0-9]{0,3}(?:[ \t]?(?:bis|ter))?,?[ \t](?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace"
    r"|[Qq]uai|[Cc]hemin|[Aa]llée"
    r"|[Ii]mpasse|[Rr]oute)[ \t](?:d[eu]s?[ \t]|de[ \t]la[ \t]|d['’]|l['’])?(?:de[ \t]l['’])?[A-Za-zÀ-ÿ'’-]{2,30}"
    r"(?:[ \t][A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]{1,25}){0,3}"
    r"(?:,[ \t][0-9]{5}[ \t][A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]{1,30})?"
)
_DOOR_DE: Final = re.compile(
    r"[A-ZÄÖÜ](?<![A-Za-zÀ-ÿ][A-ZÄÖÜ])[A-Za-zÄÖÜäöüß-]{0,30}(?:straße|strasse|str\.|gasse|allee|platz|weg|ufer"
    r"|damm)[ \t]\d{1,4}[ ]?[a-z]?\b"
    r"(?:,[ \t](?:D-)?\d{4,5}[ \t][A-ZÄÖÜ][A-Za-zÄÖÜäöüß-]{1,30})?"
)
_BOX: Final = re.compile(rf"[Pp](?<![A-Za-z][Pp])(?i:\.?[ ]?O\.?[ ]?|ost Office )(?i:Box)[ \t]\d{{1,6}}{_PLACE}")
_FRENCH: Final = ("rue", "avenue", "boulevard", "place", "quai", "chemin", "allée", "impasse", "route")
_GERMAN: Final = ("straße", "strasse", "str", "gasse", "allee", "platz", "weg", "ufer", "damm")

_REGIONS: Final = (
    "北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川"
    "|贵州|云南|陕西|甘肃|青海"
    "|内蒙古|广西|西藏|宁夏|新疆|香港|澳门|台湾"
)
_DOOR: Final = re.compile(
    r"(?:[\u4e00-\u9fff](?:路|街|道|巷|弄|胡同|里|村|镇|乡|屯|庄|组|小区|花园|公寓|大厦|广场|园|苑|城|楼|院)"
    r"|村[\u4e00-\u9fff]{1,6})[东西南北中]?[东西南北一二三四五六七八九十]?(?:段)?"
    r"\d{1,5}(?:[-－]\d{1,4}){0,2}(?:号|弄|栋|幢|座|组|院|室|楼)"
    r"(?:[\u4e00-\u9fff]{0,8}(?:\d{1,5}|[A-Za-z]\d{0,2}|[一二三四五六七八九十甲乙丙]{1,3})(?:[-－]\d{1,4}){0,2}"
    r"(?:号楼|号院|号|弄|栋|幢|座|单元|室|层|楼|组|户)|\d{3,4}(?!\d))*"
)
_MARK: Final = re.compile(r"[0-9](?<![0-9][0-9])[0-9]{0,4}(?:[-－]\d{1,4}){0,2}[号弄栋幢座组院室楼]")
_CUT: Final = re.compile(r"[到在至是往于住址址去从家送给：:为寄（(“\"'，。、；\s]|地址|门牌|收货")
_BACK: Final = 30


def find_latin_addresses(view: View) -> Iterator[Finding]:
    """Addresses as written in English, French and German."""
    patterns = [_DOOR_EN]
    patterns += [_BOX] if view.says("box") else []
    patterns += [_DOOR_FR] if view.says(*_FRENCH) else []
    patterns += [_DOOR_DE] if any(word.endswith(_GERMAN) for word in view.words) else []
    for pattern in patterns:
        for match in pattern.finditer(view.text):
            yield Finding("address", match.start(), match.start() + len(match[0].rstrip(" .,")), 0.8)


def find_chinese_addresses(view: View) -> Iterator[Finding]:
    """From the province, city or street to the door."""
    text = view.text
    end = 0
    for mark in _MARK.finditer(text) if view.has_han else ():
        if mark.start() >= end:
            for match in _DOOR.finditer(text, max(end, mark.start() - 12), mark.end() + 60):
                end = match.end()
                yield Finding("address", _start(text, match.start()), end, 0.8)


def _start(text: str, at: int) -> int:
    """Back to the province or city, else to where the sentence hands over to the address (到, 在, 是, a colon)."""
    low = max(0, at - _BACK)
    before = text[low : at + 1]
    regions = list(re.finditer(_REGIONS, before))
    if regions:
        return (
            low + regions[0].start()
            if not _CUT.search(before, regions[0].end(), len(before) - 1)
            else low + regions[-1].start()
        )
    cuts = list(_CUT.finditer(before, 0, len(before) - 1))
    start = cuts[-1].end() if cuts else 0
    while start < len(before) - 1 and not ("\u4e00" <= before[start] <= "\u9fff"):
        start += 1
    return low + start
