"""Zip archives from anywhere: which members are taken, and streams that stop where a bomb begins."""

from __future__ import annotations

import io
import lzma
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Final

from mnemo_lab.errors import InvalidInput

MAX_RATIO: Final = 200
"""What unpacks to more than this many times its size, past ``FREE_SIZE``, is taken for a bomb."""
FREE_SIZE: Final = 64 * 2**20
DAMAGED: Final = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)
"""What ``zipfile`` raises for a member it cannot give."""
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_STEP: Final = 4096
"""Packed bytes at a time where the method cannot stop in between: bzip2 makes up to 20,000 times as much of them."""


def is_zip(path: Path) -> bool:
    """By its first bytes; raises ``BadZipFile`` for an archive whose directory is cut off."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if head not in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"):
        return False
    if not zipfile.is_zipfile(path):
        raise zipfile.BadZipFile("its end is missing")
    return True


def open_zip(path: Path) -> zipfile.ZipFile:
    """The archive; raises ``BadZipFile`` for whatever is wrong with its directory."""
    try:
        return zipfile.ZipFile(path)
    except (ValueError, RuntimeError, NotImplementedError, OverflowError, struct.error) as error:
        raise zipfile.BadZipFile(str(error)) from None


def refusal(entry: zipfile.ZipInfo) -> str:
    """Why a member is not taken; ``""`` where it is."""
    name = entry.filename.replace("\\", "/")
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or (parts and ":" in parts[0]):
        return "its name leads out of the archive"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "it is a link" if kind == stat.S_IFLNK else "it is no regular file"
    if entry.flag_bits & 1:
        return "it is encrypted"
    return "" if entry.compress_type in _METHODS else f"packed by method {entry.compress_type}, which is not known"


class Meter:
    """Bytes that an archive has unpacked to: of each member the most that was read of it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._limit = max(4 * FREE_SIZE, size * MAX_RATIO)
        self._most: dict[str, int] = {}
        self._total = 0

    def count(self, member: str, total: int) -> bool:
        """Note that a member was read so far; false where the archive is taken for a bomb."""
        more = total - self._most.get(member, 0)
        if more > 0:
            self._most[member] = total
            self._total += more
        return self._total <= self._limit


class Guarded(io.RawIOBase):
    """A zip member that stops where it, or the archive, unpacks to far more than its size."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: str, meter: Meter) -> None:
        self._packed: IO[bytes] | None = None  # before a line may fail: close() asks for it
        self._member, self._place, self._meter = info.filename, place, meter
        # The size in the archive is what its maker wrote there, so it counts no more than the archive itself.
        self._limit = max(FREE_SIZE, min(info.compress_size, meter.size) * MAX_RATIO)
        self._step = None if info.compress_type in _METHODS[:2] else _STEP
        self._read = 0
        self._packed = archive.open(info)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._packed.read(min(len(buffer), self._step or len(buffer))) if self._packed else b""
        except DAMAGED as error:
            raise InvalidInput(f"{self._place}: damaged inside the archive ({error}); download it again") from None
        self._read += len(data)
        if self._read > self._limit or not self._meter.count(self._member, self._read):
            raise InvalidInput(f"{self._place}: unpacks to more than {MAX_RATIO} times its size; refused as a zip bomb")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if self._packed is not None:
            self._packed.close()
        super().close()
