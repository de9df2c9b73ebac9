"""JSON text made readable without changing a value: numbers and repeated names stay as they were written."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from mnemo_lab.formats.lists.values import object_of, text_of

_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},:]|[^\s\[\]{},:"]++')
SHORT: Final = 72
LONGEST: Final = 200_000


def indented(text: str) -> str:
    """An object or array over several lines; short ones, other text and broken JSON as they are."""
    bare = text.strip()
    if bare[:1] not in ("{", "[") or len(text) > LONGEST:
        return text
    try:
        json.loads(bare)
    except (ValueError, RecursionError):
        return text
    flat = _flat(bare)
    return flat if len(flat) <= SHORT else _spread(bare)


def spelled_out(arguments: str) -> str:
    """Arguments with texts of several lines, such as code, as those lines; others are indented."""
    values = object_of(arguments) if len(arguments) <= LONGEST else None
    if not values or not any(isinstance(value, str) and "\n" in value for value in values.values()):
        return indented(arguments)
    return "\n".join(f"{key}: {_value(value)}" for key, value in values.items())


def _value(value: Any) -> str:
    if isinstance(value, str):
        return f"\n{value.rstrip()}\n" if "\n" in value else value
    return indented(text_of(value))


def _tokens(text: str) -> list[str]:
    return [_readable(token) for token in _TOKEN.findall(text)]


def _readable(token: str) -> str:
    r"""A string with its ``\u4e2d`` as characters, where they are whole ones."""
    if "\\u" not in token:
        return token
    plain = json.dumps(json.loads(token), ensure_ascii=False)
    return plain if plain.isprintable() else token


def _flat(text: str) -> str:
    return "".join({",": ", ", ":": ": "}.get(token, token) for token in _tokens(text))


def _spread(text: str) -> str:
    tokens = _tokens(text)
    lines: list[str] = [""]
    depth = 0
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in "[{":
            lines[-1] += token
            if following not in ("]", "}"):
                depth += 1
                lines.append("  " * depth)
        elif token in "]}":
            if index and tokens[index - 1] not in ("[", "{"):
                depth -= 1
                lines.append("  " * depth)
            lines[-1] += token
        elif token == ",":
            lines[-1] += token
            lines.append("  " * depth)
        else:
            lines[-1] += ": " if token == ":" else token
    return "\n".join(lines)
