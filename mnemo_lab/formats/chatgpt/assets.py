"""Images and files of an export, found by the id in their name, told by their first bytes, read only when needed."""

from __future__ import annotations

import base64
import json
import mimetypes
import re
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss, loss

NAMES: Final = "conversation_asset_file_names.json"
MAX_ASSET: Final = 32 * 2**20
"""No API takes larger ones inline."""
MAX_TOGETHER: Final = 128 * 2**20
"""Of one conversation, so that its memory stays bounded."""
_ID: Final = re.compile(r"file[-_][A-Za-z0-9]+")
_MAGIC: Final = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
)


class Asset(NamedTuple):
    """What the archive has of one pointer. ``data`` is base64, ``None`` with a reason where it was not taken."""

    name: str
    media_type: str | None
    data: str | None
    reason: str = ""


class Assets:
    """The assets of one source. ``losses`` tells of an index that could not be read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._members: dict[str, str] | None = None
        self._names: dict[str, str] = {}
        self._left = MAX_TOGETHER
        self.losses: list[Loss] = []

    def start(self) -> None:
        """A new conversation begins."""
        self._left = MAX_TOGETHER

    def find(self, reference: str) -> Asset | None:
        """The asset of ``sediment://file_…``, ``file-service://file-…`` or a bare id; ``None`` where it is missing."""
        if self._members is None:
            self._members = self._index()
        identity = _ID.search(reference.rpartition("://")[2])  # not file-service
        member = self._members.get(identity[0]) if identity else None
        return self._load(member) if member else None

    def _index(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for member in self._source.members:
            name = PurePosixPath(member).name
            if identity := _ID.match(name):
                found.setdefault(identity[0], member)
        by_name = {PurePosixPath(member).name: member for member in self._source.members}
        for index in self._source.named(NAMES):
            for stored, original in self._entries(index).items():
                file = PurePosixPath(stored).name
                self._names[file] = PurePosixPath(original).name
                # Either name may be the one with the id.
                identity = _ID.search(stored) or _ID.search(original)
                if identity and file in by_name:
                    found.setdefault(identity[0], by_name[file])
        return found

    def _entries(self, index: str) -> dict[str, str]:
        try:
            value: Any = json.loads(self._source.bytes(index))
        except (ValueError, RecursionError, InvalidInput) as error:
            self.losses.append(loss("member_refused", pointer=index, reason=f"not JSON ({error})"))
            return {}
        entries = value.items() if isinstance(value, dict) else ()
        return {stored: original for stored, original in entries if isinstance(original, str)}

    def _load(self, member: str) -> Asset:
        file = PurePosixPath(member).name
        name = self._names.get(file, file)
        try:
            with self._source.open(member) as stream:
                data = stream.read(min(MAX_ASSET, self._left) + 1)
        except (InvalidInput, OSError) as error:
            return Asset(name, _by_name(name), None, str(error))
        media_type = sniff(data) or _by_name(name)
        if len(data) > MAX_ASSET:
            return Asset(name, media_type, None, f"larger than {MAX_ASSET >> 20} MB")
        if len(data) > self._left:
            return Asset(name, media_type, None, f"attachments of the conversation exceed {MAX_TOGETHER >> 20} MB")
        self._left -= len(data)
        return Asset(name, media_type, base64.b64encode(data).decode())


def sniff(data: bytes) -> str | None:
    """The media type by the first bytes."""
    for offset, magic, media_type in _MAGIC:
        if data.startswith(magic, offset):
            return media_type
    return None


def _by_name(name: str) -> str | None:
    return mimetypes.guess_type(name)[0]
