"""Small values that many formats write alike: arguments of calls, pictures and files, data URIs."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import unquote_to_bytes

from mnemo_lab.conversation import Attachment
from mnemo_lab.formats.json_values import Cleaner

DEEPEST: Final = 100
_DATA_URI: Final = re.compile(r"[dD][aA][tT][aA]:([^;,\s]*)((?:;[^;,\s]+)*),(.*)", re.DOTALL)
_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")
_MAGIC: Final = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"%PDF", "application/pdf"),
)


def text_of(value: Any) -> str:
    """A JSON value as compact text, Chinese as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Arguments(NamedTuple):
    """Arguments of a call as text, and whether they are the JSON object they must be."""

    text: str
    good: bool


def arguments_of(value: Any) -> Arguments:
    """From an object, from text (kept as it is), or from nothing, which is an empty object."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return Arguments("{}", True)
    if isinstance(value, str):
        return Arguments(value, object_of(value) is not None)
    return Arguments(text_of(value), isinstance(value, Mapping))


def object_of(text: str) -> dict[str, Any] | None:
    """The object that JSON text stands for; ``{}`` for an empty text.

    ``None`` where it is none, and where writing the object would change it: names that stand twice, NaN, numbers
    beyond a float, half characters, nesting too deep to be written.
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
        cleaner = Cleaner()
        cleaner.clean(value)
    except (ValueError, RecursionError):
        return None
    faultless = not cleaner.faults and not cleaner.losses
    return value if isinstance(value, dict) and faultless and not deeper_than(value, DEEPEST) else None


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def deeper_than(value: Any, levels: int) -> bool:
    """Whether containers are nested deeper; measured without recursion."""
    layer = [value]
    for _ in range(levels):
        layer = [item for box in layer for item in _inside(box)]
        if not layer:
            return False
    return True


def _inside(box: Any) -> list[Any]:
    items = box.values() if isinstance(box, Mapping) else box if isinstance(box, list | tuple) else ()
    return [item for item in items if isinstance(item, Mapping | list | tuple)]


def attachment_of(kind: str, where: str, media_type: str | None = None, name: str | None = None) -> Attachment | None:
    """An attachment from an address, a path or a data URI; ``None`` for a data URI whose data is broken."""
    what: Literal["image", "file"] = "image" if kind == "image" else "file"
    if where[:5].lower() != "data:":
        return Attachment(what, media_type, where, None, name)
    found = _DATA_URI.fullmatch(where)
    if not found:
        return None
    if ";base64" in found[2].lower():
        data = re.sub(r"\s+", "", found[3])
    else:
        data = base64.b64encode(unquote_to_bytes(found[3])).decode()
    return Attachment(what, found[1] or media_type, None, data, name) if is_base64(data) else None


def is_base64(data: str) -> bool:
    """Whether text is base64; what stands in front of a broken end does not count."""
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return bool(data)


def media_type_of(attachment: Attachment) -> str | None:
    """As stated, else told by the first bytes of its data; ``None`` where neither says."""
    if attachment.media_type:
        return attachment.media_type
    try:
        head = base64.b64decode((attachment.data or "")[:64])
    except (binascii.Error, ValueError):
        return None
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


def is_audio(attachment: Attachment) -> bool:
    return (media_type_of(attachment) or "").lower().startswith("audio/")


def data_uri(attachment: Attachment) -> str:
    kind = media_type_of(attachment) or ("image/png" if attachment.kind == "image" else "application/octet-stream")
    return f"data:{kind};base64,{attachment.data}"


def is_address(reference: str) -> bool:
    """Whether it starts with a scheme such as ``https:``; a Windows drive is none."""
    return bool(_SCHEME.match(reference))
