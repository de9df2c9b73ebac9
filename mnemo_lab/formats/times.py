"""Times as tools write them, to ISO 8601 text; absent stays absent, never 1970."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any, Final

from mnemo_lab.conversation import time_of

_SECONDS: Final = 1e11
_MILLISECONDS: Final = 1e14
_MICROSECONDS: Final = 1e17


def iso_time(value: Any) -> str | None:
    """ISO 8601 text in UTC from epoch seconds, milliseconds, micro- or nanoseconds (told by magnitude).

    Text that is already ISO 8601 stays as written. ``None`` for null, zero, negative, NaN and what cannot be read.
    """
    if isinstance(value, str):
        text = value.strip()
        if text.replace(".", "", 1).isdigit() and len(text) >= 9:
            return iso_time(float(text))
        return text if time_of(text) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return None
    return _from_seconds(_seconds(float(value)))


def _seconds(value: float) -> float:
    if value < _SECONDS:
        return value
    if value < _MILLISECONDS:
        return value / 1e3
    return value / 1e6 if value < _MICROSECONDS else value / 1e9


def _from_seconds(seconds: float) -> str | None:
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    text = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return text.replace("+00:00", "Z")
