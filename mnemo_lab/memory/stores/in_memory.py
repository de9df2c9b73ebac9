"""Memories that live as long as the process, and what a JSON file shares with them."""

from __future__ import annotations

import copy
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput, MnemoError
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.item import MemoryItem, Status
from mnemo_lab.memory.keys import content_key, slot_key
from mnemo_lab.memory.stores import checks
from mnemo_lab.memory.stores.base import ACTIVE, LIVING, Hit, Receipt, Signal
from mnemo_lab.memory.stores.facts import MemoryFacts, NamespaceFacts, by_status, dangling
from mnemo_lab.memory.stores.forgetting import detached, telling, without
from mnemo_lab.memory.stores.undoing import undo
from mnemo_lab.storage.full_text import WordIndex, packed_words

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray
    from mnemo_lab.embeddings.base import Vectors

VERSION: Final = 1


@dataclass
class Space:
    """A namespace. ``texts`` are item ids by a number that grows whenever a searched text is new; ``places`` are the
    order of first puts; ``removals`` counts how often a text went.
    """

    items: dict[str, MemoryItem] = field(default_factory=dict)
    decisions: dict[int, Decision] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    removals: int = 0
    last: int = 0

    @classmethod
    def of(cls, items: Sequence[MemoryItem], decisions: Sequence[Decision]) -> Space:
        space = cls()
        for decision in decisions:
            space.log(decision)
        for item in items:
            space.keep(item)
        return space

    def copy(self) -> Space:
        return Space(
            dict(self.items), dict(self.decisions), dict(self.texts), dict(self.numbers), dict(self.places),
            self.removals, self.last,
        )  # fmt: skip

    def log(self, decision: Decision) -> None:
        self.decisions[decision.id] = decision
        for item in (*decision.after, *decision.before):
            self.places.setdefault(item.id, len(self.places) + 1)

    def keep(self, item: MemoryItem) -> None:
        known = self.items.get(item.id)
        if known is not None and checks.texts_of(known) != checks.texts_of(item):
            self.drop(item.id)
        self.places.setdefault(item.id, len(self.places) + 1)
        self.items[item.id] = item
        if item.id not in self.numbers:
            self.last += 1
            self.numbers[item.id], self.texts[self.last] = self.last, item.id

    def drop(self, id: str) -> None:
        del self.items[id], self.texts[self.numbers.pop(id)]
        self.removals += 1

    def listed(self, status: Collection[Status], category: str | None = None) -> list[MemoryItem]:
        found = [item for item in self.items.values() if item.status in status and category in (None, item.category)]
        return sorted(found, key=lambda item: self.places[item.id])

    def words_after(self, last: int) -> list[tuple[int, bytes]]:
        numbers = []
        for number in reversed(self.texts):
            if number <= last:
                break
            numbers.append(number)
        return [(n, packed_words(checks.searched_text(self.items[self.texts[n]]))) for n in reversed(numbers)]

    def by_words(self, index: WordIndex, query: str, k: int, status: Collection[Status]) -> list[Hit]:
        index.follow(self.removals, self.words_after)
        found = [Hit(score, self.items[self.texts[number]]) for number, score in index.search(query, len(index))]
        found = [hit for hit in found if hit.item.status in status]
        return sorted(found, key=lambda hit: (-hit.score, self.places[hit.item.id]))[:k]

    def without(self, gone: Collection[str]) -> tuple[Space, int]:
        """What is left when items are forgotten, and how many log entries told of them."""
        log = list(self.decisions.values())
        told = telling([item for d in log for item in (*d.before, *d.after) if item.id in gone])
        told |= telling([self.items[id] for id in gone])
        kept = [without(decision, gone, told) for decision in log]
        changed = sum(new != old for new, old in zip(kept, log, strict=True))
        items = [detached(item, gone) for item in self.listed(checks.STATUSES) if item.id not in gone]
        return Space.of(items, [decision for decision in kept if decision]), changed


class InMemoryStore:
    """Nothing is on a disk. Threads may share it. Vectors are compared one by one, exactly."""

    kind = "in memory"
    path: Path | None = None

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self._writer, self._lock = threading.RLock(), threading.RLock()
        self._writing = False
        self._closed = False
        self._spaces: dict[str, Space] = {}
        self._made = 0
        self._words: dict[str, WordIndex] = {}
        self._vectors: dict[str, dict[str, Vectors]] = {}

    @property
    def embeds(self) -> bool:
        return self._embedder is not None

    def __enter__(self) -> InMemoryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def write(self, namespace: str) -> Iterator[InMemoryWriting]:
        checks.check_namespace(namespace)
        with self._alone():
            writing = InMemoryWriting(self, namespace, self._space(namespace).copy(), self._made)
            try:
                yield writing
            finally:
                writing.ended = True
            if writing.made > self._made:
                self._publish(self._spaces | {namespace: writing.space}, writing.made)

    def get(self, namespace: str, id: str) -> MemoryItem:
        space = self._space(namespace)
        if id not in space.items:
            raise checks.unknown_item(namespace, id, list(space.items)[: checks.KNOWN])
        return space.items[id]

    def items(
        self, namespace: str, status: Collection[Status] = LIVING, category: str | None = None
    ) -> list[MemoryItem]:
        return self._space(namespace).listed(checks.check_status(status), category)

    def replaced(self, namespace: str, by: Collection[str]) -> list[MemoryItem]:
        return [item for item in self.items(namespace) if item.superseded_by in by]

    def search(self, namespace: str, query: str, k: int, by: Signal, status: Collection[Status] = ACTIVE) -> list[Hit]:
        with self._lock:
            space = self._space(namespace)
            return self.searched(namespace, space, self._words.setdefault(namespace, WordIndex()), query, k, by, status)

    def vector_scores(self, namespace: str, query: str, ids: Sequence[str]) -> list[float]:
        checks.check_namespace(namespace)
        items = [self.get(namespace, id) for id in ids]
        return [float(score) for score in self._cosines(namespace, query, items)]

    def touch(self, namespace: str, ids: Collection[str], at: str) -> None:
        checks.check_time(at)
        checks.check_namespace(namespace)
        with self._alone():
            space = self._space(namespace).copy()
            used = [checks.touched(space.items[id], at) for id in set(ids) if id in space.items]
            for item in used:
                space.keep(item)
            if used:
                self._publish(self._spaces | {namespace: space}, self._made)

    def log(self, namespace: str, item: str | None = None) -> list[Decision]:
        decisions = self._space(namespace).decisions.values()
        return [decision for decision in decisions if item is None or item in decision.items]

    def undo(self, namespace: str, decision: int, at: str) -> Decision:
        checks.check_time(at)
        with self.write(namespace) as writing:
            return undo(writing, namespace, decision, at)

    def forget(self, namespace: str, ids: Collection[str]) -> Receipt:
        checks.check_namespace(namespace)
        with self._alone():
            space, gone = self._space(namespace), tuple(dict.fromkeys(ids))
            for id in gone:
                self.get(namespace, id)
            if not gone:
                return Receipt(namespace, (), 0, 0, ())
            kept, decisions = space.without(gone)
            texts = {checks.embedded_text(item) for item in kept.items.values()}
            known = self._vectors.get(namespace, {})
            vectors = sum(checks.embedded_text(space.items[id]) in known for id in gone)
            others = {name: other for name, other in self._spaces.items() if name != namespace}
            left = {namespace: kept} if kept.items or kept.decisions else {}
            with self._lock:
                files = self._publish(others | left, self._made)
                self._words.pop(namespace, None)
                self._vectors[namespace] = {text: vector for text, vector in known.items() if text in texts}
        return Receipt(namespace, gone, decisions, vectors, files)

    def namespaces(self) -> list[str]:
        return list(self._spaces_now())

    def check(self) -> list[str]:
        spaces = self._spaces_now()
        return [told for name, space in spaces.items() for told in dangling(name, space.listed(checks.STATUSES))]

    def facts(self) -> MemoryFacts:
        spaces = self._spaces_now()
        size = self.path.stat().st_size if self.path and self.path.exists() else 0
        return MemoryFacts(self.kind, self.path, VERSION, size, tuple(_facts(spaces, self._vectors)))

    def close(self) -> None:
        self._closed = True

    def words_of(self, namespace: str) -> WordIndex:
        """A copy to go on with; what it takes in, others do not see."""
        with self._lock:
            return copy.copy(self._words.get(namespace) or WordIndex())

    def searched(
        self, namespace: str, space: Space, words: WordIndex, query: str, k: int, by: Signal, status: Collection[Status]
    ) -> list[Hit]:
        """The best of a state of a namespace that may not be everybody's yet."""
        checks.check_signal(by)
        status = checks.check_status(status)
        if by == "keyword":
            return space.by_words(words, query, k, status) if k > 0 else []
        items = space.listed(status)
        scores = self._cosines(namespace, query, items).tolist()
        found = sorted(map(Hit, scores, items), key=lambda hit: -hit.score)
        return found[: max(k, 0)]

    def _cosines(self, namespace: str, query: str, items: Sequence[MemoryItem]) -> FloatArray:
        import numpy as np

        rows = self.passages(namespace, items)
        if not rows:
            return np.zeros(0)
        return np.asarray(np.stack(rows) @ self._needed.encode([query], "query")[0], dtype=np.float64)

    def passages(self, namespace: str, items: Sequence[MemoryItem]) -> list[Vectors]:
        """Each text is embedded once, and kept until something is forgotten."""
        embedder, texts = self._needed, [checks.embedded_text(item) for item in items]
        with self._lock:
            known = self._vectors.setdefault(namespace, {})
            fresh = [text for text in dict.fromkeys(texts) if text not in known]
            if fresh:
                known.update(zip(fresh, embedder.encode(fresh), strict=True))
            return [known[text] for text in texts]

    @property
    def _needed(self) -> Embedder:
        if self._embedder is None:
            raise InvalidInput(checks.NO_EMBEDDER)
        return self._embedder

    def _space(self, namespace: str) -> Space:
        checks.check_namespace(namespace)
        return self._spaces_now().get(namespace) or Space()

    def _spaces_now(self) -> dict[str, Space]:
        if self._closed:
            raise MnemoError("the store is closed; open it again")
        return self._spaces

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The only writer."""
        with self._writer:
            if self._writing:
                raise MnemoError("this thread is inside write() of the store; use what it gave, or leave it first")
            self._writing = True
            try:
                with self._held():
                    self._spaces_now()
                    yield
            finally:
                self._writing = False

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Against other processes, where there may be some."""
        yield

    def _publish(self, spaces: dict[str, Space], made: int) -> tuple[str, ...]:
        """Let everybody see a new state; the files written anew."""
        self._spaces, self._made = spaces, made
        return ()


class InMemoryWriting:
    """Works on a copy of the namespace."""

    def __init__(self, store: InMemoryStore, namespace: str, space: Space, made: int) -> None:
        self._store, self._namespace, self._space, self.made = store, namespace, space, made
        self._words: WordIndex | None = None
        self.ended = False

    @property
    def space(self) -> Space:
        return self._space

    def get(self, id: str) -> MemoryItem | None:
        return self._live().items.get(id)

    def slot(self, subject: str, attribute: str) -> list[MemoryItem]:
        key = slot_key(subject, attribute)
        return [item for item in self._live().listed(LIVING) if slot_key(item.subject, item.attribute) == key]

    def same_words(self, content: str) -> list[MemoryItem]:
        key = content_key(content)
        return [item for item in self._live().listed(LIVING) if content_key(item.content) == key]

    def search(self, query: str, k: int, by: Signal, status: Collection[Status] = LIVING) -> list[Hit]:
        if self._words is None:
            self._words = self._store.words_of(self._namespace)
        return self._store.searched(self._namespace, self._live(), self._words, query, k, by, status)

    def cosine(self, new: MemoryItem, known: MemoryItem) -> float:
        one, other = self._store.passages(self._namespace, [new, known])
        return float(one @ other)

    def put(self, decision: Decision) -> Decision:
        space = self._live()
        decision = checks.settled(self._namespace, decision, self.get)
        self.made += 1
        decision = replace(decision, id=self.made)
        space.log(decision)
        after = {item.id for item in decision.after}
        for item in decision.before:
            if item.id not in after:
                space.drop(item.id)
        for item in decision.after:
            space.keep(item)
        return decision

    def decision(self, id: int) -> Decision | None:
        return self._space.decisions.get(id)

    def decision_ids(self) -> Sequence[int]:
        return list(self._space.decisions)[-checks.KNOWN :]

    def told_of(self, items: frozenset[str]) -> list[Decision]:
        return [decision for decision in self._space.decisions.values() if not items.isdisjoint(decision.items)]

    def linked(self, to: Collection[str]) -> list[MemoryItem]:
        return [item for item in self._space.listed(checks.STATUSES) if item.superseded_by in to]

    def mark_undone(self, decision: int, by: int) -> None:
        self._space.decisions[decision] = replace(self._space.decisions[decision], undone_by=by)

    def _live(self) -> Space:
        if self.ended:
            raise MnemoError("this write() is over; begin another")
        return self._space


def _facts(spaces: Mapping[str, Space], vectors: Mapping[str, Mapping[str, object]]) -> Iterator[NamespaceFacts]:
    for name, space in spaces.items():
        known = vectors.get(name, {})
        made = sum(checks.embedded_text(item) in known for item in space.items.values())
        counts = by_status(space.items.values())
        yield NamespaceFacts(name, counts, len(space.decisions), made, len(space.items) - made)
