"""Memories in one JSON file that a person can read, written anew at every change."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.stores.facts import open_to_others
from mnemo_lab.memory.stores.in_memory import VERSION, InMemoryStore, Space
from mnemo_lab.storage import files
from mnemo_lab.storage.database import StoreBusy

FORMAT: Final = "mnemo-lab memory"
_PLAIN: Final = tuple(field.name for field in fields(Decision) if field.name not in ("before", "after"))


class JsonStore(InMemoryStore):
    """For some thousand memories: every change writes the whole file (a draft, brought to the disk, then renamed).

    Processes take turns under a lock file beside it, and see each other's changes. Vectors are in memory only.
    ``patience``: seconds to wait for another writer, then ``StoreBusy`` comes. Raises ``InvalidInput`` for a file that
    is none of this store.
    """

    kind = "JSON"
    path: Path

    def __init__(self, path: Path | str, embedder: Embedder | None = None, patience: float = 30.0) -> None:
        super().__init__(embedder)
        self.path, self._patience = Path(path).expanduser().resolve(), patience
        self._seen: tuple[int, ...] | None = None
        with self._held():
            self._draft.unlink(missing_ok=True)
            self._spaces_now()

    def check(self) -> list[str]:
        return super().check() + open_to_others([self.path, self._lock_file])

    @property
    def _draft(self) -> Path:
        return self.path.with_name(f"{self.path.name}.draft")

    @property
    def _lock_file(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    @contextmanager
    def _held(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._lock_file, os.O_RDWR | os.O_CREAT, files.PRIVATE)
        except OSError as error:
            raise InvalidInput(f"{self.path} cannot be opened as a store: {error.strerror}") from error
        try:
            self._wait_for(handle)
            yield
        finally:
            os.close(handle)

    def _wait_for(self, handle: int) -> None:
        deadline, pause = time.monotonic() + self._patience, 0.001
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if time.monotonic() > deadline:
                raise StoreBusy(f"{self.path} was held by another process for {self._patience:g} s; try again")
            time.sleep(pause)
            pause = min(2 * pause, 0.02)

    def _spaces_now(self) -> dict[str, Space]:
        """As the file has it: read again where another process has written it."""
        with self._lock:
            super()._spaces_now()
            if self._seen != _signature(self.path):
                self._read()
            return self._spaces

    def _read(self) -> None:
        self._words.clear()
        try:
            with self.path.open("rb") as stream:
                self._seen = _signed(os.fstat(stream.fileno()))
                text = stream.read().decode("utf-8", "surrogatepass")
        except FileNotFoundError:
            self._spaces, self._seen = {}, None
            return
        except OSError as error:
            raise InvalidInput(f"{self.path} cannot be opened as a store: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{self.path} is no UTF-8 text ({error}); restore it from a copy") from error
        self._spaces, self._made = _from_text(text, self.path)

    def _publish(self, spaces: dict[str, Space], made: int) -> tuple[str, ...]:
        text = _to_text(spaces, made).encode("utf-8", "surrogatepass")
        with self._lock:
            files.place(files.draft(self.path, lambda path: path.write_bytes(text)), self.path)
            self._seen = _signature(self.path)
            super()._publish(spaces, made)
        return (self.path.name,)


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        return _signed(path.stat())
    except FileNotFoundError:
        return None


def _signed(found: os.stat_result) -> tuple[int, ...]:
    return found.st_ino, found.st_mtime_ns, found.st_size


def _to_text(spaces: Mapping[str, Space], made: int) -> str:
    namespaces = {
        name: {
            "items": [item.to_json() for item in space.listed(("active", "outdated", "forgotten"))],
            "decisions": [_row(decision) for decision in space.decisions.values()],
        }
        for name, space in spaces.items()
    }
    whole = {"format": FORMAT, "version": VERSION, "decisions_made": made, "namespaces": namespaces}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _row(decision: Decision) -> dict[str, Any]:
    plain = {name: getattr(decision, name) for name in _PLAIN if name != "namespace"}
    sides = {"before": decision.before, "after": decision.after}
    return plain | {name: [item.to_json() for item in items] for name, items in sides.items()}


def _from_text(text: str, path: Path) -> tuple[dict[str, Space], int]:
    try:
        whole = json.loads(text)
        if not isinstance(whole, dict) or whole.get("format") != FORMAT:
            raise InvalidInput(f"{path} is no store of memories: it lacks the format {FORMAT!r}; choose another file")
        if whole["version"] > VERSION:
            raise InvalidInput(
                f"{path} has version {whole['version']} and this mnemo-lab knows versions up to {VERSION}; "
                "upgrade with: pip install -U mnemo-lab"
            )
        spaces = {name: _space(name, given) for name, given in whole["namespaces"].items()}
        return spaces, int(whole["decisions_made"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        kind = type(error).__name__
        raise InvalidInput(
            f"{path} is damaged ({kind}: {error}); mend it by hand, or restore it from a copy"
        ) from error


def _space(name: str, given: Mapping[str, Any]) -> Space:
    decisions = [
        Decision(
            **row | {side: tuple(map(MemoryItem.from_json, row[side])) for side in ("before", "after")}, namespace=name
        )
        for row in given["decisions"]
    ]
    items = [MemoryItem.from_json(row) for row in given["items"]]
    told = [item.namespace for item in items] + [item.namespace for d in decisions for item in (*d.before, *d.after)]
    if set(told) - {name} or len({item.id for item in items}) < len(items):
        raise ValueError(f"namespace {name!r} holds memories of another one, or two with one id")
    return Space.of(items, decisions)
