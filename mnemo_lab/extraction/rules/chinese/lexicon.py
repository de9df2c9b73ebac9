"""What the rules know by heart: kinds of values, places, people, roles, and the nouns that name an attribute."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

VALUE: Final = "value"
PLACE: Final = "place"
ROLE: Final = "role"
KIN: Final = "kin"
OTHER: Final = "other"
COMPANY: Final = "company"
NOUN: Final = "noun"
PLACE_ATTRIBUTE: Final = "住址"
_LATIN: Final = re.compile(r"[A-Za-z0-9]")


class Mention(NamedTuple):
    """A known word in a text; ``attribute`` is what it is a value of, or for a ``noun`` what it names."""

    start: int
    end: int
    kind: str
    attribute: str
    category: str = ""


_Meaning = tuple[str, str, str]


def mentions(text: str) -> list[Mention]:
    """Known words from left to right, the longest of each kind, none overlapping another of its kind."""
    words, lengths = _words()
    low = text.lower()
    found: list[Mention] = []
    free: dict[str, int] = {}
    for start, sign in enumerate(low):
        for length in lengths.get(sign, ()):
            end = start + length
            meanings = words.get(low[start:end])
            if meanings is None or end > len(text) or not _stands_alone(text, start, end):
                continue
            for kind, attribute, category in meanings:
                if free.get(kind, 0) <= start:
                    found.append(Mention(start, end, kind, attribute, category))
                    free[kind] = end
    return found


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether Latin letters end where the word ends; a version may follow without a gap."""
    if text[start].isascii() and start and (_LATIN.match(text[start - 1]) or text[start - 1] in "-."):
        return False
    after = text[end : end + 1]
    if not text[end - 1].isascii() or not _LATIN.match(after):
        return True
    return after.isdigit() and end - start > 2 and text[end - 1].isalpha()


@cache
def _words() -> tuple[dict[str, list[_Meaning]], dict[str, list[int]]]:
    words: dict[str, list[_Meaning]] = {}

    def add(listed: str, kind: str, attribute: str, category: str = "") -> None:
        for word in listed.split():
            meanings = words.setdefault(word.replace("_", " ").lower(), [])
            if all(kind != other for other, _, _ in meanings):
                meanings.append((kind, attribute, category))

    for attribute, of in read("words").items():
        add(of["words"], VALUE, attribute)
    for category, nouns in read("nouns").items():
        for attribute, listed in nouns.items():
            add(listed, NOUN, attribute, category)
    add(read("places")["words"], PLACE, PLACE_ATTRIBUTE)
    for name, kind, attribute in (
        ("kin", KIN, ""), ("others", OTHER, ""), ("roles", ROLE, "职业"), ("companies", COMPANY, "公司"),
    ):  # fmt: skip
        add(read("people")[name], kind, attribute)
    lengths: dict[str, set[int]] = {}
    for word in words:
        lengths.setdefault(word[0], set()).add(len(word))
    return words, {sign: sorted(of, reverse=True) for sign, of in lengths.items()}


def mood(name: str) -> re.Pattern[str]:
    """One of the patterns of ``moods.toml``."""
    return re.compile(read("moods")[name])


@cache
def read(name: str) -> dict[str, Any]:
    """One of the data files."""
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
