"""Makes the vectors a SQLite file lacks, and those of questions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from sqlite3 import Connection
from typing import TYPE_CHECKING, Final

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.stores import checks
from mnemo_lab.memory.stores import sqlite_rows as rows
from mnemo_lab.storage.spaces import Space, adopt, check_embedder, find_space

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

BATCH: Final = 128
"""Memories that are embedded between two commits."""
ANEW: Final = "store.drop_vectors(namespace), and a search with the new embedder"
Transaction = Callable[[], AbstractContextManager[Connection]]


class Embedding:
    """Raises ``InvalidInput`` where there is no embedder, or a namespace's vectors are of another one."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._last: tuple[str, Vectors] | None = None
        self._passage: tuple[str, Vectors] | None = None

    @property
    def is_possible(self) -> bool:
        return self._embedder is not None

    def of_query(self, query: str) -> Vectors:
        """The last one is kept: a question is asked for several lists."""
        known = self._last
        if known is None or known[0] != query:
            known = self._last = (query, self._needed.encode([query], "query")[0])
        return known[1]

    def of_passage(self, text: str) -> Vectors:
        """The last one is kept until vectors are written: what was compared is not embedded again."""
        (vector,) = self._encoded([text])
        self._passage = (text, vector)
        return vector

    def _encoded(self, texts: list[str]) -> list[Vectors]:
        known = dict([self._passage] if self._passage else [])
        fresh = [text for text in dict.fromkeys(texts) if text not in known]
        if fresh:
            known.update(zip(fresh, self._needed.encode(fresh), strict=True))
        return [known[text] for text in texts]

    def complete(self, namespace: str, read: Transaction, write: Transaction) -> None:
        """Make every vector that is missing; while the embedder works, nobody waits."""
        with self._lock:
            while True:
                with read() as connection:
                    some = self._pending(connection, self._checked(connection, namespace))
                if not some:
                    return
                vectors = self._encoded(list(some.values()))
                with write() as connection:
                    self._keep(connection, self._checked(connection, namespace), some, vectors)

    def complete_inside(self, connection: Connection, namespace: str) -> Space | None:
        """The same in a writer's transaction, for what it has written too; the namespace as it is then."""
        while some := self._pending(connection, self._checked(connection, namespace)):
            vectors = self._encoded(list(some.values()))
            self._keep(connection, self._checked(connection, namespace), some, vectors)
        return find_space(connection, namespace)

    @property
    def _needed(self) -> Embedder:
        if self._embedder is None:
            raise InvalidInput(checks.NO_EMBEDDER)
        return self._embedder

    def _checked(self, connection: Connection, namespace: str) -> Space | None:
        embedder, space = self._needed, find_space(connection, namespace)
        if space is not None and space.fingerprint:
            check_embedder(space, embedder, ANEW)
        return space

    def _pending(self, connection: Connection, space: Space | None) -> dict[int, str]:
        return dict(rows.pending(connection, space, BATCH)) if space else {}

    def _keep(self, connection: Connection, space: Space | None, some: dict[int, str], vectors: list[Vectors]) -> None:
        self._passage = None
        if space is not None:
            rows.keep_vectors(connection, adopt(connection, space, self._needed, ANEW), list(some), vectors)
