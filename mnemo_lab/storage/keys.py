"""Where the key of an encrypted file is found: given, in the environment, or in the system's keyring."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.storage.database import PLAIN, Driver
from mnemo_lab.storage.encryption import cipher, is_encrypted

VARIABLE: Final = "MNEMO_MEMORY_KEY"
SERVICE: Final = "mnemo-lab"
USER: Final = "memory"
"""Names of the key in a keyring: ``keyring set mnemo-lab memory``."""


def driver_for(path: Path, key: str | None, encrypted: bool | None) -> Driver:
    """What opens a file. A new one is encrypted where a key is given or set, or ``encrypted`` asks for it.

    Raises ``InvalidInput`` where there is a key for a plain file, none for an encrypted one, or ``encrypted`` says
    otherwise than the file.
    """
    found = is_encrypted(path)
    if encrypted is False and (found or key is not None):
        raise InvalidInput(f"{path}: encrypted=False, and {'the file is encrypted' if found else 'a key is given'}")
    given = key if key is not None or encrypted is False else os.environ.get(VARIABLE) or None
    if found is False and (given is not None or encrypted):
        origin = "a key is given" if key is not None else f"{VARIABLE} is set" if given else "encrypted=True"
        raise InvalidInput(
            f"{path} is a plain file, and {origin}; open it without a key, or export it and import it into a new store"
        )
    if given is None and not (found or encrypted):
        return PLAIN
    return cipher(given if given is not None else _from_keyring(path, bool(found)))


def _from_keyring(path: Path, is_there: bool) -> str:
    what = "is encrypted (or no store at all)" if is_there else "is to be encrypted"
    try:
        import keyring

        key = keyring.get_password(SERVICE, USER)
    except ImportError:
        key = None
    except Exception as error:  # whatever its backends raise
        raise InvalidInput(f"{path} {what}, and the keyring gave no key ({error}); set {VARIABLE} instead") from error
    if not key:
        raise InvalidInput(
            f"{path} {what}, and there is no key; set {VARIABLE}, or keep one with: pip install keyring && "
            f"keyring set {SERVICE} {USER}"
        )
    return str(key)
