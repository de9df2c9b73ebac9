"""Words and sentences of a message, each word with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_WORD: Final = re.compile(
    r"""\{[^{}\n]{1,120}\}|["“`][^"”`\n]{1,60}["”`]"""
    r"""|[$€£¥#@~/.]?\w(?:\w|['’](?=\w)|[./:@+&=_-](?=[\w*<{])|(?<=\d),(?=\d)|(?<=[-/])[*<{][\w-]*[}>]?)*(?:/(?!\w)|\+\+|[+#%€£])?"""
    r"""|[^\w\s]"""
)
_SPLIT: Final = re.compile(r"(n't|'(?:m|re|s|ve|ll|d))$")
_INFORMAL: Final = {
    "im": ("i", "'m"), "ive": ("i", "'ve"), "dont": ("do", "n't"), "doesnt": ("does", "n't"), "cant": ("can", "n't"),
    "didnt": ("did", "n't"), "isnt": ("is", "n't"), "wont": ("will", "n't"), "gonna": ("going", "to"),
    "wanna": ("want", "to"), "cannot": ("can", "not"), "thats": ("that", "'s"), "gotta": ("got", "to"),
}  # fmt: skip
_ALONE: Final = {"u": "you", "ur": "your", "pls": "please", "plz": "please"}
_STEMS: Final = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_SHORT: Final = frozenset("dr mr mrs ms st prof e.g i.e vs approx no jr sr dept inc ltd fig sept feb mt".split())
_QUOTES: Final = '"“”`'
_BULLET: Final = re.compile(r"(?:[-*•–+]|\d{1,2}[.)]|\[[ x]?\])\s+")


class Word(NamedTuple):
    """``text`` as written, ``low`` in small letters (a quoted name without its quotes), its place in the message."""

    text: str
    low: str
    start: int
    end: int


class Sentence(NamedTuple):
    """Its words without the closing mark, and that mark (``""`` where a line just ends)."""

    words: list[Word]
    mark: str


def sentences(text: str) -> Iterator[Sentence]:
    """Sentences and lines in order; a mark of lists at the head of a line is left out."""
    at = 0
    for line in text.splitlines(keepends=True):
        yield from _in_line(text, at, at + len(line))
        at += len(line)


def _in_line(text: str, start: int, end: int) -> Iterator[Sentence]:
    while start < end and text[start] in " \t#":
        start += 1
    bullet = _BULLET.match(text, start, end)
    words: list[Word] = []
    for found in _WORD.finditer(text, bullet.end() if bullet else start, end):
        part = found[0]
        if part == "." and words and words[-1].low in _SHORT:
            continue
        if part in ".!?…":
            if words:
                yield Sentence(words, part)
                words = []
        else:
            words += _words(part, found.start(), found.end())
    if words:
        yield Sentence(words, "")


def _words(part: str, start: int, end: int) -> Iterator[Word]:
    if part[0] in _QUOTES and len(part) > 2:
        yield Word(part[1:-1], part[1:-1].lower(), start + 1, end - 1)
        return
    low = part.lower().replace("’", "'")
    pair = _INFORMAL.get(low)
    if pair is None and "'" in low:
        cut = _SPLIT.search(low)
        if cut and cut.start():
            pair = (_STEMS.get(low[: cut.start()], low[: cut.start()]), cut[0])
            middle = start + cut.start()
            yield Word(part[: cut.start()], pair[0], start, middle)
            yield Word(part[cut.start() :], pair[1], middle, end)
            return
    if low in _ALONE:
        low = _ALONE[low]
    if pair:
        middle = min(start + len(pair[0]), end)
        yield Word(part[: len(pair[0])], pair[0], start, middle)
        yield Word(part[len(pair[0]) :], pair[1], middle, end)
    else:
        yield Word(part, low, start, end)
