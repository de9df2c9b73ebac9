"""Conversations of a namespace, and how its vectors are made anew."""

from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection

from mnemo_lab.conversation import ConversationInfo
from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import UnknownName
from mnemo_lab.storage import spaces
from mnemo_lab.storage.spaces import Space, find_space, make_space
from mnemo_lab.storage.values import name_of
from mnemo_lab.store import rows


def adopt(connection: Connection, space: Space, embedder: Embedder) -> Space:
    """The namespace with this embedder as its own; raises ``InvalidInput`` where its vectors are another's."""
    return spaces.adopt(connection, space, embedder, _anew(connection, embedder))


def check_embedder(connection: Connection, space: Space, embedder: Embedder) -> None:
    """Vectors of two models cannot be compared."""
    spaces.check_embedder(space, embedder, _anew(connection, embedder))


def _anew(connection: Connection, embedder: Embedder) -> str:
    (folder,) = (Path(row[2]).parent for row in connection.execute("PRAGMA database_list") if row[1] == "main")
    return f"mnemo store rebuild {folder} --embedder {embedder.name}"


def open_conversation(connection: Connection, namespace: str, info: ConversationInfo) -> tuple[Space, int]:
    """A conversation's namespace and row, made where they are new, with what is known of it now."""
    name, body = name_of(info.id, "the conversation's id"), rows.pack_info(info)
    space = make_space(connection, namespace)
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
        "SELECT id FROM conversations WHERE namespace = ? AND name = ?", (*where, name_of(name, "conversation"))
    ).fetchone()
    if row is None:
        known = connection.execute("SELECT name FROM conversations WHERE namespace = ? LIMIT 20", where)
        raise UnknownName(f"conversation of namespace {namespace!r}", name, (name for (name,) in known))
    return int(row[0])
