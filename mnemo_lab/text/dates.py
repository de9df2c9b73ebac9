"""A date in the words people ask with."""

from __future__ import annotations

from typing import Final

from mnemo_lab.conversation import time_of

MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def date_words(timestamp: str | None, language: str) -> str:
    """``8 May 2023`` or ``2023年5月8日``; ``""`` where there is no readable date."""
    moment = time_of(timestamp)
    if moment is None:
        return ""
    if language == "zh":
        return f"{moment.year}年{moment.month}月{moment.day}日"
    return f"{moment.day} {MONTH_NAMES[moment.month - 1]} {moment.year}"
