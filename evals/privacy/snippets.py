"""The measuring set: ``datasets/privacy/snippets.jsonl``, one marked snippet a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Half = Literal["dev", "test"]
FILE: Final = Path(__file__).resolve().parents[2] / "datasets" / "privacy" / "snippets.jsonl"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text of one kind; offsets count code points, ``end`` is past the last."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text and everything in it that must go; ``group`` is ``secret``, ``personal`` or ``negative`` (no spans)."""

    id: str
    language: str
    split: Half
    group: str
    text: str
    spans: tuple[Span, ...]


def read_snippets(half: Half | None = None) -> list[Snippet]:
    """All snippets, or those of one half."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    found = [_snippet(json.loads(line)) for line in lines]
    return [snippet for snippet in found if half in (None, snippet.split)]


def _snippet(row: dict[str, object]) -> Snippet:
    spans = tuple(Span(**span) for span in row.pop("spans"))  # type: ignore[attr-defined]
    return Snippet(**row, spans=spans)  # type: ignore[arg-type]
