"""Whole files in and out, with errors a user can act on."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import StrPath


def read_bytes(path: StrPath) -> bytes:
    """The file's bytes; raises ``InvalidInput`` for a missing file, a directory and the like."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file; check the path (current directory: {Path.cwd()})") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path}: is a directory; name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise InvalidInput(f"{path}: cannot be read ({error}); check the path and its permissions") from error


def write_atomically(path: StrPath, data: bytes) -> None:
    """Write all of ``data`` or leave what was there: a temporary file beside it, then a rename over it."""
    try:
        # Through a symbolic link, so that the link stays a link.
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise InvalidInput(f"{path}: is a directory; name a file in it")
        _replace(target, data)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: the directory does not exist; create {Path(path).parent} first") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: cannot be written ({error}); check the path and its permissions") from error


def _replace(target: Path, data: bytes) -> None:
    # Not tempfile: its files have mode 0600, which would outlive the rename; here the umask decides.
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
