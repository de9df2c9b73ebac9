"""Values from a file made safe: no lone surrogates, nothing JSON lacks; times as ISO 8601."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from mnemo_lab.conversation import time_of
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.histories.fields import plain
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.json_values import Cleaner, Trail
from mnemo_lab.formats.times import iso_time

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)


def tidy(value: Any, place: str, trail: Trail, ledger: Ledger) -> Any:
    """A value that was JSON, clean: the same where nothing has to be done, a copy otherwise.

    What JSON lacks (NaN, infinity) becomes null. Raises ``Refused`` where it is nested too deeply.
    """
    if _is_tidy(value):
        return value
    cleaner = Cleaner()
    try:
        clean = cleaner.clean(value, trail)
        ledger.extend(cleaner.losses)
        if not cleaner.faults:
            return clean
        for fault in cleaner.faults:
            ledger.add("value_nulled", pointer=fault.partition(": ")[0], reason=fault.partition(": ")[2])
        return _nulled(clean)
    except RecursionError:
        raise Refused(place, ["nested too deeply to be read"]) from None


def _is_tidy(value: Any) -> bool:
    """Most values are, and encoding one takes a fraction of the time of copying it."""
    try:
        _ENCODER.encode(value).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _nulled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _nulled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_nulled(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def stamp(value: Any, ledger: Ledger, pointer: str, message_id: str = "") -> str | None:
    """A time as ISO 8601; text that is none is kept and listed."""
    moment = iso_time(value)
    if moment is None:
        if not isinstance(value, str) or not value.strip():
            return None
        ledger.add("unreadable_timestamp", message_id=message_id, pointer=pointer, value=shorten(value))
        return plain(value)
    if not moment.endswith("Z") and _is_naive(moment):
        ledger.count("timezone_guessed", message_id=message_id, pointer=pointer)
    return moment


def _is_naive(moment: str) -> bool:
    # time_of reads a naive time as UTC, so a zone put behind it is refused only where there was one.
    return time_of(f"{moment}+00:00") is not None
