"""Faults in input, said so that they can be found and mended: place, JSON pointer, value, what is allowed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mnemo_lab.errors import InvalidInput

SHOWN = 5


class Refused(InvalidInput):
    """Input that could not be read: one line per fault, each headed by its place.

    The message shows the first five faults; ``faults`` has them all.
    """

    def __init__(self, place: str, faults: Sequence[str]) -> None:
        self.place = place
        self.faults = tuple(faults)
        super().__init__("\n".join(f"{place}: {line}" for line in self._shown()))

    def __reduce__(self) -> tuple[type[Refused], tuple[str, tuple[str, ...]]]:
        # The default would call __init__ with the joined message, and fail in the parent of a worker process.
        return Refused, (self.place, self.faults)

    @property
    def reason(self) -> str:
        """The faults on one line, without the place."""
        return "; ".join(self._shown())

    def _shown(self) -> list[str]:
        more = len(self.faults) - SHOWN
        return [*self.faults[:SHOWN], *([f"and {more} more"] if more > 0 else [])]


def pointer(parts: Iterable[str | int]) -> str:
    """An RFC 6901 JSON pointer; ``""`` for the whole document."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def shorten(value: Any, limit: int = 60) -> str:
    """A value as one short line: scalars as JSON, containers by their size."""
    if isinstance(value, str):
        cut = value if len(value) <= limit else value[: limit - 1] + "…"
        return _printable(json.dumps(cut, ensure_ascii=False))
    if isinstance(value, Mapping):
        keys = ", ".join(map(str, list(value)[:4]))
        return f"an object with keys {shorten_text(keys)}" if value else "an empty object"
    if isinstance(value, list | tuple):
        return f"an array of {len(value)}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return shorten_text(repr(value) if not isinstance(value, int) or value.bit_length() < 999 else "a huge integer")


def shorten_text(text: str, limit: int = 60) -> str:
    """Text on one line, cut to ``limit`` characters."""
    line = _printable(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _printable(text: str) -> str:
    # Half a surrogate pair would make printing the error an error.
    return text.encode(errors="replace").decode()
