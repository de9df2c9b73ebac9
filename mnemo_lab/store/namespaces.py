"""Namespaces and the embedder that each one's vectors are of; every look-up in the store goes through here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from sqlite3 import Connection

from mnemo_lab.conversation import ConversationInfo
from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.store import rows


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace. ``fingerprint`` is ``""`` and ``dimension`` 0 before its first vector.

    ``removals`` counts how often vectors were taken out: an index in memory that knows another count has ghosts.
    """

    id: int
    name: str
    model: str
    fingerprint: str
    dimension: int
    removals: int


def find_space(connection: Connection, namespace: str) -> Space | None:
    """Raises ``InvalidInput`` for a name that cannot be one."""
    rows.name_of(namespace, "the namespace")
    row = connection.execute(
        "SELECT id, name, model, fingerprint, dimension, removals FROM namespaces WHERE name = ?", (namespace,)
    ).fetchone()
    return Space(*row) if row else None


def known_space(connection: Connection, namespace: str) -> Space:
    """Raises ``UnknownName``."""
    space = find_space(connection, namespace)
    if space is None:
        known = connection.execute("SELECT name FROM namespaces LIMIT 20")
        raise UnknownName("namespace", namespace, (name for (name,) in known))
    return space


def adopt(connection: Connection, space: Space, embedder: Embedder) -> Space:
    """The namespace with this embedder as its own; raises ``InvalidInput`` where its vectors are another's."""
    if space.fingerprint:
        check_embedder(connection, space, embedder)
        return space
    model = (embedder.name, embedder.fingerprint, embedder.dimension)
    connection.execute(
        "UPDATE namespaces SET model = ?, fingerprint = ?, dimension = ? WHERE id = ?", (*model, space.id)
    )
    return replace(space, model=embedder.name, fingerprint=embedder.fingerprint, dimension=embedder.dimension)


def check_embedder(connection: Connection, space: Space, embedder: Embedder) -> None:
    """Vectors of two models cannot be compared."""
    if (space.fingerprint, space.dimension) != (embedder.fingerprint, embedder.dimension):
        (folder,) = (Path(row[2]).parent for row in connection.execute("PRAGMA database_list") if row[1] == "main")
        raise InvalidInput(
            f"namespace {space.name!r} holds vectors of {space.model} ({space.fingerprint}, {space.dimension} "
            f"dimensions) and this embedder is {embedder.name} ({embedder.fingerprint}, {embedder.dimension}); open "
            f"the store with {space.model}, or make the vectors anew with: "
            f"mnemo store rebuild {folder} --embedder {embedder.name}"
        )


def open_conversation(connection: Connection, namespace: str, info: ConversationInfo) -> tuple[Space, int]:
    """A conversation's namespace and row, made where they are new, with what is known of it now."""
    name, body = rows.name_of(info.id, "the conversation's id"), rows.pack_info(info)
    if find_space(connection, namespace) is None:
        connection.execute("INSERT INTO namespaces (name) VALUES (?)", (namespace,))
    space = known_space(connection, namespace)
    found = connection.execute("SELECT id, info FROM conversations WHERE namespace = ? AND name = ?", (space.id, name))
    known: tuple[int, bytes] | None = found.fetchone()
    if known is None:
        values = (space.id, name, body)
        made = connection.execute("INSERT INTO conversations (namespace, name, info) VALUES (?, ?, ?)", values)
        return space, int(made.lastrowid or 0)
    if known[1] != body:
        connection.execute("UPDATE conversations SET info = ? WHERE id = ?", (body, known[0]))
    return space, known[0]


def find_conversation(connection: Connection, namespace: str, name: str) -> int:
    """The row of a conversation; raises ``UnknownName``."""
    space = find_space(connection, namespace)
    where = (space.id if space else 0,)
    row = connection.execute(
        "SELECT id FROM conversations WHERE namespace = ? AND name = ?", (*where, rows.name_of(name, "conversation"))
    ).fetchone()
    if row is None:
        known = connection.execute("SELECT name FROM conversations WHERE namespace = ? LIMIT 20", where)
        raise UnknownName(f"conversation of namespace {namespace!r}", name, (name for (name,) in known))
    return int(row[0])


def count_removal(connection: Connection, space: int) -> None:
    """Tell every index in memory, of this process and others, that vectors have gone."""
    connection.execute("UPDATE namespaces SET removals = removals + 1 WHERE id = ?", (space,))
