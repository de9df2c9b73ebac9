"""Vectors as bytes in a row, and the FAISS index of one namespace and kind that follows them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from sqlite3 import Connection
from typing import TYPE_CHECKING, Final, Literal

from mnemo_lab.storage.spaces import Space
from mnemo_lab.vectors.index import VectorIndex

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors
    from mnemo_lab.vectors.base import Hits

Precision = Literal["<f2", "<f4"]
HALF: Final = "<f2"
"""Moves a cosine by less than 0.001."""
WHOLE: Final = "<f4"
GIVEN: Final = "(SELECT value FROM json_each(?))"
"""Any number of ids in one parameter."""


def given(ids: Sequence[int] | Sequence[str]) -> tuple[str]:
    """The parameter of ``GIVEN``."""
    return (json.dumps(ids),)


def to_bytes(vector: Vectors, precision: Precision) -> bytes:
    return vector.astype(precision).tobytes()


def from_bytes(rows: Sequence[bytes], precision: Precision, dimension: int) -> Vectors:
    """Rows of float32, shape ``(len(rows), dimension)``."""
    import numpy as np

    return np.frombuffer(b"".join(rows), dtype=precision).reshape(-1, dimension).astype(np.float32)


class FollowingIndex:
    """Every call gets the connection whose view of the data counts. Not safe between threads by itself."""

    def __init__(self, space: Space, kind: str, precision: Precision, variant: str, threads: int) -> None:
        self.space, self._kind, self._precision = space, kind, precision
        self.last = 0
        """The highest id seen: what is above has come since."""
        self._vectors = VectorIndex(variant, space.dimension, self._fetch, threads)
        self._view: Connection | None = None
        self._removals: int | None = None

    def __len__(self) -> int:
        return len(self._vectors)

    def search(self, connection: Connection, query: Vectors, k: int, allowed: Collection[int] | None = None) -> Hits:
        """Ids of the closest vectors (among ``allowed``), true to what ``connection`` sees."""
        with self._viewing(connection):
            self._follow()
            return self._vectors.search(query[None, :], k, allowed)[0]

    def follow(self, connection: Connection) -> None:
        """Take in what was added and drop what was removed since, by whichever process."""
        with self._viewing(connection):
            self._follow()

    def _follow(self) -> tuple[int, int]:
        """How many vectors it dropped, and how many it took in."""
        removals, ghosts = self._removals_now(), set[int]()
        if self._removals != removals:
            ghosts = self._vectors.ids - self._ids_after(0)
            self._vectors.remove(ghosts)
            self._removals = removals
        seen = self._ids_after(self.last)
        fresh = sorted(seen - self._vectors.ids)
        if fresh:
            self._vectors.add(fresh, self._fetch(fresh))
        self.last = max(seen, default=self.last)
        return len(ghosts), len(fresh)

    @property
    def _connection(self) -> Connection:
        assert self._view is not None
        return self._view

    def _removals_now(self) -> int:
        row = self._connection.execute("SELECT removals FROM namespaces WHERE id = ?", (self.space.id,)).fetchone()
        return int(row[0]) if row else -1

    def _ids_after(self, last: int) -> set[int]:
        found = self._connection.execute(
            "SELECT id FROM vectors WHERE namespace = ? AND kind = ? AND id > ?", (self.space.id, self._kind, last)
        )
        return {key for (key,) in found}

    def _fetch(self, ids: Sequence[int]) -> Vectors:
        found = dict(self._connection.execute(f"SELECT id, data FROM vectors WHERE id IN {GIVEN}", given(ids)))
        return from_bytes([found[key] for key in ids], self._precision, self.space.dimension)

    @contextmanager
    def _viewing(self, connection: Connection) -> Iterator[None]:
        self._view = connection
        try:
            yield
        finally:
            self._view = None
