"""File names from titles that any system takes, none of them twice."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST: Final = 120
"""Bytes of a name, because file systems count them so: 40 Chinese characters."""
_BAD: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\s]+')
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


class SafeNames:
    """Makes names within one folder; names that differ only in case count as the same."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def make(self, title: str, suffix: str) -> str:
        """A name such as ``云图与天气.json``; the second of a kind gets ``-2``."""
        stem = safe_stem(title)
        name, number = f"{stem}{suffix}", 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{stem}-{number}{suffix}"
        self._taken.add(name.casefold())
        return name


def safe_stem(title: str) -> str:
    """A title as the part of a file name before its ending; ``conversation`` where nothing is left of it."""
    text = unicodedata.normalize("NFC", title.encode("utf-8", "replace").decode())
    text = _BAD.sub("-", text).strip("-. ")
    cut = text.encode()[:LONGEST].decode(errors="ignore").rstrip("-. ")
    if not cut:
        return "conversation"
    return f"{cut}-" if _RESERVED.fullmatch(cut) else cut
