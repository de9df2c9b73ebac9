"""Namespaces and the embedder that each one's vectors are of; every look-up in a store goes through here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from sqlite3 import Connection

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.storage.values import name_of


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace. ``fingerprint`` is ``""`` and ``dimension`` 0 before its first vector.

    ``removals`` counts how often rows were taken out: an index in memory that knows another count has ghosts.
    """

    id: int
    name: str
    model: str
    fingerprint: str
    dimension: int
    removals: int


def find_space(connection: Connection, namespace: str) -> Space | None:
    """Raises ``InvalidInput`` for a name that cannot be one."""
    name_of(namespace, "the namespace")
    row = connection.execute(
        "SELECT id, name, model, fingerprint, dimension, removals FROM namespaces WHERE name = ?", (namespace,)
    ).fetchone()
    return Space(*row) if row else None


def known_space(connection: Connection, namespace: str) -> Space:
    """Raises ``UnknownName``."""
    space = find_space(connection, namespace)
    if space is None:
        known = connection.execute("SELECT name FROM namespaces LIMIT 20")
        raise UnknownName("namespace", namespace, (name for (name,) in known))
    return space


def make_space(connection: Connection, namespace: str) -> Space:
    """The namespace, made where it is new."""
    space = find_space(connection, namespace)
    if space is None:
        connection.execute("INSERT INTO namespaces (name) VALUES (?)", (namespace,))
        space = known_space(connection, namespace)
    return space


def adopt(connection: Connection, space: Space, embedder: Embedder, anew: str) -> Space:
    """The namespace with this embedder as its own; raises ``InvalidInput`` as ``check_embedder`` does."""
    if space.fingerprint:
        check_embedder(space, embedder, anew)
        return space
    model = (embedder.name, embedder.fingerprint, embedder.dimension)
    connection.execute(
        "UPDATE namespaces SET model = ?, fingerprint = ?, dimension = ? WHERE id = ?", (*model, space.id)
    )
    return replace(space, model=embedder.name, fingerprint=embedder.fingerprint, dimension=embedder.dimension)


def check_embedder(space: Space, embedder: Embedder, anew: str) -> None:
    """Raises ``InvalidInput`` where a namespace's vectors are of another model: two cannot be compared.

    ``anew`` says how its vectors are made anew.
    """
    if (space.fingerprint, space.dimension) != (embedder.fingerprint, embedder.dimension):
        raise InvalidInput(
            f"namespace {space.name!r} holds vectors of {space.model} ({space.fingerprint}, {space.dimension} "
            f"dimensions) and this embedder is {embedder.name} ({embedder.fingerprint}, {embedder.dimension}); open "
            f"the store with {space.model}, or make the vectors anew with: {anew}"
        )


def forget_model(connection: Connection, space: Space) -> None:
    """After all vectors of a namespace went: the next embedder becomes its own."""
    count_removal(connection, space.id)
    connection.execute("UPDATE namespaces SET model = '', fingerprint = '', dimension = 0 WHERE id = ?", (space.id,))


def count_removal(connection: Connection, space: int) -> None:
    """Tell every index in memory, of this process and others, that rows have gone."""
    connection.execute("UPDATE namespaces SET removals = removals + 1 WHERE id = ?", (space,))
