"""Cut a long text into passages at paragraph and sentence ends; a short one is one passage."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.text.language import CJK

PASSAGE_SIZE: Final = 900
"""Weighted characters of a passage: about 150 English words, within what MiniLM reads (256 tokens)."""
_ENDS: Final = tuple(map(re.compile, (r"\n\s*\n", r"\n", r"(?<=[.!?;])\s|(?<=[。！？；])", r"\s|(?<=，)")))
_WIDE: Final = re.compile(f"[{CJK}]")
WIDE_WEIGHT: Final = 3
"""A Chinese character carries about as much as three Latin letters."""


def passages(text: str, size: int = PASSAGE_SIZE) -> list[str]:
    """Consecutive stretches of at most ``size`` weighted characters that together are the whole text."""
    if _weight(text) <= size:
        return [text]
    found: list[str] = []
    start = 0
    while start < len(text):
        stop = _reach(text, start, size)
        if stop < len(text):
            stop = _best_end(text, start, stop)
        found.append(text[start:stop])
        start = stop
    return found


def _weight(text: str) -> int:
    return len(text) + (WIDE_WEIGHT - 1) * len(_WIDE.findall(text))


def _reach(text: str, start: int, size: int) -> int:
    """Where ``size`` weighted characters from ``start`` end; one character further at least."""
    left, place = size, start
    while place < len(text):
        left -= WIDE_WEIGHT if _WIDE.match(text[place]) else 1
        if left < 0:
            break
        place += 1
    return max(place, start + 1)


def _best_end(text: str, start: int, stop: int) -> int:
    """The last paragraph end in the second half, else line, sentence or clause end or space, else ``stop``."""
    half = start + max((stop - start) // 2, 1)
    for kind in _ENDS:
        last = max((found.end() for found in kind.finditer(text, half, stop)), default=None)
        if last is not None:
            return last
    return stop
