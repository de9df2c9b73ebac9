"""A conversation fresh from the decoder, made safe to hand on: no lone surrogates, no NaN; at no cost where it is."""

from __future__ import annotations

import json
import marshal
import math
import re
import struct
from dataclasses import replace
from typing import Any, Final

from mnemo_lab.formats.faults import Refused
from mnemo_lab.formats.json_values import Cleaner
from mnemo_lab.losses import Loss, loss

_VERSION: Final = 2
"""Of marshal: floats as their eight bytes, text as UTF-8 in which half a surrogate pair shows as ED A0… to ED BF…"""
_SURROGATE: Final = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_NOT_FINITE: Final = tuple(b"g" + struct.pack("<d", float(number)) for number in ("nan", "inf", "-inf"))


def clean(value: Any, where: str) -> tuple[Any, list[Loss]]:
    """The value, copied only where something had to be replaced; ``where`` is its JSON pointer."""
    if not _is_suspicious(value):
        return value, []
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False, check_circular=False).encode()
        return value, []
    except RecursionError:
        raise Refused(where, ["nested too deeply to be read"]) from None
    except ValueError:
        return _replaced(value, where)


def _is_suspicious(value: Any) -> bool:
    """Whether there may be something to replace.

    Looking at every value in Python would take as long as all the rest of reading; the bytes of a fast encoder tell
    at once. Bytes of a number may look like half a surrogate pair, so a second, slower look follows.
    """
    try:
        data = marshal.dumps(value, _VERSION)
    except ValueError:
        return True  # nested deeper than marshal goes
    return _SURROGATE.search(data) is not None or any(number in data for number in _NOT_FINITE)


def _replaced(value: Any, where: str) -> tuple[Any, list[Loss]]:
    cleaner = Cleaner()
    cleaned = cleaner.clean(value)
    losses = [replace(item, pointer=f"{where}{item.pointer or ''}") for item in cleaner.losses]
    for fault in cleaner.faults:
        at, _, reason = fault.partition(": ")
        losses.append(loss("value_nulled", pointer=where + at, reason=reason))
    return _nulled(cleaned) if cleaner.faults else cleaned, losses


def _nulled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _nulled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_nulled(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
