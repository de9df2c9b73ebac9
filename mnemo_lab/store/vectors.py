"""The FAISS index of one namespace and kind: loaded from its file, made true by the database, written back."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from sqlite3 import Connection
from typing import Final, Literal

from mnemo_lab.storage import files
from mnemo_lab.storage.spaces import Space
from mnemo_lab.storage.vectors import HALF, WHOLE, FollowingIndex, Precision
from mnemo_lab.store import manifest as manifests
from mnemo_lab.store.manifest import Manifest, members, ranges

Kind = Literal["message", "checkpoint"]
KINDS: Final[tuple[Kind, ...]] = ("message", "checkpoint")
PRECISION: Final[dict[Kind, Precision]] = {"message": HALF, "checkpoint": WHOLE}
"""Messages are many. A checkpoint's embedding is given back."""
SAVED_EVERY: Final = 1_000
SAVED_SHARE: Final = 0.2
"""The file is written again when so many vectors, and such a share of them, are not in it."""


class StoredIndex(FollowingIndex):
    """A following index with a file of its own. Not safe between threads by itself."""

    def __init__(self, folder: Path, store: str, space: Space, kind: Kind, variant: str, threads: int) -> None:
        super().__init__(space, kind, PRECISION[kind], variant, threads)
        self._store = store
        self.manifest = folder / f"{space.id}-{kind}.json"
        self._loaded = False
        self._unsaved = 0
        self.has_ghosts = False
        """Whether the file holds vectors that have been removed."""

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

    def rebuild(self, connection: Connection) -> None:
        """Lay out anew from the database alone."""
        with self._viewing(connection):
            self._loaded, self._removals = True, self._removals_now()
            self._vectors.ids = self._ids_after(0)
            self._vectors.rebuild()
            self.last, self._unsaved = max(self._vectors.ids, default=0), len(self)

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
        manifests.write(self.manifest, self._described(named.name, digest))
        self._unsaved, self.has_ghosts = 0, False
        return manifests.remove_others(self.manifest, named.name)

    def _described(self, file: str, digest: str) -> Manifest:
        space, index = self.space, self._vectors
        return Manifest(
            store=self._store,
            namespace=space.id,
            kind=self._kind,
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

    def _follow(self) -> tuple[int, int]:
        if not self._loaded:
            self._load()
        gone, fresh = super()._follow()
        self.has_ghosts |= gone > 0
        self._unsaved += fresh
        return gone, fresh

    def _load(self) -> None:
        """The index from its file where that is whole and ours; whatever is wrong with it, the database knows."""
        self._loaded = True
        found = manifests.read(self.manifest) or manifests.read(self.manifest)  # replaced by another process in between
        if found is None or not self._is_ours(found):
            return
        file = self.manifest.with_name(found.file)
        with suppress(ValueError, OSError):
            ids = members(found.ids, most=file.stat().st_size)
            self._vectors.read(file, found.layout, found.built_for, ids)

    def _is_ours(self, found: Manifest) -> bool:
        space = self.space
        theirs = (found.store, found.namespace, found.kind, found.fingerprint, found.variant)
        return theirs == (self._store, space.id, self._kind, space.fingerprint, self._vectors.variant)
