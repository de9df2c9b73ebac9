"""Images and documents as Anthropic's content blocks carry them, in and out."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

from mnemo_lab.conversation import Attachment
from mnemo_lab.formats.lists.prepare import own
from mnemo_lab.formats.lists.values import is_base64, media_type_of
from mnemo_lab.formats.openai_chat import give
from mnemo_lab.formats.openai_chat.gather import At, Gathered, rest_of, text_at

FORMAT: Final = "anthropic"
PROVIDER: Final = "anthropic"
TARGET: Final = "Anthropic"
IMAGE_TYPES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_PDF: Final = "application/pdf"
_TEXT: Final = "text/plain"


def media(parts: Gathered, block: Any, at: At) -> bool:
    """Take an image or document block; false where it is none, or has a source that has no place."""
    kind = block.get("type") if isinstance(block, dict) else None
    source = block.get("source") if isinstance(block, dict) else None
    if kind not in ("image", "document") or not isinstance(source, dict):
        return False
    found = _attachment("image" if kind == "image" else "file", block, source)
    if found is None:
        return False
    if found.data is not None and not is_base64(found.data):
        parts.notes.add("image_dropped" if kind == "image" else "file_dropped", at, reason="its data is not base64")
        parts.broken.append(block)
        return True
    kept = rest_of(block, {"type", "source", "title", "cache_control"}) | dict(found.extensions)
    parts.attach(
        Attachment(
            found.kind, found.media_type, found.reference, found.data, found.name, {FORMAT: kept} if kept else {}
        ),
        at,
    )
    return True


def broken_media(block: Any) -> set[str]:
    """The type of an image or document that lacks what its source needs; one with another kind of source is whole."""
    kind = text_at(block, "type")
    source = block.get("source") if kind in ("image", "document") else {"type": ""}
    known = ("base64", "text", "url", "file", None)
    return {kind} if kind and (not isinstance(source, dict) or text_at(source, "type") in known) else set()


def _attachment(kind: Any, block: Mapping[str, Any], source: Mapping[str, Any]) -> Attachment | None:
    """The source as an attachment; its extensions are those of this format alone."""
    form, name, type_ = source.get("type"), text_at(block, "title"), text_at(source, "media_type")
    data, url, id_ = (text_at(source, key) for key in ("data", "url", "file_id"))
    if form == "base64" and data is not None:
        return Attachment(kind, type_, data="".join(data.split()), name=name)
    if form == "text" and data is not None:
        encoded = base64.b64encode(data.encode("utf-8", "replace")).decode("ascii")
        return Attachment(kind, type_ or _TEXT, data=encoded, name=name) if data else None
    if form == "url" and url:
        return Attachment(kind, _PDF if kind == "file" else None, reference=url, name=name)
    if form == "file" and id_:
        return Attachment(kind, name=name, extensions={"file_id": id_})
    return None


def block_of(attachment: Attachment) -> dict[str, Any] | str:
    """An attachment as a block, or why Anthropic cannot take it."""
    kept = own(attachment.extensions, FORMAT)
    id_ = kept.get("file_id")
    reason = "" if isinstance(id_, str) else give.fault_of(attachment)
    if reason:
        return reason
    kind = (media_type_of(attachment) or "").lower()
    if attachment.kind == "image":
        source = {"type": "file", "file_id": id_} if isinstance(id_, str) else _image_source(attachment, kind)
        return source if isinstance(source, str) else {"type": "image", "source": source}
    source = {"type": "file", "file_id": id_} if isinstance(id_, str) else _document_source(attachment, kind)
    if isinstance(source, str):
        return source
    title = {"title": attachment.name} if attachment.name else {}
    context = {"context": kept["context"]} if isinstance(kept.get("context"), str) else {}
    citations = {"citations": kept["citations"]} if isinstance(kept.get("citations"), Mapping) else {}
    return {"type": "document", "source": source, **title, **context, **citations}


def _image_source(attachment: Attachment, kind: str) -> dict[str, Any] | str:
    if attachment.data is None:
        return _url_source(attachment, "images")
    kind = "image/jpeg" if kind == "image/jpg" else kind
    if kind not in IMAGE_TYPES:
        return f"{TARGET} takes JPEG, PNG, GIF and WebP, not {kind or 'an unknown type'}"
    return {"type": "base64", "media_type": kind, "data": attachment.data}


def _document_source(attachment: Attachment, kind: str) -> dict[str, Any] | str:
    if attachment.data is None:
        return _url_source(attachment, "documents") if kind in ("", _PDF) else f"{TARGET} takes only PDF by address"
    if kind == _PDF:
        return {"type": "base64", "media_type": _PDF, "data": attachment.data}
    if kind != _TEXT:
        return f"{TARGET} takes PDF and plain text, not {kind or 'an unknown type'}"
    try:
        text = base64.b64decode(attachment.data).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return "its data is not UTF-8 text"
    return {"type": "text", "media_type": _TEXT, "data": text}


def _url_source(attachment: Attachment, what: str) -> dict[str, Any] | str:
    if give.is_web(attachment.reference):
        return {"type": "url", "url": attachment.reference}
    return f"{TARGET} takes {what} by data or web address, not by path"
