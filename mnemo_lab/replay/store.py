"""The run store: manifest, append-only rows, candidates. A torn last line is repaired when it is opened."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.candidates import Shortlists, read_shortlists, write_shortlists
from mnemo_lab.replay.rows import to_json

ROWS: Final = "rows.jsonl"
MANIFEST: Final = "manifest.json"
TIMINGS: Final = "timings.jsonl"


class RunStore:
    """One run's folder; with ``folder=None`` everything stays in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.rows: dict[str, dict[str, Any]] = {}
        self._shortlists: dict[str, Shortlists] = {}
        self._more: dict[str, list[dict[str, Any]]] = {}
        if folder is not None:
            _make(folder)
            self.rows = {row["key"]: row for row in _read_lines(folder / ROWS, ("key", "error"))}

    def add(self, cell: str, rows: Iterable[dict[str, Any]], shortlists: Shortlists | None) -> None:
        """Keep one cell's candidates, then its rows that are new: rows are the promise that all is there."""
        fresh = [row for row in rows if self.missing(row["key"])]
        if shortlists is not None:
            self._shortlists[cell] = shortlists
            if self.folder is not None:
                write_shortlists(self.folder / "candidates" / f"{cell}.npz", shortlists)
        if self.folder is not None and fresh:
            _append(self.folder / ROWS, [to_json(row) for row in fresh])
        self.rows.update({row["key"]: row for row in fresh})

    def missing(self, key: str) -> bool:
        """Whether a row is still to be computed; one that failed is tried again."""
        row = self.rows.get(key)
        return row is None or row["error"] is not None

    def shortlists(self, cell: str) -> Shortlists | None:
        """The candidates of one recording under one strategy, ``None`` where it does not rank."""
        if cell not in self._shortlists and self.folder is not None:
            path = self.folder / "candidates" / f"{cell}.npz"
            if path.exists():
                self._shortlists[cell] = read_shortlists(path)
        return self._shortlists.get(cell)

    def lines(self, name: str, needed: Sequence[str] = ()) -> list[dict[str, Any]]:
        """The records of a later stage, kept beside the rows and as safely; a later one overrules an earlier."""
        if name not in self._more:
            self._more[name] = [] if self.folder is None else _read_lines(self.folder / name, needed)
        return self._more[name]

    def append(self, name: str, record: dict[str, Any]) -> None:
        """Keep one more record of a later stage."""
        self.lines(name).append(record)
        if self.folder is not None:
            _append(self.folder / name, [to_json(record)])

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        if self.folder is not None:
            draft = self.folder / f".{MANIFEST}.draft"
            draft.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            draft.replace(self.folder / MANIFEST)

    def read_manifest(self) -> dict[str, Any] | None:
        path = None if self.folder is None else self.folder / MANIFEST
        if path is None or not path.exists():
            return None
        try:
            manifest: dict[str, Any] = _record(path.read_text(encoding="utf-8"), ("grid", "dataset"))
        except ValueError as error:
            raise InvalidInput(f"{path}: not a run's manifest ({error}); delete it to run again") from None
        return manifest

    def write_timings(self, rows: list[dict[str, Any]]) -> None:
        if self.folder is not None:
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (self.folder / TIMINGS).write_text(text, encoding="utf-8")

    def read_timings(self) -> list[dict[str, Any]]:
        return _read_lines(self.folder / TIMINGS) if self.folder is not None else []


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"cannot write the run into {folder}: {error.strerror}; choose another --out") from None


def _append(path: Path, lines: list[str]) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.write("".join(f"{line}\n" for line in lines))
        stream.flush()
        os.fsync(stream.fileno())


def _record(text: str | bytes, needed: Sequence[str]) -> dict[str, Any]:
    """A JSON object with the keys that are needed; raises ``ValueError``."""
    value = json.loads(text)
    lacking = [key for key in needed if not isinstance(value, dict) or key not in value]
    if lacking:
        raise ValueError(f"it has no {lacking[0]!r}")
    record: dict[str, Any] = value
    return record


def _read_lines(path: Path, needed: Sequence[str] = ()) -> list[dict[str, Any]]:
    """All whole lines; a killed writer's torn last line is cut off the file."""
    if not path.exists():
        return []
    raw = path.read_bytes()
    whole = raw.rfind(b"\n") + 1
    if whole < len(raw):
        with path.open("r+b") as stream:
            stream.truncate(whole)
    found = []
    for number, line in enumerate(raw[:whole].splitlines(), 1):
        try:
            found.append(_record(line, needed))
        except ValueError:
            raise InvalidInput(f"{path}:{number}: not a row; delete that line to compute it again") from None
    return found
