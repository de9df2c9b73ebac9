"""Where conversations come from: a file, a folder or a zip archive, opened safely, read as streams."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import BinaryIO, Final, Self

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.archive import DAMAGED, Guarded, Meter, is_zip, open_zip, refusal
from mnemo_lab.formats.base import StrPath
from mnemo_lab.losses import Loss, loss

MAX_MEMBERS: Final = 100_000


class Source:
    """Members by name, each opened as a binary stream. A plain file has one member, its own name.

    ``losses`` says which members were not taken and why (names that leave the archive, links, encryption). Hidden
    files and what macOS adds to archives are no members.
    """

    def __init__(self, path: StrPath) -> None:
        self.path = Path(path)
        self.losses: list[Loss] = []
        self._archive: zipfile.ZipFile | None = None
        self._entries: dict[str, zipfile.ZipInfo] = {}
        try:
            self.members = self._list()
        except zipfile.BadZipFile as error:
            self.close()
            raise InvalidInput(f"{path}: a damaged zip archive ({error}); download it again") from None
        except (OSError, ValueError) as error:  # ValueError: a null character in the path
            raise InvalidInput(f"{path}: cannot be read ({_why(error)}); check the path") from None
        self._known = frozenset(self.members)

    def _list(self) -> tuple[str, ...]:
        if not self.path.exists():
            raise InvalidInput(f"{self.path}: no such file or folder (current directory: {Path.cwd()})")
        if self.path.is_dir():
            return tuple(sorted(self._inside()))
        if not self.path.is_file():
            raise InvalidInput(f"{self.path}: neither a file nor a folder; save it to a file first")
        if is_zip(self.path):
            self._archive = open_zip(self.path)
            self._meter = Meter(self.path.stat().st_size)
            return tuple(self._packed(self._archive))
        return (self.path.name,)

    def _inside(self) -> Iterator[str]:
        """Files below the folder, links not followed."""
        count = 0
        for folder, folders, files in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            # A link to a folder stands among the folders, and is not walked into.
            for name in [*files, *(name for name in folders if Path(folder, name).is_symlink())]:
                path = Path(folder, name)
                member = path.relative_to(self.path).as_posix()
                if path.is_symlink():
                    self._refuse(member, "it is a link")
                elif path.is_file() and not name.startswith("."):
                    count += 1
                    self._check_count(count)
                    yield member

    def _packed(self, archive: zipfile.ZipFile) -> Iterator[str]:
        entries = archive.infolist()
        self._check_count(len(entries))
        for entry in entries:
            name = entry.filename
            reason = refusal(entry) or ("its name stands twice; the first one is read" if name in self._entries else "")
            if reason:
                self._refuse(name, reason)
            elif not entry.is_dir() and not _is_clutter(name):
                self._entries[name] = entry
                yield name

    def _check_count(self, count: int) -> None:
        if count > MAX_MEMBERS:
            raise InvalidInput(f"{self.path}: more than the {MAX_MEMBERS:,} members that are read; name a part of it")

    def _refuse(self, member: str, reason: str) -> None:
        self.losses.append(loss("member_refused", pointer=member, reason=reason))

    def place(self, member: str) -> str:
        """How losses and errors name a member."""
        return str(self.path) if self.is_file else f"{self.path}:{member}"

    @property
    def is_file(self) -> bool:
        """Whether this is one plain file, neither a folder nor an archive."""
        return self._archive is None and not self.path.is_dir()

    def open(self, member: str) -> BinaryIO:
        """A member as a stream; raises ``InvalidInput`` where it cannot be opened or is none of ``members``."""
        if member not in self._known:
            raise InvalidInput(f"{self.path}: has no member {member!r} that may be read")
        try:
            if self._archive is not None:
                return io.BufferedReader(Guarded(self._archive, self._entries[member], self.place(member), self._meter))
            return (self.path if self.is_file else self.path / member).open("rb")
        except DAMAGED as error:
            raise InvalidInput(f"{self.place(member)}: cannot be read ({_why(error)})") from None

    def head(self, member: str, size: int = 65_536) -> bytes:
        """The first bytes of a member."""
        with self.open(member) as stream:
            return stream.read(size)

    def bytes(self, member: str) -> bytes:
        """A whole member; for small ones."""
        with self.open(member) as stream:
            return stream.read()

    def named(self, *names: str) -> list[str]:
        """Members whose file name, folders aside, is one of these."""
        return [member for member in self.members if PurePosixPath(member).name in names]

    def ending(self, *suffixes: str) -> list[str]:
        """Members whose name ends so, case aside."""
        return [member for member in self.members if member.lower().endswith(suffixes)]

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _is_clutter(member: str) -> bool:
    return any(part == "__MACOSX" or part.startswith(".") for part in PurePosixPath(member).parts)


def _why(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
