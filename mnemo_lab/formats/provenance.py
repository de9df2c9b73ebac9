"""What a portable file says of how it was made."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from mnemo_lab.conversation import DocumentMeta
from mnemo_lab.formats.fitting import Fit
from mnemo_lab.formats.preparing import Prepared, Settings
from mnemo_lab.losses import count_by_code

KEY: Final = "mnemo_lab"
"""Under this name in ``meta.extensions``."""


def meta_of(one: Prepared, source_format: str, settings: Settings, now: datetime) -> DocumentMeta:
    """The source's own meta with exporter, strategy, budget and counts of losses of this conversion."""
    fit = Fit.of(settings.strategy, settings.max_tokens, settings.model)
    record: dict[str, Any] = {
        "exporter": settings.exporter,
        "source_format": source_format,
        "strategy": str(fit.strategy) if fit else None,
        "budget": {"tokens": fit.tokens, "encoding": fit.counter.encoding, "used": one.cut and one.cut.tokens}
        if fit
        else None,
        "redacted": settings.redact,
        "losses": count_by_code(one.losses),
    }
    kept = dict(one.meta.extensions) if one.meta else {}
    tool = (one.meta.source_tool if one.meta else None) or source_format
    moment = now.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return DocumentMeta(moment, settings.exporter, tool, kept | {KEY: record})
