"""SQLite files that SQLCipher encrypts, page by page, the log too."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mnemo_lab.errors import InvalidInput, MissingDependency
from mnemo_lab.storage.database import Driver, open_here

_HEADER: Final = b"SQLite format 3\0"


def is_encrypted(path: Path) -> bool | None:
    """Whether a file is none of plain SQLite's (SQLCipher's look like noise); ``None`` where there is none yet."""
    here = open_here(path)
    if here is not None:
        return here.driver.encrypts
    try:
        with path.open("rb") as stream:
            start = stream.read(len(_HEADER))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be opened as a store: {error.strerror}") from error
    return start != _HEADER if start else None


def cipher(key: str) -> Driver:
    """SQLCipher with a pass phrase. Raises ``MissingDependency`` without ``sqlcipher3``."""
    if not key or "\0" in key:
        raise InvalidInput("the key of an encrypted store must be a text of at least one character, none of them NUL")
    try:
        from sqlcipher3 import dbapi2
    except ImportError as error:
        raise MissingDependency(
            "sqlcipher3", "an encrypted store", "pip install 'mnemo-lab[encrypted]'  (or: pip install sqlcipher3)"
        ) from error
    quoted = key.replace("'", "''")
    return Driver(
        dbapi2,
        ("PRAGMA cipher_log_level = NONE", f"PRAGMA key = '{quoted}'"),
        "cannot be read with this key ({error}): it is the wrong one, or the file is damaged or no store",
        encrypts=True,
    )
