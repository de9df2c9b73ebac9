"""Helpers: keys are put together here, so that scanners of repositories do not take the tests for a leak."""

from __future__ import annotations

from mnemo_lab.privacy import find_sensitive

FILLER = "fAkE0kEy1NoT2rEaL3"
HEX = "fa4e0deadbeef1cafe2babe3"


def filler(length: int) -> str:
    return (FILLER * 20)[:length]


def hexed(length: int) -> str:
    return (HEX * 20)[:length]


def found(text: str) -> list[tuple[str, str]]:
    """(kind, text) of each finding, in order."""
    return [(item.kind, text[item.start : item.end]) for item in find_sensitive(text)]
