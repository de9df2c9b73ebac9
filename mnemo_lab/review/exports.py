"""Where memories were exported to, so that forgetting reaches these copies."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.review.page import review_of
from mnemo_lab.review.transfer import document_of
from mnemo_lab.storage import files

if TYPE_CHECKING:
    from mnemo_lab.memory.stores.base import MemoryStore


@dataclass(frozen=True, slots=True)
class Export:
    """``digest``: sha256 of the file as it was written."""

    path: str
    namespace: str
    language: str
    digest: str = ""


@dataclass(slots=True)
class Copies:
    """What became of exports that told of what was forgotten: made anew without it, or not touched because somebody
    edited them (or they cannot be written); and how many of the noted ones there are."""

    rewritten: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    known: int = 0


class Exports:
    """A list in a file beside the database, its owner's alone: paths, no memories. Raises ``InvalidInput`` where that
    file cannot be read."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}.exports.json")
        try:
            rows = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else []
            self.noted = [Export(**row) for row in rows]
        except (OSError, ValueError, TypeError) as error:
            raise InvalidInput(
                f"{self.path} cannot be read ({error}); look after the exports it names yourself and delete it"
            ) from error

    def write(self, store: MemoryStore, export: Export, now: str) -> dict[str, int]:
        """Write an export, ``.json`` or Markdown, and note it; secrets taken out, by kind."""
        path = Path(export.path)
        if path.suffix.lower() == ".json":
            text, secrets = document_of(store, export.namespace, now)
        else:
            page = review_of(store, export.namespace, now, export.language)
            text, secrets = page.text, dict(page.secrets)
        try:
            files.place(files.draft(path, lambda made: made.write_bytes(text.encode("utf-8", "replace"))), path)
        except OSError as error:
            raise InvalidInput(f"{path}: cannot be written ({error.strerror}); check the path") from error
        self.noted = [one for one in self.noted if one.path != export.path]
        self.noted.append(replace(export, digest=files.digest(path)))
        self._save()
        return secrets

    def forget(self, store: MemoryStore, namespace: str, gone: Collection[MemoryItem], now: str) -> Copies:
        """Make those anew that tell of what is gone (``gone``: it in all its versions), unless they were edited."""
        copies = Copies()
        self.noted = [export for export in self.noted if Path(export.path).is_file()]
        for export in [one for one in self.noted if one.namespace == namespace]:
            copies.known += 1
            path = Path(export.path)
            if not _tells(path, gone):
                continue
            done = not self.was_edited(path) and self._made_anew(store, export, now)
            (copies.rewritten if done and not _tells(path, gone) else copies.left).append(export.path)
        if self.path.exists():
            self._save()
        return copies

    def was_edited(self, path: Path) -> bool:
        """Whether a noted export is no more as it was written, as far as it can be read."""
        digests = [one.digest for one in self.noted if one.path == str(path) and path.is_file()]
        try:
            return bool(digests) and files.digest(path) not in digests
        except OSError:
            return True

    def _made_anew(self, store: MemoryStore, export: Export, now: str) -> bool:
        try:
            self.write(store, export, now)
        except InvalidInput:
            return False
        return True

    def _save(self) -> None:
        text = json.dumps([asdict(export) for export in self.noted], ensure_ascii=False, indent=1) + "\n"
        files.place(files.draft(self.path, lambda made: made.write_text(text, encoding="utf-8")), self.path)


def versions_of(store: MemoryStore, namespace: str, ids: Collection[str]) -> list[MemoryItem]:
    """Items in all their versions that the store knows of. Raises ``UnknownName``."""
    wanted = set(ids)
    found = [store.get(namespace, id) for id in ids]
    for id in ids:
        told = (item for decision in store.log(namespace, id) for item in (*decision.before, *decision.after))
        found += [item for item in told if item.id in wanted]
    return found


def _tells(path: Path, gone: Collection[MemoryItem]) -> bool:
    """Whether a file does, or cannot be read to see."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    flat = " ".join(text.split())
    return any(item.id in text or " ".join(item.content.split()) in flat for item in gone)
