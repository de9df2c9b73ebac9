"""``ConversationStore``: what was said, the checkpoints made of it, and the vectors both are found by."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mnemo_lab.conversation import Conversation, ConversationInfo, Message
from mnemo_lab.embeddings.base import Embedder
from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.storage import forgetting
from mnemo_lab.storage.database import Database
from mnemo_lab.storage.full_text import WordIndex, words_after
from mnemo_lab.storage.spaces import Space, find_space, known_space
from mnemo_lab.store import items, rows, schema
from mnemo_lab.store.facts import StoreFacts, facts_of
from mnemo_lab.store.indexes import Indexes
from mnemo_lab.store.items import Pending
from mnemo_lab.store.namespaces import adopt, check_embedder, find_conversation, open_conversation
from mnemo_lab.store.vectors import KINDS, Kind
from mnemo_lab.vectors.variants import AUTO, check_variant

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors
    from mnemo_lab.privacy import Redactor

DATABASE: Final = "store.db"
INDEX: Final = "index"
Signal = Literal["vector", "keyword"]
SIGNALS: Final[tuple[Signal, ...]] = ("vector", "keyword")
BATCH: Final = 128
"""Items that are embedded between two commits."""


class Found(NamedTuple):
    """A message or checkpoint with its conversation's id and its score: cosine with the query, or BM25."""

    score: float
    conversation: str
    item: Message | Checkpoint


@dataclass(frozen=True, slots=True)
class Receipt:
    """What ``forget`` took out: rows, their vectors, and index files that are gone or were written anew without them.

    Database and log were written anew as well, so that freed pages hold nothing of it.
    """

    namespace: str
    conversation: str
    messages: int
    checkpoints: int
    vectors: int
    files: tuple[str, ...]


class ConversationStore:
    """A folder with ``store.db`` and ``index/``, readable by its owner only.

    What ``append`` and ``put_checkpoint`` return from is on the disk. Vectors follow with ``index``, which goes on
    where a crash stopped it. Index files are only a copy: the database makes them true whenever they are used.
    Threads may share a store; processes open one each. ``embedder`` is needed by ``index`` and search by vector;
    ``redactor`` sees every text before it is written, and so before it is embedded or cut into words (it numbers its
    placeholders itself: give the next process one that continues this one's ``mapping``); ``variant`` is one of
    ``vectors.variants`` or ``auto``; ``patience`` is seconds to wait for a writer, then ``StoreBusy`` comes.
    """

    def __init__(
        self,
        folder: Path | str,
        embedder: Embedder | None = None,
        variant: str = AUTO,
        redactor: Redactor | None = None,
        patience: float = 30.0,
        threads: int = 1,
    ) -> None:
        self.folder = Path(folder).expanduser()
        self._embedder, self._redactor = embedder, redactor
        check_variant(variant)
        self._database = Database(self.folder / DATABASE, schema.tables(), patience)
        self._indexes = Indexes(self.folder / INDEX, self._database, variant, threads)
        self._words: dict[tuple[int, Kind], WordIndex] = {}
        forgetting.finish(self._database, self._rewrite_all)

    def __enter__(self) -> ConversationStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write index files that are behind, and let go of the database."""
        try:
            self._indexes.save(due_only=False)
        finally:
            self._database.close()

    def append(self, namespace: str, info: ConversationInfo, messages: Sequence[Message]) -> None:
        """Add messages at a conversation's end; its first ones found it, ``info`` is kept up to date.

        All are stored or none. Raises ``InvalidInput`` for a message id that the conversation has already.
        """
        if self._redactor:
            info, messages = rows.redacted(info, messages, self._redactor)
        with self._database.write() as connection:
            items.add_messages(connection, *open_conversation(connection, namespace, info), messages)

    def put_checkpoint(self, namespace: str, checkpoint: Checkpoint) -> None:
        """Store a checkpoint of a stored conversation, in place of one with the same id.

        Its embedding is kept where it is of the namespace's model (or, in a new one, of this store's embedder); else
        ``index`` makes one. Raises ``UnknownName`` for a conversation that is not there.
        """
        if self._redactor:
            checkpoint = rows.redacted_checkpoint(checkpoint, self._redactor)
        if checkpoint.embedding:
            self._follow(namespace)
        with self._database.write() as connection:
            conversation = find_conversation(connection, namespace, checkpoint.conversation)
            space = known_space(connection, namespace)
            if self._embedder and not space.fingerprint and checkpoint.embedder == self._embedder.fingerprint:
                space = adopt(connection, space, self._embedder)
            items.replace_checkpoint(connection, space, conversation, checkpoint)

    def drop_checkpoints(self, namespace: str, but: Collection[str]) -> int:
        """Delete the checkpoints of a namespace that have other ids; how many."""
        if all(checkpoint.id in but for checkpoint in self.checkpoints(namespace)):
            return 0
        with self._database.write() as connection:
            space = find_space(connection, namespace)
            return items.drop_checkpoints(connection, space, but) if space else 0

    def conversations(self, namespace: str) -> list[ConversationInfo]:
        """What is known of each conversation, in the order of their first messages."""
        with self._database.read() as connection:
            space = find_space(connection, namespace)
            query = "SELECT info FROM conversations WHERE namespace = ? ORDER BY id"
            return [rows.unpack_info(body) for (body,) in connection.execute(query, (space.id if space else 0,))]

    def read(self, namespace: str, conversation: str) -> Conversation:
        """A conversation with its messages in order; raises ``UnknownName``."""
        with self._database.read() as connection:
            key = (find_conversation(connection, namespace, conversation),)
            (body,) = connection.execute("SELECT info FROM conversations WHERE id = ?", key).fetchone()
            query = "SELECT body FROM items WHERE conversation = ? AND kind = 'message' ORDER BY id"
            messages = tuple(rows.unpack_message(body) for (body,) in connection.execute(query, key))
        info = rows.unpack_info(body)
        return Conversation(messages, info.id, info.title, info.model, info.system_prompt)

    def checkpoints(self, namespace: str, conversation: str | None = None) -> list[Checkpoint]:
        """Checkpoints of one conversation, or of all, in the order they were put; raises ``UnknownName``."""
        with self._database.read() as connection:
            key = None if conversation is None else find_conversation(connection, namespace, conversation)
            space = find_space(connection, namespace)
            return items.read_checkpoints(connection, space, key) if space else []

    def index(self, namespace: str) -> int:
        """Embed what has no vectors yet; how many vectors were made.

        Raises ``InvalidInput`` where the namespace's vectors are of another embedder.
        """
        embedder, made = self._needed_embedder(), 0
        while pending := self._pending(namespace, embedder):
            vectors = embedder.encode([text for item in pending for text in item.texts])
            with self._database.write() as connection:
                space = find_space(connection, namespace)
                if space is not None:
                    made += _keep(connection, adopt(connection, space, embedder), pending, vectors)
        return made

    def search(self, namespace: str, query: str, k: int, kind: Kind = "message", by: Signal = "vector") -> list[Found]:
        """The ``k`` messages or checkpoints closest to a question, best first.

        By vector only what ``index`` has embedded; by keyword all that is stored and shares a word with the question.
        Raises ``UnknownName`` for another kind or signal.
        """
        for what, given, known in (("kind of item", kind, KINDS), ("signal", by, SIGNALS)):
            if given not in known:
                raise UnknownName(what, given, known)
        if by == "keyword":
            return self._by_words(namespace, query, k, kind)
        embedder = self._needed_embedder()
        vector = embedder.encode([query], "query")[0]
        with self._indexes.lock, self._database.read() as connection:
            space = find_space(connection, namespace)
            if space is None or not space.fingerprint or k <= 0:
                return []
            check_embedder(connection, space, embedder)
            best = self._indexes.best_items(connection, space, kind, vector, k)
            found = [Found(score, *items.read_item(connection, space, item)) for item, score in best]
        self._indexes.save(due_only=True)
        return found

    def forget(self, namespace: str, conversation: str) -> Receipt:
        """Take a conversation out of database, log and index files, so that none of their bytes tells of it.

        One that is not there is no error: after ``StoreBusy`` the same call finishes the work, and so does whoever
        opens the store next, after a crash too. A disk cache of the embedder is another place, which this does not
        reach.
        """
        with self._database.write() as connection:
            counts = items.take_out(connection, namespace, conversation)
            turn = forgetting.begin(connection)
        files = self._indexes.rewrite(namespace)
        forgetting.end(self._database, turn)
        return Receipt(namespace, conversation, *counts, tuple(files))

    def rebuild(self, namespace: str, embed: bool = False) -> int:
        """Make the index files anew from the vectors in the database; how many there are. Raises ``UnknownName``.

        ``embed``: make the vectors anew too, with this store's embedder.
        """
        if embed:
            self._needed_embedder()
        with self._database.write() as connection:
            space = known_space(connection, namespace)
            if embed:
                items.drop_vectors(connection, space)
        return self.index(namespace) if embed else self._indexes.rebuild(namespace)

    def namespaces(self) -> list[str]:
        """Names, for those who look after the store; every other call stays inside one."""
        with self._database.read() as connection:
            return [name for (name,) in connection.execute("SELECT name FROM namespaces ORDER BY id")]

    def facts(self) -> StoreFacts:
        """Counts, models and sizes, for those who look after the store."""
        with self._database.read() as connection:
            return facts_of(connection, self.folder, self.folder / INDEX)

    def _rewrite_all(self) -> None:
        for namespace in self.namespaces():
            self._indexes.rewrite(namespace)

    def _by_words(self, namespace: str, query: str, k: int, kind: Kind) -> list[Found]:
        with self._indexes.lock, self._database.read() as connection:
            space = find_space(connection, namespace)
            if space is None or k <= 0:
                return []
            index = self._words.setdefault((space.id, kind), WordIndex())
            index.follow(space.removals, partial(words_after, connection, space.id, kind))
            best = index.search(query, k)
            return [Found(score, *items.read_item(connection, space, item)) for item, score in best]

    def _pending(self, namespace: str, embedder: Embedder) -> list[Pending]:
        """The next rows to embed; the embedder is checked before."""
        self._follow(namespace)
        with self._database.read() as connection:
            space = find_space(connection, namespace)
            if space is None:
                return []
            if space.fingerprint:
                check_embedder(connection, space, embedder)
            return items.pending_items(connection, space, BATCH)

    def _follow(self, namespace: str) -> None:
        """Bring indexes up to date before vectors are added: no file may hold an id that is about to be given anew."""
        with self._indexes.lock, self._database.read() as connection:
            space = find_space(connection, namespace)
            if space is not None and space.fingerprint:
                self._indexes.follow(connection, space)
        self._indexes.save(due_only=True)

    def _needed_embedder(self) -> Embedder:
        if self._embedder is None:
            raise InvalidInput("this store was opened without an embedder; give it one to index or search")
        return self._embedder


def rebuild_index(folder: Path | str, embedder: Embedder | None = None, variant: str = AUTO) -> dict[str, int]:
    """Make every index file of a store anew; vectors by namespace.

    With an ``embedder`` all vectors are made anew by it, without one they are taken from the database.
    """
    with ConversationStore(folder, embedder, variant) as store:
        return {name: store.rebuild(name, embed=embedder is not None) for name in store.namespaces()}


def _keep(connection: Connection, space: Space, pending: Sequence[Pending], vectors: Vectors) -> int:
    made = start = 0
    for item in pending:
        stop = start + len(item.texts)
        made += items.keep_vectors(connection, space, item, vectors[start:stop])
        start = stop
    return made
