"""Whether a sample is a Claude Code session."""

from __future__ import annotations

from mnemo_lab.formats.base import Detection, Sample


def detect(sample: Sample) -> Detection | None:
    """Judge by records with ``uuid`` and ``sessionId``; a file may begin with summaries and snapshots alone."""
    records = [record for record in sample.records if isinstance(record, dict)]
    if any("uuid" in record and "sessionId" in record and "type" in record for record in records):
        return Detection(0.95, "has records with uuid, sessionId and type")
    if any(record.get("type") == "summary" and "leafUuid" in record for record in records):
        return Detection(0.7, "has a summary with leafUuid")
    if any(record.get("type") == "file-history-snapshot" for record in records):
        return Detection(0.7, "has a file-history-snapshot")
    if any("parentUuid" in record and "message" in record for record in records):
        return Detection(0.6, "has records with parentUuid and message")
    return None
