"""Memories in one SQLite file, for many namespaces and processes."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import MnemoError
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem, Status
from mnemo_lab.memory.stores import checks, sqlite_schema
from mnemo_lab.memory.stores import sqlite_rows as rows
from mnemo_lab.memory.stores.base import ACTIVE, LIVING, Hit, Receipt, Signal
from mnemo_lab.memory.stores.embedding import Embedding
from mnemo_lab.memory.stores.facts import MemoryFacts
from mnemo_lab.memory.stores.nearest import Nearest, best, by_words
from mnemo_lab.memory.stores.sqlite_check import complaints, facts_of
from mnemo_lab.memory.stores.sqlite_writing import SqliteWriting
from mnemo_lab.memory.stores.undoing import undo
from mnemo_lab.storage import forgetting
from mnemo_lab.storage.database import PLAIN, Database, Driver
from mnemo_lab.storage.spaces import find_space, forget_model, known_space
from mnemo_lab.vectors.variants import AUTO, check_variant

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors


class SqliteStore:
    """One file, readable by its owner only; what a call returned from is on the disk.

    Words and vectors stand in the database; the indexes they are searched with are in memory alone and follow it, so
    that no other file tells of a memory. Vectors are made when a search first needs them. Threads may share a store;
    processes open one each. ``variant``: one of ``vectors.variants`` or ``auto``; ``patience``: seconds to wait for a
    writer, then ``StoreBusy`` comes; ``driver``: another build of SQLite, such as ``storage.encryption.cipher``.
    """

    def __init__(
        self,
        path: Path | str,
        embedder: Embedder | None = None,
        *,
        driver: Driver = PLAIN,
        variant: str = AUTO,
        patience: float = 30.0,
        threads: int = 1,
    ) -> None:
        self.path = Path(path).expanduser()
        self.kind = "SQLCipher" if driver.encrypts else "SQLite"
        check_variant(variant)
        self._database = Database(self.path, sqlite_schema.tables(), patience, driver)
        self._nearest = Nearest(self._database, variant, threads)
        self._embedding = Embedding(embedder)
        self._mine = threading.local()
        forgetting.finish(self._database, lambda: None)

    @property
    def embeds(self) -> bool:
        return self._embedding.is_possible

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def write(self, namespace: str) -> Iterator[SqliteWriting]:
        checks.check_namespace(namespace)
        with self._alone() as connection:
            writing = SqliteWriting(connection, namespace, self._nearest, self._embedding)
            try:
                yield writing
            finally:
                writing.ended = True

    def get(self, namespace: str, id: str) -> MemoryItem:
        with self._database.read() as connection:
            space = find_space(connection, namespace)
            item = rows.read_item(connection, space, id) if space else None
            if item is None:
                raise checks.unknown_item(namespace, id, rows.names(connection, space))
            return item

    def items(
        self, namespace: str, status: Collection[Status] = LIVING, category: str | None = None
    ) -> list[MemoryItem]:
        wanted = checks.check_status(status)
        with self._database.read() as connection:
            space = find_space(connection, namespace)
            return rows.read_status(connection, space, wanted, category) if space else []

    def replaced(self, namespace: str, by: Collection[str]) -> list[MemoryItem]:
        with self._database.read() as connection:
            space = find_space(connection, namespace)
            return rows.read_replaced(connection, space, by) if space else []

    def search(self, namespace: str, query: str, k: int, by: Signal, status: Collection[Status] = ACTIVE) -> list[Hit]:
        checks.check_signal(by)
        wanted = checks.check_status(status)
        vector = self._prepared(namespace, query) if by == "vector" else None
        with self._nearest.committed() as connection:
            space = find_space(connection, namespace)
            if space is None:
                return []
            if vector is None:
                ranked = by_words(connection, space, self._nearest.words(space), query)
            else:
                ranked = self._nearest.by_vector(connection, connection, space, vector)
            return best(connection, ranked, k, wanted)

    def vector_scores(self, namespace: str, query: str, ids: Sequence[str]) -> list[float]:
        vector = self._prepared(namespace, query)
        with self._database.read() as connection:
            space = find_space(connection, namespace)
            known = rows.vectors_of(connection, space, list(ids)) if space else {}
            for id in ids:
                if id not in known:
                    raise checks.unknown_item(namespace, id, rows.names(connection, space))
        return [float(known[id] @ vector) for id in ids]

    def touch(self, namespace: str, ids: Collection[str], at: str) -> None:
        checks.check_time(at)
        checks.check_namespace(namespace)
        with self._alone() as connection:
            space = find_space(connection, namespace)
            if space is not None:
                rows.touch(connection, space, ids, at)

    def log(self, namespace: str, item: str | None = None) -> list[Decision]:
        with self._database.read() as connection:
            space = find_space(connection, namespace)
            return rows.read_log(connection, space, None if item is None else [item]) if space else []

    def undo(self, namespace: str, decision: int, at: str) -> Decision:
        checks.check_time(at)
        with self.write(namespace) as writing:
            return undo(writing, namespace, decision, at)

    def forget(self, namespace: str, ids: Collection[str]) -> Receipt:
        """As every store does. Raises ``StoreBusy`` where a reader of another process still sees what is gone; whoever
        opens the file next finishes, after a crash too."""
        gone = tuple(dict.fromkeys(ids))
        checks.check_namespace(namespace)
        with self._alone() as connection:
            space = find_space(connection, namespace)
            if gone and space is None:
                raise checks.unknown_item(namespace, gone[0], ())
            if space is None or not gone:
                return Receipt(namespace, (), 0, 0, ())
            decisions, vectors = rows.take_out(connection, space, gone)
            turn = forgetting.begin(connection)
        forgetting.end(self._database, turn)
        return Receipt(namespace, gone, decisions, vectors, (self.path.name,))

    def drop_vectors(self, namespace: str) -> None:
        """The next search by vector makes them anew, with its embedder. Raises ``UnknownName``."""
        with self._alone() as connection:
            space = known_space(connection, namespace)
            rows.drop_vectors(connection, space)
            forget_model(connection, space)

    def namespaces(self) -> list[str]:
        with self._database.read() as connection:
            return [name for (name,) in connection.execute("SELECT name FROM namespaces ORDER BY id")]

    def check(self) -> list[str]:
        with self._nearest.committed() as connection:
            return complaints(connection, self.path, self._nearest)

    def facts(self) -> MemoryFacts:
        with self._database.read() as connection:
            return facts_of(connection, self.path, self.kind)

    def _prepared(self, namespace: str, query: str) -> Vectors:
        """A query's vector, once every memory has its own."""
        self._embedding.complete(namespace, self._database.read, self._alone)
        return self._embedding.of_query(query)

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """The only writer of the file."""
        if getattr(self._mine, "writes", False):
            raise MnemoError("this thread is inside write() of the store; use what it gave, or leave it first")
        self._mine.writes = True
        try:
            with self._database.write() as connection:
                yield connection
        finally:
            self._mine.writes = False
