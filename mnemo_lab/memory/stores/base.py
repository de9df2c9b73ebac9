"""What a store of memories is: every call names its namespace, and nothing leads from one to another."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem, Status

if TYPE_CHECKING:
    from mnemo_lab.memory.stores.facts import MemoryFacts

ACTIVE: Final[tuple[Status, ...]] = ("active",)
LIVING: Final[tuple[Status, ...]] = ("active", "outdated")
"""What can still be found; forgotten items (by decay, ``prune``) only come back by ``undo``."""
Signal = Literal["keyword", "vector"]


class Hit(NamedTuple):
    """An item and its score: BM25 or cosine, higher is closer."""

    score: float
    item: MemoryItem


@dataclass(frozen=True, slots=True)
class Receipt:
    """What ``forget`` took out for good: items, log entries that told of them, vectors, and files written anew."""

    namespace: str
    items: tuple[str, ...]
    decisions: int
    vectors: int
    files: tuple[str, ...]


class Writing(Protocol):
    """One writer inside a namespace: what it reads, nobody changes until it is through; all of it is kept or none."""

    def get(self, id: str) -> MemoryItem | None:
        """An item, whatever its status."""

    def slot(self, subject: str, attribute: str) -> list[MemoryItem]:
        """Living items of a subject and attribute (normalised: ``keys.slot_key``), in the order they were recorded."""

    def same_words(self, content: str) -> list[MemoryItem]:
        """Living items whose normalised content is equal (``keys.content_key``)."""

    def search(self, query: str, k: int, by: Signal, status: Collection[Status] = LIVING) -> list[Hit]:
        """As ``MemoryStore.search``, on what is written so far."""

    def cosine(self, new: MemoryItem, known: MemoryItem) -> float:
        """Of an item that is not written yet and one that is, both as passages; raises as ``search`` by vector does."""

    def put(self, decision: Decision) -> Decision:
        """Write what ``after`` says, take out what only ``before`` has, log it; with its id.

        Access is what ``touch`` made it, whatever ``after`` says of an item that is there. Raises ``InvalidInput``
        where items are not as ``before`` says, or another namespace's.
        """


class MemoryStore(Protocol):
    """Items and decisions by namespace. What a call returned from is on the disk, where there is one.

    Every call raises ``InvalidInput`` for an empty namespace; a namespace that is not there is an empty one.
    """

    @property
    def embeds(self) -> bool:
        """Whether it has an embedder, so that it can be searched by vector."""

    def __enter__(self) -> MemoryStore: ...

    def __exit__(self, *_: object) -> None: ...

    def write(self, namespace: str) -> AbstractContextManager[Writing]:
        """The only writer of the store; other writers wait. An error inside leaves everything as it was."""

    def get(self, namespace: str, id: str) -> MemoryItem:
        """Raises ``UnknownName``."""

    def items(
        self, namespace: str, status: Collection[Status] = LIVING, category: str | None = None
    ) -> list[MemoryItem]:
        """In the order they were recorded; of one category, where it is named, without a look at the others."""

    def replaced(self, namespace: str, by: Collection[str]) -> list[MemoryItem]:
        """Living items that name one of these as what took their place, in the order they were recorded."""

    def search(self, namespace: str, query: str, k: int, by: Signal, status: Collection[Status] = ACTIVE) -> list[Hit]:
        """The ``k`` closest, best first; by keyword only what shares a word with the query in its sentence, subject
        or attribute (Chinese: a pair of characters, or the single one that is asked for). Vectors that are missing are
        made first; ``InvalidInput`` where the store has no embedder."""

    def vector_scores(self, namespace: str, query: str, ids: Sequence[str]) -> list[float]:
        """The cosine of each of these items with the query, in their order."""

    def touch(self, namespace: str, ids: Collection[str], at: str) -> None:
        """Note that items were used: ``last_accessed_at`` (never earlier than it was) and ``access_count``.
        Ids that are not there, as of what was forgotten meanwhile, are passed over."""

    def log(self, namespace: str, item: str | None = None) -> list[Decision]:
        """Decisions in order; only those that touched ``item`` where one is named."""

    def undo(self, namespace: str, decision: int, at: str) -> Decision:
        """Put back what a decision changed; raises ``InvalidInput`` where a later one built on it, or it is undone,
        and ``UnknownName``. Access counts stay as they are."""

    def forget(self, namespace: str, ids: Collection[str]) -> Receipt:
        """Take items out of rows, full text, vectors and log, so that no byte of any file tells of them. Unknown ids
        raise ``UnknownName`` before anything is done. An item that a forgotten one superseded stays outdated."""

    def namespaces(self) -> list[str]:
        """For those who look after the store, as the next two."""

    def check(self) -> list[str]:
        """What is wrong with it, a sentence each; empty where nothing is."""

    def facts(self) -> MemoryFacts:
        """Counts and sizes."""

    def close(self) -> None: ...
