"""One SQLite file, many readers beside one writer, in threads and processes."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from weakref import WeakSet

from mnemo_lab.errors import InvalidInput, MnemoError
from mnemo_lab.storage.files import PRIVATE
from mnemo_lab.storage.schema import Schema

SETTINGS: Final = ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON", "temp_store = MEMORY")
"""FULL: a commit has reached the disk. MEMORY: no text in temporary files."""
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class StoreBusy(MnemoError):
    """Another connection held the store for longer than one was willing to wait."""


@dataclass(frozen=True, slots=True)
class Driver:
    """A build of SQLite: a module with the interface of ``sqlite3``.

    ``first`` is what each connection is told before anything else; ``damaged`` is what a file that it cannot read may
    be, and what to do then.
    """

    module: Any = sqlite3
    first: tuple[str, ...] = ()
    damaged: str = "is damaged or no store ({error}); restore it from a copy"
    encrypts: bool = False


PLAIN: Final = Driver()


class Database:
    """Connections to one file, readable by its owner only. An idle connection is used again by whoever needs one.

    ``patience``: seconds to wait for another writer. Raises ``InvalidInput`` for a file that is no store, is damaged
    or of a newer version, ``StoreBusy`` when patience ends.
    """

    def __init__(self, path: Path, schema: Schema, patience: float, driver: Driver = PLAIN) -> None:
        self.path, self.driver, self._patience, self._process = path, driver, patience, os.getpid()
        self._idle: deque[sqlite3.Connection] = deque()
        self._closed = False
        _make_private(path)
        self._patiently_turn_on_wal()
        _opened.add(self)
        with self.read() as connection:
            is_current = schema.is_current(connection)
        if not is_current:
            with self.write() as connection:
                schema.migrate(connection, str(path))

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One view of the data for everything read inside, whatever is written meanwhile."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """The only writer; committed at the end, rolled back where an error leaves."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def wipe(self, patience: float | None = None) -> None:
        """Leave no byte of what was deleted in the file or its log; ``patience`` other than the store's, in seconds.

        ``secure_delete`` alone does not do: copies of rows that moved between pages stay in their gaps. So the file
        is written anew and the log emptied. Raises ``StoreBusy`` where a reader still holds an older view.
        """
        with self._connection() as connection:
            wait(connection, self._patience if patience is None else patience)
            try:
                connection.execute("VACUUM")
                (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                wait(connection, self._patience)
        if busy:
            raise StoreBusy(
                f"another reader holds an older view of {self.path}, so that its log still has deleted rows; "
                "close it and forget again"
            )

    def close(self) -> None:
        self._closed = True
        _opened.discard(self)
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._connection() as connection:
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise MnemoError(f"the store {self.path.parent} is closed; open it again")
        if os.getpid() != self._process:
            raise MnemoError(f"the store {self.path.parent} was opened before this process forked; open it here")
        with self._explained():
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                yield connection
            finally:
                connection.close() if self._closed else self._idle.append(connection)

    def _connect(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = self.driver.module.connect(
            self.path, timeout=self._patience, isolation_level=None, check_same_thread=False
        )
        for statement in (*self.driver.first, *(f"PRAGMA {setting}" for setting in SETTINGS)):
            connection.execute(statement)
        return connection

    def _patiently_turn_on_wal(self) -> None:
        """Changing the journal's mode does not wait for others by itself."""
        deadline = time.monotonic() + self._patience
        with self._connection() as connection:
            while True:
                try:
                    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
                    break
                except self.driver.module.OperationalError as error:
                    if error.sqlite_errorcode not in _BUSY or time.monotonic() > deadline:
                        raise
                    time.sleep(0.01)
        if mode != "wal":
            raise InvalidInput(f"{self.path}: this file system cannot share a log between processes; use a local disk")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """SQLite's errors in words that say what to do."""
        try:
            yield
        except self.driver.module.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _BUSY:
                raise StoreBusy(
                    f"{self.path} was held by another process for {self._patience:g} s; try again"
                ) from error
            if code in _DAMAGED:
                raise InvalidInput(f"{self.path} {self.driver.damaged.format(error=error)}") from error
            if isinstance(error, self.driver.module.OperationalError):  # disk full, not writable, …
                raise MnemoError(f"{self.path}: {error}") from error
            raise


def wait(connection: sqlite3.Connection, seconds: float) -> None:
    connection.execute(f"PRAGMA busy_timeout = {round(1000 * seconds)}")


_opened: Final[WeakSet[Database]] = WeakSet()


def open_here(path: Path) -> Database | None:
    """The database that this process has open on a file.

    Who opens and closes such a file by other means takes away this process's locks on it (POSIX), and another process
    may then remove the log that it goes on writing into.
    """
    with suppress(OSError):
        return next((one for one in _opened if one.path.samefile(path)), None)
    return None


def _make_private(path: Path) -> None:
    """Created for its owner alone; SQLite gives its companions the same mode."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            with suppress(FileNotFoundError):
                path.with_name(name).chmod(PRIVATE)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be opened as a store: {error.strerror}") from error
