"""Mined probes as lines of a ``probes.jsonl``, which ``load`` and ``mnemo run --dataset`` read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mnemo_lab.conversation import Message
from mnemo_lab.formats.json_values import Cleaner
from mnemo_lab.recording import Probe


def to_lines(probes: Iterable[Probe], messages: Iterable[Message], prefix: str = "") -> str:
    """One JSON object a line, ids behind the prefix; spans are written as the text they cover."""
    by_id = {message.id: message for message in messages}
    lines = (_line(probe, by_id) | {"id": f"{prefix}{probe.id}"} for probe in probes)
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def _line(probe: Probe, by_id: Mapping[str, Message]) -> dict[str, Any]:
    spans = [{"message": s.message_id, "text": by_id[s.message_id].text[s.start : s.end]} for s in probe.spans]
    line = {
        "id": probe.id,
        "question": probe.question,
        "category": probe.category,
        "evidence": list(probe.evidence),
        "spans": spans,
        "after": probe.after,
        "asked_at": probe.asked_at,
        **probe.extensions,
    }
    cleaned: dict[str, Any] = Cleaner().clean({key: value for key, value in line.items() if value is not None})
    return cleaned
