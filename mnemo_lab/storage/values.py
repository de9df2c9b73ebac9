"""Names and values as they stand in a row or a file."""

from __future__ import annotations

import json
from typing import Any

from mnemo_lab.errors import InvalidInput


def is_name(value: str) -> bool:
    """Whether it is a text that a database and a file can hold."""
    try:
        return bool(value) and bool(value.encode())
    except UnicodeEncodeError:
        return False


def name_of(value: str, what: str) -> str:
    """The value itself; raises ``InvalidInput`` where it cannot name something."""
    if not is_name(value):
        raise InvalidInput(f"{what} is {value!r}; it must be a text of at least one character")
    return value


def pack(value: Any) -> bytes:
    """Compact JSON. Not escaped: two escaped lone surrogates side by side would be read as one character."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpack(body: bytes) -> Any:
    return json.loads(body.decode("utf-8", "surrogatepass"))
