"""Whether a sample is a Codex rollout."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

from mnemo_lab.formats.base import Detection, Sample
from mnemo_lab.formats.codex.rollout import BARE_ITEMS

_TYPES: Final = frozenset("session_meta response_item event_msg turn_context compacted".split())


def detect(sample: Sample) -> Detection | None:
    """Judge by lines with ``type`` and ``payload``; older files by their bare items behind a line of session data."""
    records = [record for record in sample.records if isinstance(record, dict)]
    if any(_is_type(record, _TYPES) and isinstance(record.get("payload"), dict) for record in records):
        return Detection(0.95, "has lines with type and payload")
    if not any(_is_type(record, BARE_ITEMS) for record in records):
        return None
    if any("record_type" in record or {"id", "timestamp", "instructions"} <= record.keys() for record in records):
        return Detection(0.8, "has session data and bare items, as older rollouts do")
    named = PurePath(sample.path).name.startswith("rollout-")
    return Detection(0.6, "is named rollout-… and has bare items") if named else None


def _is_type(record: dict[str, Any], types: frozenset[str]) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind in types
