"""What a SQLite file of memories holds, and what may be wrong with it."""

from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection
from typing import Final

from mnemo_lab.memory.stores import checks
from mnemo_lab.memory.stores import sqlite_rows as rows
from mnemo_lab.memory.stores.facts import MemoryFacts, NamespaceFacts, dangling, open_to_others
from mnemo_lab.memory.stores.nearest import Nearest
from mnemo_lab.storage.forgetting import is_unfinished
from mnemo_lab.storage.spaces import Space, find_space

COUNTED: Final = {
    "memories without words": "items i WHERE NOT EXISTS (SELECT 1 FROM words WHERE item = i.id)",
    "words without a memory": "words w WHERE NOT EXISTS (SELECT 1 FROM items WHERE id = w.item)",
    "vectors without a memory": "vectors v WHERE NOT EXISTS (SELECT 1 FROM items WHERE id = v.item)",
    "memories that lost their vector": "items i WHERE embedded "
    "AND NOT EXISTS (SELECT 1 FROM vectors WHERE item = i.id)",
    "memories with several vectors": "items i WHERE (SELECT count(*) FROM vectors WHERE item = i.id) > 1",
    "vectors of another length than their model's": "vectors v JOIN namespaces n ON n.id = v.namespace "
    "WHERE length(v.data) <> 2 * n.dimension",
    "memories no decision tells of": "items i WHERE NOT EXISTS "
    "(SELECT 1 FROM touched WHERE namespace = i.namespace AND name = i.name)",
    "decisions undone by one that is not there": "decisions d WHERE undone_by IS NOT NULL AND NOT EXISTS "
    "(SELECT 1 FROM decisions WHERE id = d.undone_by)",
}


def complaints(connection: Connection, path: Path, nearest: Nearest) -> list[str]:
    found = [f"the file is damaged: {told}" for (told,) in connection.execute("PRAGMA quick_check(20)") if told != "ok"]
    for what, query in COUNTED.items():
        (count,) = connection.execute(f"SELECT count(*) FROM {query}").fetchone()
        if count:
            found.append(f"{count} {what}")
    is_whole = not found
    for space in _spaces(connection):
        found += dangling(space.name, rows.read_status(connection, space, checks.STATUSES))
        found += nearest.out_of_step(connection, space) if is_whole else []
    if is_unfinished(connection):
        found.append(
            "bytes of forgotten memories may be left in the file; close others that read it, and open it again"
        )
    return found + open_to_others(path.with_name(f"{path.name}{end}") for end in ("", "-wal", "-shm"))


def facts_of(connection: Connection, path: Path, kind: str) -> MemoryFacts:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    spaces = tuple(_facts(connection, space) for space in _spaces(connection))
    return MemoryFacts(kind, path, int(version), int(pages) * int(size), spaces)


def _spaces(connection: Connection) -> list[Space]:
    names = [name for (name,) in connection.execute("SELECT name FROM namespaces ORDER BY id")]
    return [space for name in names if (space := find_space(connection, name))]


def _facts(connection: Connection, space: Space) -> NamespaceFacts:
    def count(query: str) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {query} AND namespace = ?", (space.id,)).fetchone()[0])

    statuses = dict(
        connection.execute("SELECT status, count(*) FROM items WHERE namespace = ? GROUP BY status", (space.id,))
    )
    return NamespaceFacts(
        space.name,
        statuses,
        count("decisions WHERE 1"),
        count("vectors WHERE 1"),
        count("items WHERE NOT embedded"),
        space.model,
        space.dimension,
    )
