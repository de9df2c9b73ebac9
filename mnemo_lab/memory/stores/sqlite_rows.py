"""Memories, decisions and vectors as rows: what the SQLite store does inside a transaction."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, replace
from operator import itemgetter
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem, Status
from mnemo_lab.memory.keys import content_key, slot_key
from mnemo_lab.memory.stores import checks
from mnemo_lab.memory.stores.base import LIVING, Hit
from mnemo_lab.memory.stores.forgetting import detached, telling, without
from mnemo_lab.memory.stores.sqlite_schema import OF_CATEGORY, SUCCESSOR
from mnemo_lab.storage.full_text import add_words
from mnemo_lab.storage.spaces import Space, count_removal
from mnemo_lab.storage.values import is_name, pack, unpack
from mnemo_lab.storage.vectors import GIVEN, HALF, from_bytes, given, to_bytes

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

KIND: Final = "item"
_FIELDS: Final = tuple(field.name for field in fields(MemoryItem))
_ITEM: Final = "body, accessed, uses"
_DECISION: Final = "id, undone_by, body"


def read(connection: Connection, space: Space, where: str, *values: Any) -> list[MemoryItem]:
    """Items in the order they were recorded."""
    found = connection.execute(
        f"SELECT {_ITEM} FROM items WHERE namespace = ? AND {where} ORDER BY place", (space.id, *values)
    )
    return [_item(*row) for row in found]


def read_item(connection: Connection, space: Space, id: str) -> MemoryItem | None:
    return next(iter(read(connection, space, "name = ?", id)), None) if is_name(id) else None


def read_status(
    connection: Connection, space: Space, status: Sequence[Status], category: str | None = None
) -> list[MemoryItem]:
    if category is None:
        return read(connection, space, f"status IN {GIVEN}", *given(status))
    return read(connection, space, f"{OF_CATEGORY} AND +status IN {GIVEN}", pack(category), *given(status))


def read_replaced(connection: Connection, space: Space, by: Collection[str]) -> list[MemoryItem]:
    where = f"{SUCCESSOR} IN {GIVEN} AND status IN {GIVEN}"
    return read(connection, space, where, *given(sorted(by)), *given(LIVING))


def read_slot(connection: Connection, space: Space, subject: str, attribute: str) -> list[MemoryItem]:
    key = slot_key(subject, attribute)
    found = read(connection, space, f"slot = ? AND status IN {GIVEN}", _hash(key), *given(LIVING))
    return [item for item in found if slot_key(item.subject, item.attribute) == key]


def read_content(connection: Connection, space: Space, content: str) -> list[MemoryItem]:
    key = content_key(content)
    found = read(connection, space, f"content = ? AND status IN {GIVEN}", _hash(key), *given(LIVING))
    return [item for item in found if content_key(item.content) == key]


def names(connection: Connection, space: Space | None) -> list[str]:
    """The first of a namespace, to say what there is."""
    query = "SELECT name FROM items WHERE namespace = ? ORDER BY id LIMIT ?"
    return [name for (name,) in connection.execute(query, (space.id if space else 0, checks.KNOWN))]


def keep(connection: Connection, space: Space, item: MemoryItem) -> None:
    """Write an item. Words and vector of a row stay as they are, another text gets another row."""
    row = connection.execute(
        "SELECT id, body, place FROM items WHERE namespace = ? AND name = ?", (space.id, item.id)
    ).fetchone()
    keys = (_hash(slot_key(item.subject, item.attribute)), _hash(content_key(item.content)))
    values = (item.status, *keys, item.last_accessed_at, item.access_count, pack(_body(item)))
    if row and checks.texts_of(_item(row[1], None, 0)) == checks.texts_of(item):
        connection.execute(
            "UPDATE items SET status = ?, slot = ?, content = ?, accessed = ?, uses = ?, body = ? WHERE id = ?",
            (*values, row[0]),
        )
        return
    if row:
        drop(connection, space, item.id)
    place = row[2] if row else _place(connection, space, item.id)
    made = connection.execute(
        "INSERT INTO items (namespace, name, place, status, slot, content, accessed, uses, body) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (space.id, item.id, place, *values),
    )
    add_words(connection, space.id, KIND, {int(made.lastrowid or 0): checks.searched_text(item)})


def drop(connection: Connection, space: Space, id: str) -> None:
    connection.execute("DELETE FROM items WHERE namespace = ? AND name = ?", (space.id, id))
    count_removal(connection, space.id)


def touch(connection: Connection, space: Space, ids: Collection[str], at: str) -> None:
    for item in read(connection, space, f"name IN {GIVEN}", *given(sorted(set(ids)))):
        used = checks.touched(item, at)
        connection.execute(
            "UPDATE items SET accessed = ?, uses = ? WHERE namespace = ? AND name = ?",
            (used.last_accessed_at, used.access_count, space.id, item.id),
        )


def hits(connection: Connection, ranked: Sequence[tuple[int, float]], status: Sequence[Status], k: int) -> list[Hit]:
    """The first ``k`` rows with scores as items, without those that are gone or of another status.

    Equal scores come in the order in which the items were recorded.
    """
    found = connection.execute(
        f"SELECT id, place, {_ITEM} FROM items WHERE id IN {GIVEN} AND status IN {GIVEN}",
        (*given([row for row, _ in ranked]), *given(status)),
    )
    known = {row: rest for row, *rest in found}
    chosen = [(-score, *known[row]) for row, score in ranked if row in known]
    return [Hit(-score, _item(*rest)) for score, _, *rest in sorted(chosen, key=itemgetter(0, 1))[:k]]


def rows_of(connection: Connection, space: Space, status: Sequence[Status]) -> list[int]:
    found = connection.execute(
        f"SELECT id FROM items WHERE namespace = ? AND status IN {GIVEN}", (space.id, *given(status))
    )
    return [row for (row,) in found]


def log(connection: Connection, space: Space, decision: Decision) -> Decision:
    """Write a decision, whose id then is the next one, and what it tells of."""
    made = connection.execute("INSERT INTO decisions (namespace, body) VALUES (?, ?)", (space.id, _told(decision)))
    decision = replace(decision, id=int(made.lastrowid or 0))
    told = dict.fromkeys(item.id for item in (*decision.after, *decision.before))
    connection.executemany(
        "INSERT INTO touched (namespace, name, decision) VALUES (?, ?, ?)",
        [(space.id, name, decision.id) for name in told],
    )
    return decision


def read_log(connection: Connection, space: Space, of: Iterable[str] | None = None) -> list[Decision]:
    """Decisions in order; only those that touched one of some items where they are given."""
    where = "namespace = ?"
    values: list[Any] = [space.id]
    if of is not None:
        where += f" AND id IN (SELECT decision FROM touched WHERE namespace = ? AND name IN {GIVEN})"
        values += [space.id, *given(list(of))]
    return [_decision(space, *row) for row in connection.execute(f"{_SELECT_LOG} {where} ORDER BY id", values)]


def read_decision(connection: Connection, space: Space, id: int) -> Decision | None:
    row = connection.execute(f"{_SELECT_LOG} namespace = ? AND id = ?", (space.id, id)).fetchone()
    return _decision(space, *row) if row else None


def decision_ids(connection: Connection, space: Space | None) -> list[int]:
    """The latest of a namespace, to say what there is."""
    query = "SELECT id FROM decisions WHERE namespace = ? ORDER BY id DESC LIMIT ?"
    return [id for (id,) in connection.execute(query, (space.id if space else 0, checks.KNOWN))]


def pending(connection: Connection, space: Space, most: int) -> list[tuple[int, str]]:
    """The oldest rows without a vector, and what to embed."""
    found = connection.execute(
        f"SELECT id, {_ITEM} FROM items WHERE namespace = ? AND NOT embedded ORDER BY id LIMIT ?", (space.id, most)
    )
    return [(row, checks.embedded_text(_item(*rest))) for row, *rest in found]


def keep_vectors(connection: Connection, space: Space, rows: Sequence[int], vectors: Sequence[Vectors]) -> None:
    """Of rows that are still there and have none yet."""
    for row, vector in zip(rows, vectors, strict=True):
        if connection.execute("UPDATE items SET embedded = 1 WHERE id = ? AND NOT embedded", (row,)).rowcount:
            connection.execute(
                "INSERT INTO vectors (namespace, kind, item, data) VALUES (?, ?, ?, ?)",
                (space.id, KIND, row, to_bytes(vector, HALF)),
            )


def vectors_of(connection: Connection, space: Space, ids: Sequence[str]) -> dict[str, Vectors]:
    """By item."""
    found = connection.execute(
        "SELECT i.name, v.data FROM items i JOIN vectors v ON v.item = i.id "
        f"WHERE i.namespace = ? AND i.name IN {GIVEN}",
        (space.id, *given(ids)),
    )
    return {name: from_bytes([data], HALF, space.dimension)[0] for name, data in found}


def drop_vectors(connection: Connection, space: Space) -> None:
    connection.execute("DELETE FROM vectors WHERE namespace = ?", (space.id,))
    connection.execute("UPDATE items SET embedded = 0 WHERE namespace = ?", (space.id,))


def take_out(connection: Connection, space: Space, gone: Sequence[str]) -> tuple[int, int]:
    """Items, what other items and the log tell of them, and the namespace with the last of all.

    How many log entries told of them, and how many vectors there were. Raises ``UnknownName``.
    """
    items = {id: read_item(connection, space, id) for id in gone}
    for id, item in items.items():
        if item is None:
            raise checks.unknown_item(space.name, id, names(connection, space))
    versions = [item for item in items.values() if item]
    versions += [
        item
        for decision in read_log(connection, space, gone)
        for item in (*decision.before, *decision.after)
        if item.id in items
    ]
    decisions = _clean_log(connection, space, gone, telling(versions))
    vectors = len(vectors_of(connection, space, gone))
    connection.execute(f"DELETE FROM items WHERE namespace = ? AND name IN {GIVEN}", (space.id, *given(gone)))
    connection.execute(f"DELETE FROM touched WHERE namespace = ? AND name IN {GIVEN}", (space.id, *given(gone)))
    for item in linked(connection, space, gone):
        body = pack(_body(detached(item, gone)))
        connection.execute("UPDATE items SET body = ? WHERE namespace = ? AND name = ?", (body, space.id, item.id))
    count_removal(connection, space.id)
    empty = "NOT EXISTS (SELECT 1 FROM {} WHERE namespace = namespaces.id)"
    both = f"{empty.format('items')} AND {empty.format('decisions')}"
    connection.execute(f"DELETE FROM namespaces WHERE id = ? AND {both}", (space.id,))
    return decisions, vectors


def linked(connection: Connection, space: Space, to: Collection[str]) -> list[MemoryItem]:
    """Items that name one of these as their successor."""
    links = _containing(pack(id) for id in to)
    found = connection.execute(f"SELECT {_ITEM} FROM items WHERE namespace = ? ORDER BY place", (space.id,))
    items = (_item(*row) for row in found if links.search(row[0]))
    return [item for item in items if item.superseded_by in to]


def _clean_log(connection: Connection, space: Space, gone: Sequence[str], told: Collection[str]) -> int:
    """Rewrite or delete what tells of items; how many entries did."""
    words, changed = _containing(pack(text)[1:-1] for text in told), 0
    for row in connection.execute(f"{_SELECT_LOG} namespace = ?", (space.id,)).fetchall():
        if not words.search(row[2]):
            continue
        decision = _decision(space, *row)
        left = without(decision, gone, told)
        changed += left != decision
        if left is None:
            connection.execute("DELETE FROM decisions WHERE id = ?", (decision.id,))
        elif left != decision:
            connection.execute("UPDATE decisions SET body = ? WHERE id = ?", (_told(left), decision.id))
    return changed


def _containing(texts: Iterable[bytes]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(map(re.escape, sorted(texts))))


_SELECT_LOG: Final = f"SELECT {_DECISION} FROM decisions WHERE"


def _place(connection: Connection, space: Space, id: str) -> int:
    """Where the log first told of it, which it does before the item is written."""
    (place,) = connection.execute(
        "SELECT ifnull(min(id), 0) FROM touched WHERE namespace = ? AND name = ?", (space.id, id)
    ).fetchone()
    return int(place)


def _body(item: MemoryItem) -> dict[str, Any]:
    """Without what has a column of its own or no value."""
    values = {name: getattr(item, name) for name in _FIELDS} | {"last_accessed_at": None, "access_count": 0}
    return {name: value for name, value in values.items() if value is not None and value != ()}


def _item(body: bytes, accessed: str | None, uses: int) -> MemoryItem:
    return MemoryItem.from_json(unpack(body) | {"last_accessed_at": accessed, "access_count": uses})


def _told(decision: Decision) -> bytes:
    head = {"action": decision.action, "reason": decision.reason, "at": decision.at}
    access = ("last_accessed_at", "access_count")
    sides = {
        side: [_body(item) | {name: getattr(item, name) for name in access} for item in items]
        for side, items in (("before", decision.before), ("after", decision.after))
    }
    return pack(head | sides)


def _decision(space: Space, id: int, undone_by: int | None, body: bytes) -> Decision:
    told = unpack(body)
    before, after = (tuple(map(MemoryItem.from_json, told[side])) for side in ("before", "after"))
    return Decision(space.name, told["action"], told["reason"], told["at"], before, after, id, undone_by)


def _hash(key: str) -> int:
    """64 bits that fit into a column; who reads compares the keys themselves."""
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
