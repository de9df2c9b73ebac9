"""What is in a store, and how much room it takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection
from typing import Final

from mnemo_lab.store import manifest as files
from mnemo_lab.store.vectors import KINDS

FLOAT: Final = 4


@dataclass(frozen=True, slots=True)
class NamespaceFacts:
    """``pending``: messages and checkpoints that have no vectors yet. ``layouts``: by kind, where saved."""

    name: str
    model: str
    dimension: int
    conversations: int
    messages: int
    checkpoints: int
    vectors: int
    pending: int
    layouts: dict[str, str]


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """``database`` and ``index`` in bytes, without the database's log, which is gone when the store is closed."""

    folder: Path
    version: int
    database: int
    index: int
    namespaces: tuple[NamespaceFacts, ...]

    @property
    def messages(self) -> int:
        return sum(space.messages for space in self.namespaces)

    @property
    def per_message(self) -> float:
        """Bytes of everything, over messages; NaN without any."""
        return (self.database + self.index) / self.messages if self.messages else float("nan")

    @property
    def beside_vectors(self) -> float:
        """The same without one copy of each vector as 4-byte numbers: what a message costs beside its vector.

        The half-precision copy in the database counts, and where an index compresses, so does what that saves.
        """
        vectors = sum(space.vectors * space.dimension * FLOAT for space in self.namespaces)
        return self.per_message - vectors / self.messages if self.messages else float("nan")


def facts_of(connection: Connection, folder: Path, index: Path) -> StoreFacts:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    spaces = connection.execute("SELECT id, name, model, dimension FROM namespaces ORDER BY id").fetchall()
    return StoreFacts(
        folder,
        version,
        pages * size,
        sum(path.stat().st_size for path in index.iterdir()),
        tuple(_namespace(connection, index, *space) for space in spaces),
    )


def _namespace(
    connection: Connection, index: Path, space: int, name: str, model: str, dimension: int
) -> NamespaceFacts:
    (talks,) = connection.execute("SELECT count(*) FROM conversations WHERE namespace = ?", (space,)).fetchone()
    (messages, checkpoints, pending) = connection.execute(
        "SELECT ifnull(sum(i.kind = 'message'), 0), ifnull(sum(i.kind = 'checkpoint'), 0), "
        "ifnull(sum(NOT i.embedded), 0) FROM conversations c JOIN items i ON i.conversation = c.id "
        "WHERE c.namespace = ?",
        (space,),
    ).fetchone()
    (vectors,) = connection.execute("SELECT count(*) FROM vectors WHERE namespace = ?", (space,)).fetchone()
    saved = {kind: files.read(index / f"{space}-{kind}.json") for kind in KINDS}
    layouts: dict[str, str] = {kind: manifest.layout for kind, manifest in saved.items() if manifest}
    return NamespaceFacts(name, model, dimension, talks, messages, checkpoints, vectors, pending, layouts)
