"""Checksums: what tells a number from any other digits."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CARD: Final = re.compile(
    r"4\d{12}|4\d{15}|4\d{18}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}"
)
_IBAN_LENGTHS: Final = dict(
    item.split(":")
    for item in """AD:24 AE:23 AT:20 BE:16 BG:22 CH:21 CY:28 CZ:24 DE:22 DK:18 EE:20 ES:24 FI:18 FR:27 GB:22 GI:23 GR:27
    HR:21 HU:28 IE:22 IL:23 IS:26 IT:27 KW:30 LI:21 LT:20 LU:20 LV:21 MC:27 MT:31 NL:18 NO:15 PL:28 PT:25 QA:29 RO:24
    RS:22 SA:24 SE:24 SI:19 SK:24 SM:27 TR:26 UA:29 BR:29 KZ:20 PK:24""".split()
)


def luhn(digits: str) -> bool:
    """ISO/IEC 7812: cards, some customer numbers."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def bank_card(digits: str) -> bool:
    """A card of a known scheme and length whose check digit is right."""
    return _CARD.fullmatch(digits) is not None and luhn(digits) and len(set(digits)) > 1


def chinese_id(number: str) -> bool:
    """A resident identity number (GB 11643): province, date of birth and ISO 7064 MOD 11-2 check character."""
    if len(number) != 18 or not number[:17].isdecimal() or not 11 <= int(number[:2]) <= 83:
        return False
    try:
        born = date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    rest = sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False)) % 11
    return 1900 <= born.year <= 2100 and "10X98765432"[rest] == number[17].upper()


def iban(text: str) -> bool:
    """ISO 13616: the country's length and MOD 97-10."""
    if _IBAN_LENGTHS.get(text[:2]) != str(len(text)):
        return False
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def social_security(area: str, group: str, serial: str) -> bool:
    """Ranges the United States do not issue are out."""
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def hong_kong_id(letters: str, digits: str, check: str) -> bool:
    """MOD 11 over letters (A = 10, a single letter has a blank of 36 before it) and digits."""
    values = [36] * (2 - len(letters)) + [int(letter, 36) for letter in letters] + [int(digit) for digit in digits]
    rest = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True)) % 11
    return "0A987654321"[rest] == check
