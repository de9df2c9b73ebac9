"""The FAISS indexes of a store: one for each namespace and kind, opened when first used."""

from __future__ import annotations

import threading
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING

from mnemo_lab.storage import files
from mnemo_lab.storage.database import Database
from mnemo_lab.storage.spaces import Space, find_space
from mnemo_lab.storage.vectors import GIVEN, given
from mnemo_lab.store.manifest import file_of
from mnemo_lab.store.vectors import KINDS, Kind, StoredIndex

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors


class Indexes:
    """Safe between threads. ``lock`` is taken before a transaction is begun, never inside one."""

    def __init__(self, folder: Path, database: Database, variant: str, threads: int) -> None:
        self.lock = threading.RLock()
        self._folder, self._database, self._variant, self._threads = folder, database, variant, threads
        self._open: dict[tuple[int, Kind], StoredIndex] = {}
        folder.mkdir(mode=0o700, exist_ok=True)
        with database.read() as connection:
            (self._store,) = connection.execute("SELECT uuid FROM store").fetchone()
            orphans = self._orphans(connection)
        if orphans:
            self._remove_orphans()

    def best_items(
        self, connection: Connection, space: Space, kind: Kind, query: Vectors, k: int
    ) -> list[tuple[int, float]]:
        """Rows of the ``k`` closest messages or checkpoints with scores; each scores as its best vector does."""
        index, wide = self._of(space, kind), k
        while True:
            hits = index.search(connection, query, wide)
            keys = hits.ids.tolist()
            owners = _owners(connection, keys)
            best: dict[int, float] = {}
            for key, score in zip(keys, hits.scores.tolist(), strict=True):
                best.setdefault(owners[key], score)
            if len(best) >= k or len(keys) < wide:
                return list(best.items())[:k]
            wide *= 4

    def follow(self, connection: Connection, space: Space) -> None:
        """Bring a namespace's indexes up to date."""
        for kind in KINDS:
            self._of(space, kind).follow(connection)

    def rebuild(self, namespace: str) -> int:
        """Lay out a namespace anew from the database alone; how many vectors there are."""
        total = 0
        with self.lock:
            for index in self._all_of(namespace):
                with self._database.read() as connection:
                    index.rebuild(connection)
                self._save(index)
                total += len(index)
        return total

    def rewrite(self, namespace: str) -> list[str]:
        """After vectors were removed: files without them; the names of those that are gone."""
        with self.lock:
            gone = self._remove_orphans()
            for index in self._all_of(namespace):
                gone += self._save(index)
        return gone

    def save(self, due_only: bool) -> None:
        """Write what is not on disk yet.

        Files that hold what the database does not are always due: after a database was restored from an older copy,
        the ids in them will be given again.
        """
        with self.lock:
            for index in list(self._open.values()):
                if index.is_due if due_only else index.is_unsaved:
                    self._save(index)

    def _save(self, index: StoredIndex) -> list[str]:
        """The long part first, while others may write. One whose namespace is gone or of another model is dropped."""
        with self._database.read() as connection:
            if index.is_current(connection):
                index.prepare(connection)
        with self._database.write() as connection:
            if index.is_current(connection):
                return index.save(connection)
        self._open = {key: other for key, other in self._open.items() if other is not index}
        return []

    def _all_of(self, namespace: str) -> list[StoredIndex]:
        with self._database.read() as connection:
            space = find_space(connection, namespace)
        return [self._of(space, kind) for kind in KINDS] if space and space.fingerprint else []

    def _of(self, space: Space, kind: Kind) -> StoredIndex:
        """The index in memory, unless it is of another model than the namespace is now."""
        index = self._open.get((space.id, kind))
        if index is None or index.space.fingerprint != space.fingerprint:
            index = StoredIndex(self._folder, self._store, space, kind, self._variant, self._threads)
            self._open[space.id, kind] = index
        return index

    def _remove_orphans(self) -> list[str]:
        """Under the writer's lock, so that no draft is of someone who is about to place it; their names."""
        with self._database.write() as connection:
            return files.remove(self._orphans(connection))

    def _orphans(self, connection: Connection) -> list[Path]:
        """Files of namespaces that are no more or have no vectors, and what a crash left."""
        known = {str(number) for (number,) in connection.execute("SELECT id FROM namespaces WHERE fingerprint <> ''")}
        there = list(self._folder.iterdir())
        kept = {name for path in there if path.suffix == ".json" for name in (path.name, file_of(path))}
        return [path for path in there if path.name not in kept or path.name.partition("-")[0] not in known]


def _owners(connection: Connection, vectors: list[int]) -> dict[int, int]:
    return dict(connection.execute(f"SELECT id, item FROM vectors WHERE id IN {GIVEN}", given(vectors)))
