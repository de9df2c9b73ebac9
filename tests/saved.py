"""Recordings on disk in the portable format, as a user would have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mnemo_lab.conversation import DocumentMeta
from mnemo_lab.formats.portable import write_file
from mnemo_lab.recording import Recording
from tests.conversations import office_recording

META = DocumentMeta("2026-05-01T00:00:00Z")


def save_recording(recording: Recording, folder: Path) -> Path:
    """One document a conversation, and ``probes.jsonl``."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, conversation in enumerate(recording.conversations):
        write_file(conversation, folder / f"{number}.json", META)
    lines = []
    for p in recording.probes:
        line: dict[str, Any] = {"id": p.id, "question": p.question, "category": p.category}
        line |= {"evidence": list(p.evidence), "answer": p.answer, "after": p.after, "answerable": p.answerable}
        lines.append(json.dumps(line, ensure_ascii=False))
    (folder / "probes.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def save_office(folder: Path) -> Path:
    return save_recording(office_recording(), folder)
