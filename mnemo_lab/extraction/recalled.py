"""What came from memory and is not said anew: the blocks that injection writes, and ones like it."""

from __future__ import annotations

import re
from typing import Final

OPEN_MEMORY: Final = "<memory>"
CLOSE_MEMORY: Final = "</memory>"
_TAGS: Final = "memory|memories|recalled|history|context"
_BLOCK: Final = re.compile(
    rf"<({_TAGS})\b[^>]*>.*?</\1>|<memory>.*\Z",  # what was cut short at its end, but no ``List<History>``
    re.DOTALL | re.IGNORECASE,
)


def without_recalled(text: str) -> str:
    """The text with blocks of memory and quoted history blanked, every other character at its place."""
    return _BLOCK.sub(_blank, text) if "<" in text else text


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
