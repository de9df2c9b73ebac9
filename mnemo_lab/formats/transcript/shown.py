"""Attachments on a page: pictures in it, addresses as links, everything else by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from mnemo_lab.conversation import Attachment, Message
from mnemo_lab.formats.faults import shorten_text
from mnemo_lab.formats.lists.prepare import Tally
from mnemo_lab.formats.lists.values import is_audio, is_base64, media_type_of
from mnemo_lab.formats.transcript.words import Language, word

PICTURES: Final = frozenset(f"image/{kind}" for kind in ("png", "jpeg", "gif", "webp", "bmp", "avif", "svg+xml"))
"""What browsers draw, and never run, in an image element."""
_UNPLAIN: Final = re.compile(r"[\x00-\x20\x7f-\x9f<>\"'`\\^{|}\u2028\u2029]")
_PATH: Final = re.compile(r"[\w./ %()+~@,\-]+")


@dataclass(frozen=True, slots=True)
class Shown:
    """An attachment: a picture with its data URI, a link, or a label alone."""

    label: str
    picture: str | None = None
    link: str | None = None


def shown(item: Attachment, tally: Tally, at: tuple[int, Message], language: Language) -> Shown:
    """An attachment as it is shown; what is no more than named is a loss."""
    kind = "image" if item.kind == "image" else "audio" if is_audio(item) else "file"
    media_type = media_type_of(item)
    name = shorten_text(item.name or "", 120)
    if kind == "image" and item.data and media_type in PICTURES and is_base64(item.data):
        return Shown(name or word("image", language), picture=f"data:{media_type};base64,{item.data}")
    reference = "" if item.reference is None else item.reference
    link = safe_link(reference) or _safe_path(reference)
    label = f"{word(kind, language)}: {name or shorten_text(reference, 120) or media_type or '?'}"
    if link:
        return Shown(label, link=link)
    if not reference or item.data:
        tally.add(f"{kind}_dropped", at, reason="only its name and type are shown")
        label += (
            f" ({media_type}, {word('not_shown', language)})" if media_type else f" ({word('not_shown', language)})"
        )
    return Shown(label)


def safe_link(address: str) -> str | None:
    """A web address that can stand in a link, with what could end the link encoded; ``None`` for anything else."""
    try:
        parts = urlsplit(address.strip())
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not host or len(address) > 4000:
        return None
    return _UNPLAIN.sub(lambda found: quote(found[0]), address.strip())


def _safe_path(reference: str) -> str | None:
    """A relative path as a link: no scheme, no host, no way up to the root."""
    path = reference.strip()
    if not path or path.startswith("/") or not _PATH.fullmatch(path):
        return None
    return quote(path, safe="/%()+~@,-")
