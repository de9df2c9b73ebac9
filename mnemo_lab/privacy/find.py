"""All rules over one text, made into findings that neither overlap nor touch a placeholder."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from mnemo_lab.privacy import names, names_zh
from mnemo_lab.privacy.addresses import find_chinese_addresses, find_latin_addresses
from mnemo_lab.privacy.assignments import find_assigned
from mnemo_lab.privacy.finding import Finding
from mnemo_lab.privacy.keys import find_keys
from mnemo_lab.privacy.network import find_network
from mnemo_lab.privacy.numbers import find_numbers
from mnemo_lab.privacy.told import find_told
from mnemo_lab.privacy.view import View
from mnemo_lab.privacy.words import GIVEN

Language = Literal["auto", "en", "zh"]
_REPEATED: Final = ("password", "token", "api_key", "name")
_WORDLIKE: Final = re.compile(r"[A-Za-z0-9_]")


def find_once(text: str, language: Language, with_names: bool, known: Iterable[tuple[str, str]] = ()) -> list[Finding]:
    """One pass, in order. ``known`` are (kind, value) found elsewhere in the conversation, to be found here too."""
    view = View(text)
    found = [*find_keys(view), *find_assigned(view), *find_told(view.text, view.lower, view.has_han)]
    found += [*find_network(view), *find_numbers(view)]
    if language != "zh":
        found += find_latin_addresses(view)
    if language != "en":
        found += find_chinese_addresses(view)
    if with_names:
        found += _names(view, found, language)
    found = settle(found, view.placeholders)
    again = {(item.kind, view.text[item.start : item.end]) for item in found if item.kind in _REPEATED}
    repeats = [*_repeats(view, {*again, *known})]
    return settle([*found, *repeats], view.placeholders) if repeats else found


def _names(view: View, found: Sequence[Finding], language: Language) -> Iterator[Finding]:
    others = settle(found, view.placeholders)
    if language != "zh":
        yield from names.find_english_names(view)
        yield from names.names_beside(view, others)
    if language != "en" and view.has_han:
        yield from names_zh.find_chinese_names(view)
        yield from names_zh.names_beside(view, others)


def settle(found: Iterable[Finding], taken: Iterable[tuple[int, int]] = ()) -> list[Finding]:
    """Of overlapping findings the surer one stays, then the longer; none that touches a span of ``taken`` does."""
    blocks = [Finding("", start, end, 2.0) for start, end in taken]
    kept: list[Finding] = []
    cluster: list[Finding] = []
    reach = -1
    # Only what overlaps is compared, so that a million findings cost a sort and not their square.
    for item in sorted((*found, *blocks), key=lambda item: item.start):
        if item.start >= reach:
            kept += _settled(cluster)
            cluster = []
        cluster.append(item)
        reach = max(reach, item.end)
    kept += _settled(cluster)
    return kept


def _settled(cluster: list[Finding]) -> list[Finding]:
    """The findings of one cluster that stay, in order."""
    if len(cluster) == 1:
        return cluster if cluster[0].kind else []
    starts: list[int] = []
    kept: list[Finding] = []
    for item in sorted(cluster, key=lambda item: (-item.confidence, item.start - item.end, item.start, item.kind)):
        at = bisect_right(starts, item.start)
        before = at > 0 and kept[at - 1].end > item.start
        after = at < len(starts) and starts[at] < item.end
        if item.end > item.start and not before and not after:
            starts.insert(at, item.start)
            kept.insert(at, item)
    return [item for item in kept if item.kind]


def _repeats(view: View, values: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    """Values that a cue gave away once, wherever else they stand."""
    for kind, value in sorted(values):
        if is_telling(kind, value):
            yield from _occurrences(view.text, kind, value)
            first = value.split(" ")[0]
            if kind == "name" and first != value and first in GIVEN:
                yield from _occurrences(view.text, kind, first)


def is_telling(kind: str, value: str) -> bool:
    """Whether the value itself, without its cue, is distinct enough to be looked for."""
    if kind == "name":
        return len(value) >= 2 and (not value.isascii() or (len(value) >= 4 and value[0].isupper()))
    if kind == "password":
        return len(value) >= 6 and any(sign.isdigit() or not sign.isalnum() for sign in value) and not value.isdecimal()
    return kind in _REPEATED and len(value) >= 12


def _occurrences(text: str, kind: str, value: str) -> Iterator[Finding]:
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        cut = (_WORDLIKE.match(value[0]) and _WORDLIKE.match(text[at - 1 : at])) or (
            _WORDLIKE.match(value[-1]) and _WORDLIKE.match(text[end : end + 1])
        )
        if not cut:
            yield Finding(kind, at, end, 0.6)
        at = text.find(value, end)
