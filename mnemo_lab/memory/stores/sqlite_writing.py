"""One writer inside a namespace of the SQLite store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from sqlite3 import Connection

from mnemo_lab.errors import MnemoError
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem, Status
from mnemo_lab.memory.stores import checks
from mnemo_lab.memory.stores import sqlite_rows as rows
from mnemo_lab.memory.stores.base import LIVING, Hit, Signal
from mnemo_lab.memory.stores.embedding import Embedding
from mnemo_lab.memory.stores.nearest import Nearest, best, by_words
from mnemo_lab.storage.full_text import WordIndex
from mnemo_lab.storage.spaces import Space, find_space, make_space


class SqliteWriting:
    """Everything it reads is what its own transaction sees."""

    def __init__(self, connection: Connection, namespace: str, nearest: Nearest, embedding: Embedding) -> None:
        self._transaction, self._namespace = connection, namespace
        self._nearest, self._embedding = nearest, embedding
        self._words: WordIndex | None = None
        self.ended = False

    def get(self, id: str) -> MemoryItem | None:
        space = self._space
        return rows.read_item(self._connection, space, id) if space else None

    def slot(self, subject: str, attribute: str) -> list[MemoryItem]:
        space = self._space
        return rows.read_slot(self._connection, space, subject, attribute) if space else []

    def same_words(self, content: str) -> list[MemoryItem]:
        space = self._space
        return rows.read_content(self._connection, space, content) if space else []

    def search(self, query: str, k: int, by: Signal, status: Collection[Status] = LIVING) -> list[Hit]:
        checks.check_signal(by)
        wanted, connection = checks.check_status(status), self._connection
        if by == "vector":
            space = self._embedding.complete_inside(connection, self._namespace)
            vector = self._embedding.of_query(query)
            if space is None:
                return []
            with self._nearest.committed() as committed:
                return best(connection, self._nearest.by_vector(committed, connection, space, vector), k, wanted)
        space = self._space
        if space is None:
            return []
        if self._words is None:
            self._words = self._nearest.words_apart(space)
        return best(connection, by_words(connection, space, self._words, query), k, wanted)

    def cosine(self, new: MemoryItem, known: MemoryItem) -> float:
        space = self._embedding.complete_inside(self._connection, self._namespace)
        if space is None:
            raise checks.unknown_item(self._namespace, known.id, ())
        vector = rows.vectors_of(self._connection, space, [known.id])[known.id]
        return float(vector @ self._embedding.of_passage(checks.embedded_text(new)))

    def put(self, decision: Decision) -> Decision:
        connection = self._connection
        space = make_space(connection, self._namespace)
        decision = checks.settled(self._namespace, decision, self.get)
        decision = rows.log(connection, space, decision)
        after = {item.id for item in decision.after}
        for item in decision.before:
            if item.id not in after:
                rows.drop(connection, space, item.id)
        for item in decision.after:
            rows.keep(connection, space, item)
        return decision

    def decision(self, id: int) -> Decision | None:
        space = self._space
        return rows.read_decision(self._connection, space, id) if space else None

    def decision_ids(self) -> Sequence[int]:
        return rows.decision_ids(self._connection, self._space)

    def told_of(self, items: frozenset[str]) -> list[Decision]:
        space = self._space
        return rows.read_log(self._connection, space, items) if space else []

    def linked(self, to: Collection[str]) -> list[MemoryItem]:
        space = self._space
        return rows.linked(self._connection, space, to) if space else []

    def mark_undone(self, decision: int, by: int) -> None:
        self._connection.execute("UPDATE decisions SET undone_by = ? WHERE id = ?", (by, decision))

    @property
    def _connection(self) -> Connection:
        if self.ended:
            raise MnemoError("this write() is over; begin another")
        return self._transaction

    @property
    def _space(self) -> Space | None:
        return find_space(self._connection, self._namespace)
