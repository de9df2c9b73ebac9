"""Whether a file is a portable document, from its first bytes."""

from __future__ import annotations

import json
import re
from typing import Final

from mnemo_lab.formats.base import Detection, StrPath

_VERSION: Final = re.compile(r'"version"\s*:\s*"[0-9]+\.[0-9]+\.[0-9]+"')
_KEYS: Final = ('"exported_at"', '"conversation"', '"messages"')


def detect(head: bytes, path: StrPath) -> Detection | None:
    """Judge by the version and the keys no other format has together; the name of the file says nothing."""
    text = head.decode(json.detect_encoding(head), "ignore").lstrip("\ufeff \t\r\n")
    if not text.startswith(("{", "[")) or not _VERSION.search(text):
        return None
    found = [key for key in _KEYS if key in text]
    if len(found) == len(_KEYS):
        return Detection(0.95, f"has a version, {', '.join(found)}")
    # A long meta or title may have pushed the rest out of the head.
    return Detection(0.6, f"has a version and {', '.join(found)}") if '"exported_at"' in found else None
