"""The tables, as a list of steps: a file of an older version is brought up step by step, a newer one is refused."""

from __future__ import annotations

from collections.abc import Callable
from sqlite3 import Connection
from typing import Final

from mnemo_lab.errors import InvalidInput


def _cut_into_words(connection: Connection) -> None:
    """Version 1 knew no words."""
    from mnemo_lab.store.items import add_all_words

    add_all_words(connection)


Step = tuple[str | Callable[[Connection], None], ...]

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
"""Step ``n`` makes version ``n + 1``. ``items`` are messages and checkpoints; an id is never used twice
(AUTOINCREMENT), so that an id in an index file always means the same vector. ``words`` are an item's, packed
(``full_text``). ``forgotten`` counts calls of ``forget``, ``wiped`` those after which no byte was left: where it is
behind, a crash came between."""


def is_current(connection: Connection) -> bool:
    """Whether there is nothing to do, so that who opens a store need not wait for who writes into it."""
    found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    return found == [APPLICATION, len(STEPS)]


def migrate(connection: Connection, path: str) -> None:
    """Bring the tables up to date, in the caller's write transaction.

    Raises ``InvalidInput`` for a file of a newer version or of another program.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION and (version or tables):
        raise InvalidInput(f"{path} is a database of another program; give the store a folder of its own")
    if version > len(STEPS):
        raise InvalidInput(
            f"{path} has version {version} and this mnemo-lab knows versions up to {len(STEPS)}; "
            "upgrade with: pip install -U mnemo-lab"
        )
    for part in (part for step in STEPS[version:] for part in step):
        connection.execute(part) if isinstance(part, str) else part(connection)
    if version < len(STEPS):
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(STEPS)}")
