"""Forgetting that a crash cannot leave half done: ``store`` counts what was begun, and what no byte was left of."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from sqlite3 import Connection

from mnemo_lab.storage.database import Database, StoreBusy


def begin(connection: Connection) -> int:
    """In the transaction that takes rows out; the number to ``end``."""
    ((turn,),) = connection.execute("UPDATE store SET forgotten = forgotten + 1 RETURNING forgotten").fetchall()
    return int(turn)


def end(database: Database, turn: int) -> None:
    """Write the file anew without what was taken out. Raises ``StoreBusy``; whoever opens next then goes on."""
    database.wipe()
    with database.write() as connection:
        connection.execute("UPDATE store SET wiped = max(wiped, ?)", (turn,))


def is_unfinished(connection: Connection) -> bool:
    (forgotten, wiped) = connection.execute("SELECT forgotten, wiped FROM store").fetchone()
    return bool(wiped < forgotten)


def finish(database: Database, rewrite: Callable[[], object]) -> None:
    """Do what a process left undone that died while it forgot. Who finds others at work leaves it to the next.

    ``rewrite`` makes files beside the database anew.
    """
    with database.read() as connection:
        if not is_unfinished(connection):
            return
        (forgotten,) = connection.execute("SELECT forgotten FROM store").fetchone()
    with suppress(StoreBusy):
        rewrite()
        database.wipe(patience=0)
        with database.write() as connection:
            connection.execute("UPDATE store SET wiped = max(wiped, ?)", (forgotten,))
