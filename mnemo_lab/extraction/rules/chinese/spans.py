"""Values cut down to the words that say them."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.extraction.rules.chinese.days import DATE
from mnemo_lab.extraction.rules.chinese.lexicon import COMPANY, PLACE, ROLE, VALUE, Mention, mood

_BEFORE: Final = mood("before_value")
_AFTER: Final = mood("after_value")
_STOP: Final = re.compile(r"因为|所以|不过|但是|而且|然后|毕竟|主要是|并且|不是|而不|代替|替代|，|。")
_VERSION: Final = re.compile(r"(?: ?v?\d[\d.]*(?:[a-z]\d*)?(?: ?LTS)?)?(?:-[A-Za-z]*\d[\w.]*)?")
_ITEM: Final = re.compile(r"(?:(?![和与及跟、]).|和(?=[平谐]))+")
_MODIFIED: Final = re.compile(r"[\w·]{0,10}$")


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without what only introduces or closes it."""
    stop = _STOP.search(text, start, end)
    if stop and stop.start() > start:
        end = stop.start()
    before = _BEFORE.match(text, start, end)
    start = before.end() if before else start
    after = _AFTER.search(text[start:end])
    if after and after.start() > 0:
        end = start + after.start()
    return start, end


def narrowed(text: str, start: int, end: int, want: str, known: list[Mention]) -> list[tuple[int, int, str]]:
    """Spans of the known words that ``want`` asks for within a span, each with its attribute; empty where none is.

    ``value:a,b`` (of these attributes), ``typed`` (of any): each known word, with its version; ``role``, ``place``,
    ``company``: the words up to the last such one; ``date``: the first date. With ``?`` the span stays if none is.
    """
    name = want.rstrip("?!+")
    if name == "date":
        match = re.compile(DATE).search(text, start, end)
        return [(match.start(), match.end(), "")] if match else []
    if want.endswith("?") and "、" in text[start:end]:
        return [(*trimmed(text, *item.span()), "") for item in _ITEM.finditer(text, *trimmed(text, start, end))]
    kinds = name.partition(":")[2].split(",") if ":" in name else []
    kind = {"role": ROLE, "place": PLACE, "company": COMPANY}.get(name, VALUE)
    inside = [
        m for m in known if m.kind == kind and start <= m.start and m.end <= end and (not kinds or m.attribute in kinds)
    ]
    if not inside:
        return [(*trimmed(text, start, end), "")] if want.endswith("?") else []
    if kind == VALUE:
        return [(m.start, with_version(text, m.end), m.attribute) for m in _apart(inside)]
    return _phrase(text, start, end, want, inside)


def _phrase(text: str, start: int, end: int, want: str, inside: list[Mention]) -> list[tuple[int, int, str]]:
    last = max(m.end for m in inside)
    tail = text[last:end]
    if want.startswith("role"):
        low, _ = trimmed(text, start, last)
        whole = len(re.sub(r"[的了啦\s]|出身|岗", "", tail)) == 0
        exact = want != "role!" or low == min(m.start for m in inside) or text[:low].strip("我本人是一名个 ") == ""
        return [(low, last, "职业")] if whole and exact and low < last else []
    low, high = trimmed(text, start, end)
    return [(low, max(high, last) if want.startswith("place") else last, "")]


def with_version(text: str, end: int) -> int:
    """Where a name ends, with the version or model number behind it."""
    match = _VERSION.match(text, end)
    return match.end() if match and match[0].strip() else end


def _apart(inside: list[Mention]) -> list[Mention]:
    """The longer of two that begin at one place; the same attribute only where listed side by side."""
    found: list[Mention] = []
    for mention in inside:
        if not found or (mention.start >= found[-1].end and mention.start - found[-1].end <= 2):
            found.append(mention)
    return found
