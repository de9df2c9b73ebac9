"""Messages, checkpoints and vectors as rows: what the store does inside a transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import product
from sqlite3 import Connection, IntegrityError
from typing import TYPE_CHECKING, Final, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.hydration.index import description_text
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.storage import full_text
from mnemo_lab.storage.spaces import Space, count_removal, find_space, forget_model
from mnemo_lab.storage.values import name_of
from mnemo_lab.storage.vectors import from_bytes, to_bytes
from mnemo_lab.store import rows
from mnemo_lab.store.vectors import KINDS, PRECISION, Kind

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

AT_ONCE: Final = 1_000
"""Rows that are cut into words together."""
_INSERT: Final = "INSERT INTO items (conversation, kind, name, body) VALUES (?, ?, ?, ?)"


class Pending(NamedTuple):
    """A row without vectors, and the texts to embed for it."""

    item: int
    kind: Kind
    texts: list[str]


def add_messages(connection: Connection, space: Space, conversation: int, messages: Sequence[Message]) -> None:
    """Raises ``InvalidInput`` for an id that the conversation has already; messages without one may be many."""
    texts: dict[int, str] = {}
    for message in messages:
        name = name_of(message.id, "a message's id") if message.id else None
        try:
            made = connection.execute(_INSERT, (conversation, "message", name, rows.pack_message(message)))
        except IntegrityError:
            raise InvalidInput(
                f"the conversation has a message {message.id!r} already; append only what is new"
            ) from None
        texts[int(made.lastrowid or 0)] = message_text(message)
    full_text.add_words(connection, space.id, "message", texts)


def replace_checkpoint(connection: Connection, space: Space, conversation: int, checkpoint: Checkpoint) -> None:
    name = name_of(checkpoint.id, "a checkpoint's id")
    where = "conversation = ? AND kind = 'checkpoint' AND name = ?"
    if connection.execute(f"DELETE FROM items WHERE {where}", (conversation, name)).rowcount:
        count_removal(connection, space.id)
    row = (conversation, "checkpoint", name, rows.pack_checkpoint(checkpoint))
    item = int(connection.execute(_INSERT, row).lastrowid or 0)
    full_text.add_words(connection, space.id, "checkpoint", {item: description_text(checkpoint)})
    if checkpoint.embedding and checkpoint.embedder == space.fingerprint:
        import numpy as np

        vector = np.asarray([checkpoint.embedding], dtype=np.float32)
        keep_vectors(connection, space, Pending(item, "checkpoint", []), vector)


def drop_checkpoints(connection: Connection, space: Space, but: Collection[str]) -> int:
    """Those of a namespace whose ids are not among ``but``; how many there were."""
    found = connection.execute(
        "SELECT i.id, i.name FROM conversations c JOIN items i ON i.conversation = c.id "
        "WHERE c.namespace = ? AND i.kind = 'checkpoint'",
        (space.id,),
    )
    gone = [(item,) for item, name in found if name not in but]
    connection.executemany("DELETE FROM items WHERE id = ?", gone)
    if gone:
        count_removal(connection, space.id)
    return len(gone)


def keep_vectors(connection: Connection, space: Space, pending: Pending, vectors: Vectors) -> int:
    """Vectors of one row, unless it has gone or got them meanwhile; how many were kept."""
    done = connection.execute("UPDATE items SET embedded = 1 WHERE id = ? AND NOT embedded", (pending.item,))
    if not done.rowcount:
        return 0
    made = [(space.id, pending.kind, pending.item, to_bytes(vector, PRECISION[pending.kind])) for vector in vectors]
    connection.executemany("INSERT INTO vectors (namespace, kind, item, data) VALUES (?, ?, ?, ?)", made)
    return len(made)


def pending_items(connection: Connection, space: Space, most: int) -> list[Pending]:
    """The oldest rows of a namespace that have no vectors."""
    found = connection.execute(
        "SELECT i.id, i.kind, i.body FROM conversations c JOIN items i ON i.conversation = c.id AND NOT i.embedded "
        "WHERE c.namespace = ? ORDER BY i.id LIMIT ?",
        (space.id, most),
    )
    return [Pending(item, kind, _texts(kind, body)) for item, kind, body in found]


def read_checkpoints(connection: Connection, space: Space, conversation: int | None) -> list[Checkpoint]:
    """With their embeddings where they have one."""
    found = connection.execute(
        "SELECT i.body, v.data FROM conversations c JOIN items i ON i.conversation = c.id "
        "LEFT JOIN vectors v ON v.item = i.id "
        "WHERE c.namespace = ? AND i.kind = 'checkpoint' AND c.id = ifnull(?, c.id) ORDER BY i.id",
        (space.id, conversation),
    )
    return [_checkpoint(body, data, space) for body, data in found]


def read_item(connection: Connection, space: Space, item: int) -> tuple[str, Message | Checkpoint]:
    """A row's conversation and what it holds."""
    name, kind, body, data = connection.execute(
        "SELECT c.name, i.kind, i.body, v.data FROM items i JOIN conversations c ON c.id = i.conversation "
        "LEFT JOIN vectors v ON v.item = i.id WHERE i.id = ? LIMIT 1",
        (item,),
    ).fetchone()
    return name, rows.unpack_message(body) if kind == "message" else _checkpoint(body, data, space)


def take_out(connection: Connection, namespace: str, conversation: str) -> tuple[int, int, int]:
    """Delete a conversation with all that hangs on it, and its namespace with the last one.

    How many messages, checkpoints and vectors there were.
    """
    space = find_space(connection, namespace)
    if space is None:
        return 0, 0, 0
    key = (space.id, name_of(conversation, "the conversation's id"))
    conversation_row = "(SELECT id FROM conversations WHERE namespace = ? AND name = ?)"
    (messages, checkpoints, vectors) = connection.execute(
        "SELECT ifnull(sum(kind = 'message'), 0), ifnull(sum(kind = 'checkpoint'), 0), "
        "ifnull(sum((SELECT count(*) FROM vectors WHERE item = items.id)), 0) "
        f"FROM items WHERE conversation = {conversation_row}",
        key,
    ).fetchone()
    if connection.execute("DELETE FROM conversations WHERE namespace = ? AND name = ?", key).rowcount:
        count_removal(connection, space.id)
    connection.execute(
        "DELETE FROM namespaces WHERE id = ? AND NOT EXISTS (SELECT 1 FROM conversations WHERE namespace = ?)",
        (space.id, space.id),
    )
    return messages, checkpoints, vectors


def message_text(message: Message) -> str:
    """What of a message keywords are looked for in: what is embedded, with its date and speaker once."""
    first, *_ = index_passages(message, prefix=True)
    return first + "".join(index_passages(message, prefix=False)[1:])


def add_all_words(connection: Connection) -> None:
    """Cut every stored text into words."""
    spaces = connection.execute("SELECT id FROM namespaces").fetchall()
    for (space,), kind in product(spaces, KINDS):
        found = connection.execute(
            "SELECT i.id, i.body FROM conversations c JOIN items i ON i.conversation = c.id "
            "WHERE c.namespace = ? AND i.kind = ? ORDER BY i.id",
            (space, kind),
        )
        while some := found.fetchmany(AT_ONCE):
            full_text.add_words(connection, space, kind, {item: _text(kind, body) for item, body in some})


def drop_vectors(connection: Connection, space: Space) -> None:
    """Everything of the namespace is to be embedded again, by whichever embedder comes next."""
    connection.execute("DELETE FROM vectors WHERE namespace = ?", (space.id,))
    connection.execute(
        "UPDATE items SET embedded = 0 WHERE conversation IN (SELECT id FROM conversations WHERE namespace = ?)",
        (space.id,),
    )
    forget_model(connection, space)


def _texts(kind: Kind, body: bytes) -> list[str]:
    """To embed."""
    return index_passages(rows.unpack_message(body), prefix=True) if kind == "message" else [_text(kind, body)]


def _text(kind: Kind, body: bytes) -> str:
    """To look for keywords in."""
    return (
        message_text(rows.unpack_message(body)) if kind == "message" else description_text(rows.unpack_checkpoint(body))
    )


def _checkpoint(body: bytes, data: bytes | None, space: Space) -> Checkpoint:
    checkpoint = rows.unpack_checkpoint(body)
    if data is None:
        return checkpoint
    (vector,) = from_bytes([data], PRECISION["checkpoint"], space.dimension)
    return replace(checkpoint, embedding=tuple(map(float, vector)), embedder=space.fingerprint)
