"""As much of a JSON value as the start of its text gives."""

from __future__ import annotations

import json
import re
from collections import deque
from typing import Any, Final

_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|["\[\]{},]', re.DOTALL)
_CLOSER: Final = {"[": "]", "{": "}"}
_TRIES: Final = 8
_DEEPEST: Final = 100


def partial_value(text: str) -> Any:
    """The value, cut behind the last member that is whole, or at a hundred brackets in one another.

    ``None`` where the text does not start an object or array.
    """
    text = text.lstrip(" \t\r\n\ufeff")
    if not text.startswith(("{", "[")):
        return None
    for end, closers in reversed(_cuts(text)):
        try:
            return json.loads(text[:end] + closers)
        except (ValueError, RecursionError):
            continue
    return None


def _cuts(text: str) -> deque[tuple[int, str]]:
    """The last places at which the text can be cut, with the brackets that close what is open there."""
    closers = ""
    cuts: deque[tuple[int, str]] = deque(maxlen=_TRIES)
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSER:
            closers = _CLOSER[mark] + closers
            cuts.append((token.end(), closers))
        elif mark == ",":
            cuts.append((token.start(), closers))
        elif mark in ("]", "}"):
            if not closers.startswith(mark):
                break
            closers = closers[1:]
            cuts.append((token.end(), closers))
        if mark == '"' or not closers or len(closers) > _DEEPEST:  # a string without end, all closed, or too deep
            break
    return cuts
