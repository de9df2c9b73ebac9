"""Fields of objects that another program wrote: of the type that is expected, or empty."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any


def text_at(value: Mapping[str, Any], *keys: str) -> str:
    """The first of these fields that is text and not empty."""
    for key in keys:
        found = value.get(key)
        if found and isinstance(found, str):
            return found
    return ""


def object_at(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def list_at(value: Mapping[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def rest(value: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Every other field that says something."""
    return {key: item for key, item in value.items() if key not in known and item not in (None, "", [], {})}


def plain(text: str) -> str:
    """Text without lone surrogates, as the cleaner leaves it."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
