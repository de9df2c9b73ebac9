"""The sentence or line around a place in a text."""

from __future__ import annotations

import re
from typing import Final

_END: Final = re.compile(r"\n|(?<=[.!?…])(?=\s)|(?<=[。！？；])")


def sentence_at(text: str, start: int, end: int) -> tuple[int, int]:
    """Start and end of the sentence or line that holds characters ``start`` to ``end - 1``, blanks trimmed."""
    low = max((found.end() for found in _END.finditer(text, 0, start)), default=0)
    after = next((found.start() for found in _END.finditer(text, end)), len(text))
    while low < start and text[low].isspace():
        low += 1
    while after > end and text[after - 1].isspace():
        after -= 1
    return low, after
