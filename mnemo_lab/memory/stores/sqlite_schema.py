"""The tables of memories in SQLite."""

from __future__ import annotations

from typing import Final

from mnemo_lab.storage.schema import Schema, Step

APPLICATION: Final = 0x4D4E4D4F
"""``MNMO``, in the file's header."""
CATEGORY: Final = "json_extract(CAST(body AS TEXT), '$.category')"
OF_CATEGORY: Final = f"{CATEGORY} = json_extract(CAST(? AS TEXT), '$')"
"""Given as it stands in a body: packed, lone surrogates too."""
SUCCESSOR: Final = "json_extract(CAST(body AS TEXT), '$.superseded_by')"
STEPS: Final[tuple[Step, ...]] = (
    (
        "CREATE TABLE store (uuid TEXT NOT NULL, forgotten INTEGER NOT NULL, wiped INTEGER NOT NULL)",
        "INSERT INTO store VALUES (lower(hex(randomblob(16))), 0, 0)",
        """CREATE TABLE namespaces (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
            model TEXT NOT NULL DEFAULT '', fingerprint TEXT NOT NULL DEFAULT '',
            dimension INTEGER NOT NULL DEFAULT 0, removals INTEGER NOT NULL DEFAULT 0)""",
        """CREATE TABLE items (
            id INTEGER PRIMARY KEY AUTOINCREMENT, namespace INTEGER NOT NULL REFERENCES namespaces,
            name TEXT NOT NULL, place INTEGER NOT NULL, status TEXT NOT NULL,
            slot INTEGER NOT NULL, content INTEGER NOT NULL, accessed TEXT, uses INTEGER NOT NULL,
            body BLOB NOT NULL, embedded INTEGER NOT NULL DEFAULT 0, UNIQUE (namespace, name))""",
        "CREATE INDEX items_of_status ON items (namespace, status)",
        "CREATE INDEX items_of_slot ON items (namespace, slot)",
        "CREATE INDEX items_of_content ON items (namespace, content)",
        "CREATE INDEX pending ON items (namespace) WHERE NOT embedded",
        """CREATE TABLE words (
            item INTEGER PRIMARY KEY REFERENCES items ON DELETE CASCADE, namespace INTEGER NOT NULL,
            kind TEXT NOT NULL, terms BLOB NOT NULL)""",
        "CREATE INDEX words_of_namespace ON words (namespace, kind)",
        """CREATE TABLE vectors (
            id INTEGER PRIMARY KEY AUTOINCREMENT, namespace INTEGER NOT NULL, kind TEXT NOT NULL,
            item INTEGER NOT NULL REFERENCES items ON DELETE CASCADE, data BLOB NOT NULL)""",
        "CREATE INDEX vectors_of_namespace ON vectors (namespace, kind)",
        "CREATE INDEX vectors_of_item ON vectors (item)",
        """CREATE TABLE decisions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, namespace INTEGER NOT NULL REFERENCES namespaces,
            undone_by INTEGER, body BLOB NOT NULL)""",
        "CREATE INDEX decisions_of_namespace ON decisions (namespace)",
        """CREATE TABLE touched (
            id INTEGER PRIMARY KEY AUTOINCREMENT, namespace INTEGER NOT NULL, name TEXT NOT NULL,
            decision INTEGER NOT NULL)""",
        "CREATE INDEX touched_by_name ON touched (namespace, name)",
    ),
    (
        f"CREATE INDEX items_of_category ON items (namespace, {CATEGORY})",
        f"CREATE INDEX items_of_successor ON items (namespace, {SUCCESSOR}) WHERE {SUCCESSOR} IS NOT NULL",
    ),
)
"""A row of ``items`` is one text of a memory: another text is another row in the same ``place``, so that words and
vectors of a row never change. ``slot`` and ``content`` are hashes of the keys of that name. ``accessed`` and ``uses``
are apart from the body, which ``touch`` leaves alone. ``touched`` says which decisions tell of which memory; its first
row of a name is that memory's ``place``."""


def tables() -> Schema:
    return Schema(APPLICATION, STEPS, "choose another file for memories")
