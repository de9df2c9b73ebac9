from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.corpora.helpers import Write


@pytest.fixture
def public_data() -> Path:
    """The folder with public data sets; skips where there is none."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("MNEMO_DATA_DIR") or beside)
    if not folder.is_dir():
        pytest.skip(f"public data sets are not here: set MNEMO_DATA_DIR (looked in {folder})")
    return folder


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a conversation document: ``write("a/01.json", [("user", "hi", "m1"), …], id="c1")``."""

    def document(name: str, messages: list[tuple[Any, ...]], id: str = "c1") -> Path:
        entries = []
        for role, content, *rest in messages:
            entry = {"role": role, "content": content}
            if rest and rest[0]:
                entry["id"] = rest[0]
            entries.append(entry | (rest[1] if len(rest) > 1 else {}))
        value = {
            "version": "1.1.0",
            "meta": {"exported_at": "2026-03-01T00:00:00Z"},
            "conversation": {"id": id, "messages": entries},
        }
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        return path

    return document


@pytest.fixture
def write_probes(tmp_path: Path) -> Write:
    """Writes lines, each an object or raw text."""

    def lines(name: str, *entries: dict[str, Any] | str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "\n".join(e if isinstance(e, str) else json.dumps(e, ensure_ascii=False) for e in entries)
        path.write_text(text, encoding="utf-8")
        return path

    return lines
