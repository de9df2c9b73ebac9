"""What a person said in a message, without what is only quoted in it: code, quotations, blocks of memory, links."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.extraction.recalled import without_recalled

_FENCE: Final = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_LINK: Final = re.compile(r"https?://\S+")
_PARTS: Final = (_FENCE, _QUOTED_LINE, _LINK)


def spoken(text: str) -> str:
    """The text with what is only quoted blanked; every character that is left stands where it stood."""
    text = without_recalled(text)
    for part in _PARTS:
        text = part.sub(_blank, text)
    return text


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
