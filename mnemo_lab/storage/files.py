"""Files that are replaced in one step, so that a crash leaves the old or the new one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o600


def draft(path: Path, fill: Callable[[Path], object]) -> Path:
    """A file beside ``path``, its owner's alone, whole and on the disk."""
    made = path.with_name(f"{path.name}.draft")
    made.unlink(missing_ok=True)
    os.close(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
    fill(made)
    sync(made)
    return made


def place(made: Path, path: Path) -> None:
    """Put a draft where it belongs, in one step."""
    made.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Bring a file or a folder's entries to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def remove(paths: Sequence[Path]) -> list[str]:
    """Remove files of one folder for good; their names."""
    for path in paths:
        path.unlink(missing_ok=True)
    if paths:
        sync(paths[0].parent)
    return sorted(path.name for path in paths)
