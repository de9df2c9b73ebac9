"""The tables of conversations and checkpoints."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Final

from mnemo_lab.storage.schema import Schema, Step


def _cut_into_words(connection: Connection) -> None:
    """Version 1 knew no words."""
    from mnemo_lab.store.items import add_all_words

    add_all_words(connection)


APPLICATION: Final = 0x4D4E454D
"""``MNEM``, in the file's header: tells a store from any other SQLite file."""
STEPS: Final[tuple[Step, ...]] = (
    (
        "CREATE TABLE store (uuid TEXT NOT NULL)",
        "INSERT INTO store VALUES (lower(hex(randomblob(16))))",
        """CREATE TABLE namespaces (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
            model TEXT NOT NULL DEFAULT '', fingerprint TEXT NOT NULL DEFAULT '',
            dimension INTEGER NOT NULL DEFAULT 0, removals INTEGER NOT NULL DEFAULT 0)""",
        """CREATE TABLE conversations (
            id INTEGER PRIMARY KEY AUTOINCREMENT, namespace INTEGER NOT NULL REFERENCES namespaces,
            name TEXT NOT NULL, info BLOB NOT NULL, UNIQUE (namespace, name))""",
        """CREATE TABLE items (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
            kind TEXT NOT NULL, name TEXT, body BLOB NOT NULL, embedded INTEGER NOT NULL DEFAULT 0,
            UNIQUE (conversation, kind, name))""",
        "CREATE INDEX pending ON items (conversation) WHERE NOT embedded",
        """CREATE TABLE vectors (
            id INTEGER PRIMARY KEY AUTOINCREMENT, namespace INTEGER NOT NULL, kind TEXT NOT NULL,
            item INTEGER NOT NULL REFERENCES items ON DELETE CASCADE, data BLOB NOT NULL)""",
        "CREATE INDEX vectors_of_namespace ON vectors (namespace, kind)",
        "CREATE INDEX vectors_of_item ON vectors (item)",
    ),
    (
        """CREATE TABLE words (
            item INTEGER PRIMARY KEY REFERENCES items ON DELETE CASCADE, namespace INTEGER NOT NULL,
            kind TEXT NOT NULL, terms BLOB NOT NULL)""",
        "CREATE INDEX words_of_namespace ON words (namespace, kind)",
        _cut_into_words,
        "ALTER TABLE store ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE store ADD COLUMN wiped INTEGER NOT NULL DEFAULT 0",
    ),
)
"""``items`` are messages and checkpoints; an id is never used twice (AUTOINCREMENT), so that an id in an index file
always means the same vector. ``words`` are an item's, packed (``storage.full_text``). ``forgotten`` counts calls of
``forget``, ``wiped`` those after which no byte was left: where it is behind, a crash came between."""


def tables() -> Schema:
    return Schema(APPLICATION, STEPS, "give the store a folder of its own")
