"""JSON values made safe to hand on: plain containers, no lone surrogates, no NaN, no Python objects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mnemo_lab.formats.faults import pointer, shorten
from mnemo_lab.losses import Loss, loss

# Linked from the leaf up, because building a tuple per value would cost more than the walk itself.
Trail = tuple["Trail", str | int] | None

# Python refuses to print or read integers above 4,300 digits; 14,000 bits stay below that.
_INTEGER_BITS = 14_000


class Cleaner:
    """Copies values, and remembers where it replaced something (``losses``) or met what JSON lacks (``faults``).

    A value too deep for the stack, or one that contains itself, raises ``RecursionError``.
    """

    def __init__(self) -> None:
        self.losses: list[Loss] = []
        self.faults: list[str] = []

    def clean(self, value: Any, trail: Trail = None) -> Any:
        if isinstance(value, str):
            return value if value.isascii() else self._text(value, trail)
        if isinstance(value, Mapping):
            return {self._key(key, trail): self.clean(item, (trail, key)) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.clean(item, (trail, index)) for index, item in enumerate(value)]
        if not _is_json(value):
            self.faults.append(f"{_pointer(trail)}: {_why_not(value)}")
        return value

    def _text(self, value: str, trail: Trail) -> str:
        try:
            value.encode()
        except UnicodeEncodeError:
            # Through UTF-16, so that two halves that stand side by side become their character again.
            halves = value.encode("utf-16-le", "surrogatepass")
            joined = halves.decode("utf-16-le", "replace")
            if joined.count("\ufffd") > value.count("\ufffd"):
                self.losses.append(loss("unicode_replaced", pointer=_pointer(trail)))
            return joined
        return value

    def _key(self, key: Any, trail: Trail) -> str:
        if isinstance(key, str):
            return self._text(key, (trail, key))
        self.faults.append(f"{_pointer(trail)}: key {shorten(key)} must be a string")
        return str(key)


def _is_json(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return value.bit_length() <= _INTEGER_BITS
    return value is None


def _why_not(value: Any) -> str:
    if isinstance(value, float):
        return f"{value} is not a number JSON has; use null or leave the field out"
    if isinstance(value, int):
        return "an integer of more than 4,000 digits cannot be kept; write it as a string"
    allowed = "string, number, true, false, null, array or object"
    return f"{shorten(value)} ({type(value).__name__}) is not a JSON value; use {allowed}"


def _pointer(trail: Trail) -> str:
    parts: list[str | int] = []
    while trail is not None:
        trail, part = trail
        # A key may itself hold the lone surrogate that is being reported.
        parts.append(part.encode(errors="replace").decode() if isinstance(part, str) else part)
    return pointer(reversed(parts))
