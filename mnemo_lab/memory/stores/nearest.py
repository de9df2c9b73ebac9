"""The closest memories of one SQLite file, by word or by vector, with the statuses that are asked for."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from sqlite3 import Connection
from typing import TYPE_CHECKING, Final

from mnemo_lab.memory.item import Status
from mnemo_lab.memory.stores import sqlite_rows as rows
from mnemo_lab.memory.stores.base import Hit
from mnemo_lab.storage.database import Database
from mnemo_lab.storage.full_text import WordIndex, words_after
from mnemo_lab.storage.spaces import Space, find_space
from mnemo_lab.storage.vectors import GIVEN, HALF, FollowingIndex, from_bytes, given

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

Scored = list[tuple[int, float]]
Ranked = Callable[[int, Sequence[Status] | None], tuple[Scored, bool]]
"""Rows from best to worst: so many of all, or of those with a status; and whether there are no more."""
WIDER: Final = 4
MORE: Final = 16
"""So many times ``k``, and so many more, are looked at first, in the hope that enough of them have the right status."""


def best(connection: Connection, ranked: Ranked, k: int, status: Sequence[Status]) -> list[Hit]:
    """The ``k`` closest that have one of the statuses."""
    if k <= 0 or not status:
        return []
    found, is_all = ranked(WIDER * k + MORE, None)
    hits = rows.hits(connection, found, status, k)
    if len(hits) < k and not is_all:
        return rows.hits(connection, ranked(k, status)[0], status, k)
    return hits


class Nearest:
    """Indexes in memory that follow the database. Safe between threads: its lock is taken before a reader's
    transaction is begun, so that they never go back; who holds it waits for no writer.
    """

    def __init__(self, database: Database, variant: str, threads: int) -> None:
        self._lock = threading.RLock()
        self._database, self._variant, self._threads = database, variant, threads
        self._words: dict[int, WordIndex] = {}
        self._vectors: dict[int, FollowingIndex] = {}

    @contextmanager
    def committed(self) -> Iterator[Connection]:
        """A reader's view that the indexes may follow."""
        with self._lock, self._database.read() as connection:
            yield connection

    def words(self, space: Space) -> WordIndex:
        """Under the lock."""
        return self._words.setdefault(space.id, WordIndex())

    def words_apart(self, space: Space) -> WordIndex:
        """A copy for a writer: what it takes in may be rolled back."""
        with self._lock:
            return copy.copy(self._words.get(space.id) or WordIndex())

    def out_of_step(self, connection: Connection, space: Space) -> list[str]:
        """What an index in memory has and the database does not, or the other way round; in a committed view."""
        here: dict[str, WordIndex | FollowingIndex] = {}
        if words := self._words.get(space.id):
            words.follow(space.removals, partial(words_after, connection, space.id, rows.KIND))
            here["words"] = words
        if vectors := self._vectors.get(space.id):
            vectors.follow(connection)
            here["vectors"] = vectors
        found = []
        for name, index in here.items():
            query = f"SELECT count(*) FROM {name} WHERE namespace = ?"
            (there,) = connection.execute(query, (space.id,)).fetchone()
            if len(index) != there:
                found.append(f"namespace {space.name!r}: the index of {name} has {len(index)}, the database {there}")
        return found

    def by_vector(self, committed: Connection, view: Connection, space: Space, query: Vectors) -> Ranked:
        """What the index knows is what was committed; what ``view`` has beyond that is compared one by one."""

        def ranked(wide: int, status: Sequence[Status] | None) -> tuple[Scored, bool]:
            allowed = None if status is None else _vectors_of(view, space, status)
            index, found = self._index(committed, space), []
            if index is not None:
                hits = index.search(committed, query, wide, allowed)
                found = list(zip(hits.ids.tolist(), hits.scores.tolist(), strict=True))
            is_all = len(found) < wide
            fresh = _compared(view, space, index.last if index else 0, query)
            found += [(key, score) for key, score in fresh if is_all or score >= found[-1][1]]
            found.sort(key=lambda pair: -pair[1])
            owners = _owners(view, [key for key, _ in found])
            return [(owners[key], score) for key, score in found if key in owners], is_all

        return ranked

    def _index(self, committed: Connection, space: Space) -> FollowingIndex | None:
        """Of the namespace as it was committed; ``None`` where it has no vectors."""
        there = find_space(committed, space.name)
        if there is None or not there.fingerprint or there.id != space.id:
            return None
        index = self._vectors.get(there.id)
        if index is None or index.space.fingerprint != there.fingerprint:
            index = FollowingIndex(there, rows.KIND, HALF, self._variant, self._threads)
            self._vectors[there.id] = index
        return index


def by_words(connection: Connection, space: Space, index: WordIndex, query: str) -> Ranked:
    index.follow(space.removals, partial(words_after, connection, space.id, rows.KIND))

    def ranked(wide: int, status: Sequence[Status] | None) -> tuple[Scored, bool]:
        found = index.search(query, wide, None if status is None else rows.rows_of(connection, space, status))
        return found, len(found) < wide

    return ranked


def _vectors_of(connection: Connection, space: Space, status: Sequence[Status]) -> list[int]:
    found = connection.execute(
        f"SELECT v.id FROM items i JOIN vectors v ON v.item = i.id WHERE i.namespace = ? AND i.status IN {GIVEN}",
        (space.id, *given(status)),
    )
    return [key for (key,) in found]


def _compared(connection: Connection, space: Space, last: int, query: Vectors) -> Scored:
    found = connection.execute(
        "SELECT id, data FROM vectors WHERE namespace = ? AND kind = ? AND id > ?", (space.id, rows.KIND, last)
    ).fetchall()
    if not found:
        return []
    scores = from_bytes([data for _, data in found], HALF, space.dimension) @ query
    return list(zip([key for key, _ in found], scores.tolist(), strict=True))


def _owners(connection: Connection, vectors: Sequence[int]) -> dict[int, int]:
    return dict(connection.execute(f"SELECT id, item FROM vectors WHERE id IN {GIVEN}", given(vectors)))
