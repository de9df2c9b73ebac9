"""Images and documents as Anthropic's content blocks carry them, and ``data:`` addresses."""

from __future__ import annotations

import base64
import mimetypes
from typing import Any, Literal

from mnemo_lab.conversation import Attachment
from mnemo_lab.formats.histories.fields import object_at, rest, text_at
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.lists.values import is_base64

Kind = Literal["image", "file"]
_SOURCE = ("type", "media_type", "data", "url")


def kind_of(name: str, media_type: str | None = None) -> Kind:
    """Image or file, by the media type or the ending of the name."""
    known = media_type or mimetypes.guess_type(name)[0] or ""
    return "image" if known.startswith("image/") else "file"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")


def from_url(url: str, kind: Kind, name: str | None = None) -> Attachment:
    """An attachment by address; a ``data:`` address is taken apart."""
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        return Attachment(kind, head[5:-7].partition(";")[0] or None, data=data, name=name)
    return Attachment(kind, reference=url, name=name)


def from_block(block: dict[str, Any], format_name: str) -> Attachment | None:
    """An ``image`` or ``document`` block; ``None`` where it holds neither data nor an address."""
    kind: Kind = "image" if block.get("type") == "image" else "file"
    source = object_at(block, "source")
    name = text_at(block, "title", "file_name", "name") or None
    media_type = text_at(source, "media_type") or None
    kept = rest(block, ("type", "source", "title", "file_name", "name", "cache_control")) | rest(source, _SOURCE)
    extensions = {format_name: kept} if kept else {}
    data, url = text_at(source, "data"), text_at(source, "url")
    if source.get("type") == "text":
        return Attachment(kind, media_type or "text/plain", data=encoded(data), name=name, extensions=extensions)
    if data:
        return Attachment(kind, media_type, data=data, name=name, extensions=extensions)
    if url:
        return Attachment(kind, media_type, reference=url, name=name, extensions=extensions)
    return Attachment(kind, media_type, name=name, extensions=extensions) if kept or name else None


def is_broken(found: Attachment, ledger: Ledger, message_id: str, pointer: str) -> bool:
    """Whether its data is no base64, which is then a loss."""
    if found.data is None or is_base64(found.data):
        return False
    code = "image_dropped" if found.kind == "image" else "file_dropped"
    ledger.add(code, message_id=message_id, pointer=pointer, reason="its data is not base64")
    return True
