"""What came from memory and is not said anew: the blocks that injection writes, and ones like it."""

from __future__ import annotations

import re
from typing import Final

OPEN_MEMORY: Final = "<memory>"
CLOSE_MEMORY: Final = "</memory>"
_OPEN: Final = re.compile(r"<(memory|memories|recalled|history|context)\b[^>]*>", re.IGNORECASE)


def without_recalled(text: str) -> str:
    """The text with blocks of memory and quoted history blanked, every other character at its place.

    A block that is cut short at its end is one where it is our own (``<memory>``), and no ``List<History>``.
    """
    if "<" not in text:
        return text
    kept: list[str] = []
    at, unclosed = 0, set()
    for begin in _OPEN.finditer(text):
        tag = begin[1].lower()
        if begin.start() < at or tag in unclosed:
            continue
        close = re.compile(f"</{tag}>", re.IGNORECASE).search(text, begin.end())
        if close is None:
            unclosed.add(tag)
        if close or begin[0] == OPEN_MEMORY:
            end = close.end() if close else len(text)
            kept += [text[at : begin.start()], re.sub(r"[^\n]", " ", text[begin.start() : end])]
            at = end
    return "".join([*kept, text[at:]])
