"""Fields this version does not know: kept in ``extensions["unknown_fields"]`` inside, put back in place outside."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from mnemo_lab.conversation import NOTHING

UNKNOWN: Final = "unknown_fields"

# The inner dataclasses have no object for the whole document; its extensions travel in those of its meta.
DOCUMENT: Final = "document_extensions"


def fold(
    extensions: Mapping[str, Any] | None, added: Mapping[str, Any] | None, key: str = UNKNOWN
) -> Mapping[str, Any]:
    """``extensions`` with ``added`` under ``key``, joined with what is there.

    What cannot be joined (not an object, or the same name twice) goes one level deeper, so that nothing is lost.
    """
    if not added:
        return extensions or NOTHING
    there = (extensions or {}).get(key, {})
    joins = isinstance(there, Mapping) and there.keys().isdisjoint(added)
    return {**(extensions or {}), key: {**there, **added} if joins else {**added, key: there}}


def unfold(extensions: Mapping[str, Any], known: Collection[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The extensions to write, and the unknown fields to put back beside them.

    A field with a ``known`` name stays in the extensions: put back, it would be taken for the real one.
    """
    unknown = extensions.get(UNKNOWN)
    if not isinstance(unknown, Mapping) or not unknown:
        return dict(extensions), {}
    back = {name: value for name, value in unknown.items() if name not in known}
    stay = {name: value for name, value in unknown.items() if name in known}
    kept = {key: stay if key == UNKNOWN else value for key, value in extensions.items() if key != UNKNOWN or stay}
    return kept, back


def take(extensions: dict[str, Any], key: str) -> dict[str, Any]:
    """Remove and return the object under ``key``; ``{}``, and nothing removed, where there is none or it is empty."""
    found = extensions.get(key)
    return dict(extensions.pop(key)) if isinstance(found, Mapping) and found else {}
