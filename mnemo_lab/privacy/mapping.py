"""The map from placeholders back to values, as a file only its owner can read."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mnemo_lab.errors import InvalidInput
from mnemo_lab.privacy.finding import PLACEHOLDER

StrPath = str | os.PathLike[str]


def restore(text: str, mapping: Mapping[str, str]) -> str:
    """The text with each placeholder the map knows turned back; others stay. What is put in is not looked at again."""
    return PLACEHOLDER.sub(lambda match: mapping.get(match[0], match[0]), text) if mapping else text


def write_mapping(mapping: Mapping[str, str], path: StrPath) -> None:
    """A JSON object, mode 0600 from its first byte on; a file that was there is replaced whole."""
    target = Path(path)
    # mkstemp creates with 0600; opening the target itself could meet a file that others already read.
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(dict(mapping), file, indent=1)  # ASCII only, so that lone surrogates survive
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def read_mapping(path: StrPath) -> dict[str, str]:
    """A map that ``write_mapping`` wrote; raises ``InvalidInput`` for anything else."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{path}: no map of placeholders ({error}); give the file that the redaction wrote"
        ) from None
    if not isinstance(found, dict) or not all(
        PLACEHOLDER.fullmatch(key) and isinstance(value, str) for key, value in found.items()
    ):
        raise InvalidInput(f"{path}: a map of placeholders is a JSON object such as {{'[EMAIL_1]': 'a@example.org'}}")
    return found
