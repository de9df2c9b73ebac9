"""The FAISS index of one namespace and kind: loaded from its file, made true by the database, written back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING, Final, Literal

from mnemo_lab.store import manifest as files
from mnemo_lab.store.manifest import Manifest, members, ranges
from mnemo_lab.store.namespaces import Space
from mnemo_lab.vectors.index import VectorIndex

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors
    from mnemo_lab.vectors.base import Hits

Kind = Literal["message", "checkpoint"]
KINDS: Final[tuple[Kind, ...]] = ("message", "checkpoint")
PRECISION: Final = {"message": "<f2", "checkpoint": "<f4"}
"""Messages are many, and half precision moves a cosine by less than 0.001. A checkpoint's embedding is given back."""
SAVED_EVERY: Final = 1_000
SAVED_SHARE: Final = 0.2
"""The file is written again when so many vectors, and such a share of them, are not in it."""
GIVEN: Final = "(SELECT value FROM json_each(?))"
"""Any number of ids in one parameter."""


def given(ids: Sequence[int]) -> tuple[str]:
    """The parameter of ``GIVEN``."""
    return (json.dumps(ids),)


def to_bytes(vector: Vectors, kind: Kind) -> bytes:
    return vector.astype(PRECISION[kind]).tobytes()


def from_bytes(rows: Sequence[bytes], kind: Kind, dimension: int) -> Vectors:
    """Rows of float32, shape ``(len(rows), dimension)``."""
    import numpy as np

    return np.frombuffer(b"".join(rows), dtype=PRECISION[kind]).reshape(-1, dimension).astype(np.float32)


class StoredIndex:
    """Every call gets the connection whose view of the data counts. Not safe between threads by itself."""

    def __init__(self, folder: Path, store: str, space: Space, kind: Kind, variant: str, threads: int) -> None:
        self.space, self.kind, self._store = space, kind, store
        self.manifest = folder / f"{space.id}-{kind}.json"
        self._vectors = VectorIndex(variant, space.dimension, self._fetch, threads)
        self._view: Connection | None = None
        self._loaded = False
        self._last = self._unsaved = 0
        self._removals: int | None = None
        self.has_ghosts = False
        """Whether the file holds vectors that have been removed."""

    def __len__(self) -> int:
        return len(self._vectors)

    @property
    def is_due(self) -> bool:
        """Whether the file should be written again."""
        return self.has_ghosts or self._unsaved >= max(SAVED_EVERY, SAVED_SHARE * len(self))

    @property
    def is_unsaved(self) -> bool:
        return self.has_ghosts or self._unsaved > 0

    def is_current(self, connection: Connection) -> bool:
        """Whether the namespace is there and its vectors are of the model this index is of."""
        where = (self.space.id, self.space.fingerprint)
        return bool(connection.execute("SELECT 1 FROM namespaces WHERE id = ? AND fingerprint = ?", where).fetchall())

    def search(self, connection: Connection, query: Vectors, k: int) -> Hits:
        """Ids of the closest vectors, true to what ``connection`` sees."""
        with self._viewing(connection):
            self._follow()
            return self._vectors.search(query[None, :], k)[0]

    def follow(self, connection: Connection) -> None:
        """Take in what was added and drop what was removed since, by whichever process."""
        with self._viewing(connection):
            self._follow()

    def rebuild(self, connection: Connection) -> None:
        """Lay out anew from the database alone."""
        with self._viewing(connection):
            self._loaded, self._removals = True, self._removals_now()
            self._vectors.ids = self._ids_after(0)
            self._vectors.rebuild()
            self._last, self._unsaved = max(self._vectors.ids, default=0), len(self)

    def prepare(self, connection: Connection) -> None:
        """Do what ``save`` would have to do first."""
        with self._viewing(connection):
            self._follow()
            self._vectors.compact()

    def save(self, connection: Connection) -> list[str]:
        """Write index and manifest; the names of the files that are gone for it.

        ``connection`` must be the writer's, so that no one else writes or forgets meanwhile. The manifest names the
        index file, which is new each time: until the manifest is replaced the old pair stands.
        """
        with self._viewing(connection):
            self._follow()
            made = files.draft(self.manifest.with_suffix(".faiss"), self._vectors.write)
        digest = files.digest(made)
        named = self.manifest.with_name(f"{self.manifest.stem}-{digest[:16]}.faiss")
        files.place(made, named)
        files.write(self.manifest, self._described(named.name, digest))
        self._unsaved, self.has_ghosts = 0, False
        return files.remove_others(self.manifest, named.name)

    def _described(self, file: str, digest: str) -> Manifest:
        space, index = self.space, self._vectors
        return Manifest(
            store=self._store,
            namespace=space.id,
            kind=self.kind,
            model=space.model,
            fingerprint=space.fingerprint,
            dimension=space.dimension,
            variant=index.variant,
            layout=index.kind,
            built_for=index.built_for,
            count=len(index),
            ids=ranges(index.ids),
            file=file,
            digest=digest,
        )

    def _follow(self) -> None:
        if not self._loaded:
            self._load()
        removals = self._removals_now()
        if self._removals != removals:
            ghosts = self._vectors.ids - self._ids_after(0)
            self._vectors.remove(ghosts)
            self.has_ghosts |= bool(ghosts)
            self._removals = removals
        seen = self._ids_after(self._last)
        fresh = sorted(seen - self._vectors.ids)
        if fresh:
            self._vectors.add(fresh, self._fetch(fresh))
        self._last, self._unsaved = max(seen, default=self._last), self._unsaved + len(fresh)

    def _load(self) -> None:
        """The index from its file where that is whole and ours; whatever is wrong with it, the database knows."""
        self._loaded = True
        found = files.read(self.manifest) or files.read(self.manifest)  # replaced by another process in between
        if found is None or not self._is_ours(found):
            return
        file = self.manifest.with_name(found.file)
        with suppress(ValueError, OSError):
            ids = members(found.ids, most=file.stat().st_size)
            self._vectors.read(file, found.layout, found.built_for, ids)

    def _is_ours(self, found: Manifest) -> bool:
        space = self.space
        theirs = (found.store, found.namespace, found.kind, found.fingerprint, found.variant)
        return theirs == (self._store, space.id, self.kind, space.fingerprint, self._vectors.variant)

    @property
    def _connection(self) -> Connection:
        assert self._view is not None
        return self._view

    def _removals_now(self) -> int:
        row = self._connection.execute("SELECT removals FROM namespaces WHERE id = ?", (self.space.id,)).fetchone()
        return int(row[0]) if row else -1

    def _ids_after(self, last: int) -> set[int]:
        found = self._connection.execute(
            "SELECT id FROM vectors WHERE namespace = ? AND kind = ? AND id > ?", (self.space.id, self.kind, last)
        )
        return {key for (key,) in found}

    def _fetch(self, ids: Sequence[int]) -> Vectors:
        found = dict(self._connection.execute(f"SELECT id, data FROM vectors WHERE id IN {GIVEN}", given(ids)))
        return from_bytes([found[key] for key in ids], self.kind, self.space.dimension)

    @contextmanager
    def _viewing(self, connection: Connection) -> Iterator[None]:
        self._view = connection
        try:
            yield
        finally:
            self._view = None
