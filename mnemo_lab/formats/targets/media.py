"""Images and files: which types a target takes, from whom, and where their bytes may be. Repairs leave them alone."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from mnemo_lab.conversation import Attachment
from mnemo_lab.formats.faults import shorten_text
from mnemo_lab.formats.targets.draft import Draft
from mnemo_lab.formats.targets.rules import Accepts, Place
from mnemo_lab.losses import Loss

_DATA_URL: Final = re.compile(r"data:(?P<type>[^;,]*)(?:;[^;,]*)*?;base64,(?P<data>.*)", re.DOTALL | re.IGNORECASE)
_VENDOR_ID: Final = re.compile(r"file[-_][\w-]+")
_SAME: Final = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}


class _Found(NamedTuple):
    """Where an attachment's bytes are, its type if it is known, and its base64 text if it has that."""

    place: Place
    media_type: str | None
    data: str | None = None


def check(draft: Draft) -> Iterator[Loss]:
    for entry in draft.entries:
        role = entry.message.role
        rules = None if draft.target.attachments is None else draft.target.attachments.get(role, ())
        for item in entry.message.attachments:
            found = _found(item)
            if found is None:
                yield draft.loss(entry, "missing_asset", name=shorten_text(item.name or item.kind))
            elif fault := _fault(item, found, rules):
                allowed = "; ".join(map(str, rules or ())) or "none"
                yield draft.loss(
                    entry, "attachment_refused", target=draft.target.title, found=fault, role=role, allowed=allowed
                )


def _found(item: Attachment) -> _Found | None:
    if item.data:
        return _Found("base64", _normal(item.media_type), item.data)
    if not item.reference:
        return None
    if match := _DATA_URL.fullmatch(item.reference):
        return _Found("base64", _normal(item.media_type or match["type"] or None), match["data"])
    if re.match(r"https?://", item.reference, re.IGNORECASE):
        return _Found("url", _normal(item.media_type))
    return _Found("id" if _VENDOR_ID.fullmatch(item.reference) else "path", _normal(item.media_type))


def _normal(media_type: str | None) -> str | None:
    if not media_type:
        return None
    plain = media_type.partition(";")[0].strip().lower()
    return _SAME.get(plain, plain)


def _fault(item: Attachment, found: _Found, rules: tuple[Accepts, ...] | None) -> str | None:
    """What is wrong with an attachment, in a few words without language."""
    shown = f"{shorten_text(found.media_type or item.kind)} ({found.place})"
    if found.data is not None and not _is_base64(found.data):
        return f"{shown}: base64?"
    if rules is None or any(_takes(rule, item, found) for rule in rules):
        return None
    return shown


def _takes(rule: Accepts, item: Attachment, found: _Found) -> bool:
    if found.place not in rule.places:
        return False
    if found.media_type is None:  # an image of unknown type gets the benefit of the doubt where images are taken
        return any(kind.startswith("image/") == (item.kind == "image") for kind in rule.types)
    return any(fnmatchcase(found.media_type, kind) for kind in rule.types)


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):  # ValueError: characters outside ASCII
        return False
    return True
