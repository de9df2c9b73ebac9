"""Code fences in text that people and models wrote: where they are, and how to put one around anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_OPEN: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)")
_RUN: Final = re.compile(r"`+")


class Piece(NamedTuple):
    """Text, or the inside of a code block with what its fence says of the language."""

    text: str
    code: bool
    language: str = ""


def pieces(text: str) -> Iterator[Piece]:
    """A text cut at its fences; a fence that is never closed ends with the text."""
    held: list[str] = []
    fence, language = "", ""
    for line in text.split("\n"):
        found = _OPEN.fullmatch(line.rstrip("\r"))
        if fence:
            if _closes(line, fence):
                yield Piece("\n".join(held), True, language)
                held, fence = [], ""
            else:
                held.append(line)
        elif found:
            if any(item.strip() for item in held):
                yield Piece("\n".join(held).strip("\n"), False)
            held, fence, language = [], found[1], found[2].strip().split(" ")[0]
        else:
            held.append(line)
    if fence or any(item.strip() for item in held):
        yield Piece("\n".join(held) if fence else "\n".join(held).strip("\n"), bool(fence), language if fence else "")


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t\r")
    indent = len(line) - len(line.lstrip(" "))
    return indent <= 3 and len(bare) >= len(fence) and bare == fence[0] * len(bare)


def fenced(text: str, language: str = "") -> str:
    """A code block that nothing in the text can close."""
    longest = max((len(run) for run in _RUN.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
