"""A session's working memory, grown by one thread in the background, in order."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final

from mnemo_lab.agent.sessions import Session
from mnemo_lab.agent.turn import Indexing
from mnemo_lab.context import Budget, Context
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import MnemoError
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.services import Services
from mnemo_lab.store import ConversationStore
from mnemo_lab.strategy import Strategy, WorkingMemory

SAVED_EVERY: Final = 20
"""Turns between two saves of the memory; after a crash so many at most are indexed again."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored turn, the conversation it belongs to, and the context that its answer was given from."""

    info: ConversationInfo
    messages: tuple[Message, ...]
    used: Context | None = None


def entries_of(store: ConversationStore, session: str) -> list[Entry]:
    """Every stored turn of a session, in order."""
    found: list[Entry] = []
    for info in store.conversations(session):
        turn: list[Message] = []
        for message in store.read(session, info.id).messages:
            if message.role == "user" and turn:
                found.append(Entry(info, tuple(turn)))
                turn = []
            turn.append(message)
        if turn:
            found.append(Entry(info, tuple(turn)))
    return found


class SessionMemory:
    """The log of stored turns, and the memory that follows it.

    Whoever reads waits for all of the log, or (``eventual``) for the turn that is being taken in and no more. What
    fails is tried again at the next turn and before the next reading, from what was saved last.
    """

    def __init__(
        self, strategy: Strategy, services: Services, budget: Budget, session: Session, store: ConversationStore
    ) -> None:
        self._strategy, self._services, self._budget = strategy, services, budget
        self._session, self._store = session, store
        self.log = entries_of(store, session.name)
        self._memory: WorkingMemory | None = None
        self._taken = self._saved = 0
        self._kept: set[str] = set()
        self._gate, self._turnstile = threading.Lock(), threading.Lock()
        self._pool = ThreadPoolExecutor(1, "mnemo-index")
        self._last = self._submit()

    def append(self, entry: Entry) -> Future[Indexing]:
        """Log a turn that is stored, and have it taken in."""
        self.log.append(entry)
        self._last = self._submit()
        return self._last

    @contextmanager
    def reading(self, eventual: bool) -> Iterator[tuple[WorkingMemory, int]]:
        """The memory, which stands still meanwhile, and how many turns of the log it lacks.

        Raises what taking them in has raised, where it does so again.
        """
        if not eventual:
            self._last.exception()
        with self._turnstile, self._gate:  # the turnstile: the thread that takes in gives way between two turns
            if not eventual or self._memory is None:
                self._advance(len(self.log))
            assert self._memory is not None
            self._services.ledger.path = "read"
            yield self._memory, len(self.log) - self._taken

    @property
    def checkpoints(self) -> list[Checkpoint]:
        """What was cut of all of the log; none where the strategy cuts none."""
        self._last.exception()
        with self._gate:
            return self._cut()

    def forget(self) -> None:
        """Be empty."""
        self._last.exception()
        with self._gate:
            self._drop()
            self.log.clear()

    def close(self) -> None:
        """Take in what is left and save it."""
        self._pool.shutdown()
        with self._gate:
            with suppress(MnemoError):  # it is stored; the next start tries again, and says so
                self._advance(len(self.log))
            self._save()
            self._drop()

    def _submit(self) -> Future[Indexing]:
        return self._pool.submit(self._take_in, len(self.log))

    def _take_in(self, upto: int) -> Indexing:
        with self._turnstile:
            pass
        with self._gate:
            started, spent = perf_counter(), self._services.ledger.spent.copy()
            before, error = {one.id for one in self._cut()}, None
            try:
                self._advance(min(upto, len(self.log)))
                if self._taken - self._saved >= SAVED_EVERY:
                    self._save()
            except Exception as failure:  # said by whoever reads next
                error = f"{type(failure).__name__}: {failure}"
            made = tuple(one.id for one in self._cut() if one.id not in before)
            used: Counter[str] = Counter()
            for (_, kind), tokens in (self._services.ledger.spent - spent).items():
                used[kind] += tokens
            return Indexing(perf_counter() - started, used, made, error)

    def _advance(self, upto: int) -> None:
        """Let the memory hold the first turns of the log; when it fails, or is stopped, begin anew the next time."""
        self._services.ledger.path = "write"
        try:
            reopened = self._memory is None
            memory = self._memory or self._reopened()
            while self._taken < upto:
                first, stop = self.log[self._taken], self._taken + 1
                while stop < upto and self.log[stop].info.id == first.info.id:
                    stop += 1
                self._take(memory, self.log[self._taken : stop])
                self._taken = stop
            if reopened:  # it may be of another strategy, or of a log that has lost a conversation
                self._store.drop_checkpoints(self._session.name, but=self._kept)
        except BaseException:
            self._drop()
            raise

    def _take(self, memory: WorkingMemory, entries: Sequence[Entry]) -> None:
        info, known = entries[0].info, self.log[self._taken - 1].info if self._taken else None
        if known is None or known.id != info.id:
            if known is not None:
                memory.end()
            memory.begin(replace(info, system_prompt=None))  # the agent sends it, whatever the strategy does
        memory.observe([message for entry in entries for message in entry.messages])
        for entry in entries:
            if entry.used:
                memory.used(entry.used)
        self._keep_checkpoints()

    def _keep_checkpoints(self) -> None:
        for one in self._cut():
            if one.id not in self._kept:
                self._store.put_checkpoint(self._session.name, one)
                self._kept.add(one.id)

    def _cut(self) -> list[Checkpoint]:
        return list(getattr(self._memory, "checkpoints", ()))

    def _reopened(self) -> WorkingMemory:
        """The memory as it was saved, where it is of these settings and of this log; else an empty one."""
        found = self._session.saved()
        if found is not None:
            folder, about = found
            turns = about.get("turns")
            if isinstance(turns, int) and 0 < turns <= len(self.log) and about == self._about(turns):
                with suppress(OSError, ValueError, LookupError, TypeError):  # a damaged copy; the log knows it all
                    self._memory, self._taken = self._strategy.restore(folder, self._services), turns
                    self._kept = {one.id for one in self._cut()}
        self._saved = self._taken
        if self._memory is None:
            self._memory = self._strategy.start(self._services, self._session.name, self._budget)
        return self._memory

    def _save(self) -> None:
        if self._memory is None or self._taken == self._saved:
            return
        with suppress(OSError):  # a copy that cannot be written only costs time at the next start
            self._session.save(self._memory, self._about(self._taken), self._taken)
            self._saved = self._taken

    def _about(self, turns: int) -> dict[str, Any]:
        """What must be the same for a saved memory to go on; a namespace's log only grows, or is forgotten whole."""
        embeds = "embedder" in self._strategy.needs
        return {
            "version": 1,
            "strategy": str(self._strategy),
            "embedder": self._services.embedder.fingerprint if embeds else "",
            "counter": self._services.spec.counter,
            "budget": self._budget.tokens if self._strategy.budget_bound else None,
            "turns": turns,
            "last": self.log[turns - 1].messages[-1].id,
            "at": self.log[turns - 1].messages[-1].timestamp,
        }

    def _drop(self) -> None:
        if self._memory is not None:
            self._memory.close()
        self._memory, self._taken, self._saved, self._kept = None, 0, 0, set()
