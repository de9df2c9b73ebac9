"""Sentences and clauses of a text, as places in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_END: Final = re.compile(r"\n|(?<=[.!?…])(?=\s)|(?<=[。！？；])")
_CLAUSE: Final = re.compile(r"(?<=[,;:])(?=\s)|(?<=[，：；])|(?=\s[–—(（])|(?<=[)）])")
Place = tuple[int, int]


def sentence_at(text: str, start: int, end: int) -> Place:
    """Start and end of the sentence or line that holds characters ``start`` to ``end - 1``, blanks trimmed."""
    low = max((found.end() for found in _END.finditer(text, 0, start)), default=0)
    after = next((found.start() for found in _END.finditer(text, end)), len(text))
    while low < start and text[low].isspace():
        low += 1
    while after > end and text[after - 1].isspace():
        after -= 1
    return low, after


def sentences(text: str) -> Iterator[Place]:
    """Sentences and lines from left to right, blanks trimmed; none is empty, none holds a line end."""
    yield from _between(text, 0, len(text), _END)


def clauses(text: str, start: int, end: int) -> Iterator[Place]:
    """What commas, colons and brackets part of the sentence at ``start`` to ``end - 1``."""
    yield from _between(text, start, end, _CLAUSE)


def _between(text: str, start: int, end: int, cut: re.Pattern[str]) -> Iterator[Place]:
    low = start
    for high, after in [*((m.start(), m.end()) for m in cut.finditer(text, start, end)), (end, end)]:
        stripped = text[low:high].strip()
        if stripped:
            first = text.index(stripped, low)
            yield first, first + len(stripped)
        low = after
