"""What somebody should look at in a memory: no source, something sensitive, unused for long, unsure, in quarantine."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from mnemo_lab.memory.consolidate import LOW_CONFIDENCE
from mnemo_lab.memory.decay import idle_days, prunable
from mnemo_lab.memory.guard import QUARANTINED, orders_the_model
from mnemo_lab.memory.item import MemoryItem

UNSURE: Final = 0.5
"""Confidence below which a memory is to be checked."""
UNUSED: Final = 180
"""Days without use after which it is, however important."""


def concerns_of(item: MemoryItem, now: datetime) -> dict[str, str]:
    """``secret``, ``sensitive`` (with the kinds), ``unsupported``, ``stale`` (with the days), ``low_confidence`` and
    ``quarantined``; the details are empty where there are none."""
    from mnemo_lab.privacy import SECRETS, find_sensitive

    kinds = {found.kind for found in find_sensitive(f"{item.content}\n{item.value}\n{item.subject}")}
    idle = idle_days(item, now)
    personal = sorted(kinds - set(SECRETS))
    found = {
        "secret": ", ".join(sorted(kinds & set(SECRETS))) or None,
        "sensitive": ", ".join(personal) or None,
        "unsupported": "" if not item.sources else None,
        "stale": f"{idle:.0f}" if prunable(item, now) or (item.status == "active" and idle >= UNUSED) else None,
        "low_confidence": "" if LOW_CONFIDENCE in item.flags or item.confidence < UNSURE else None,
        "quarantined": "" if QUARANTINED in item.flags or orders_the_model(item.content) else None,
    }
    return {name: detail for name, detail in found.items() if detail is not None}
