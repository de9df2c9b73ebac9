"""``MemoryClient``: a chat whose facts outlive the conversation they were told in.

with MemoryClient("openai:gpt-4o-mini", "~/.mnemo/memory.db", "anna", system="You are a helpful assistant.") as client:
    print(client.chat("From now on, answer briefly."))
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING

from mnemo_lab.agent.agent import EMBEDDER, TASK, open_services, smaller
from mnemo_lab.agent.memory_prompt import Exchange, MemoryComposer, MemoryTurn, Prompt
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import BudgetTooSmall, InvalidInput, MnemoError
from mnemo_lab.extraction.opening import open_extractor
from mnemo_lab.language_models.base import Completion, LanguageModel
from mnemo_lab.language_models.errors import BrokenAnswer, ContextTooLong, LanguageModelError
from mnemo_lab.language_models.reading import sendable
from mnemo_lab.ledger import Ledger, Usage, dollars_of
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.inject import Injection
from mnemo_lab.memory.item import new_id
from mnemo_lab.memory.long_term import LongTermMemory, MemorySettings
from mnemo_lab.memory.stores import open_store
from mnemo_lab.services import ServicesSpec

if TYPE_CHECKING:
    from mnemo_lab.extraction.base import Extractor
    from mnemo_lab.memory.stores.base import MemoryStore


class MemoryClient:
    """Sends identity, memories, instructions, the last ``recent`` turns in full, and the question.

    ``system`` is the identity, ``instructions`` follow the memories; ``settings.shape.position`` puts these elsewhere.
    What was said is watched by ``LongTermMemory`` once it is answered; what fails there is listed in
    ``memory.failures`` and breaks no conversation. A turn that fails keeps nothing. ``end`` ends a conversation (facts
    are taken from what is left of it, nothing of it is recent any more); so does leaving ``with``, whatever happened.

    ``language_model`` is a name, an open model, or ``None`` for ``MNEMO_LLM``; ``extractor`` a name or an open one,
    ``extractor_model`` the model of ``extractor="model"`` where it is another (a cheaper) one. ``store`` is open, or a
    path to open and close. ``max_tokens`` bounds everything sent, ``memory_tokens`` the block of memories; the former
    shrinks to the model's window less ``answer_tokens``, the longest answer. ``ledger`` has the cost of answers,
    ``extraction_ledger`` that of extraction. Threads may share a client; their turns follow one another.
    Raises ``InvalidInput``; ``chat`` also ``LanguageModelError`` and ``BudgetTooSmall``.
    """

    def __init__(
        self,
        language_model: str | LanguageModel | None,
        store: MemoryStore | str | os.PathLike[str],
        namespace: str,
        *,
        extractor: str | Extractor = "rules",
        extractor_model: str | LanguageModel | None = None,
        settings: MemorySettings | None = None,
        system: str | None = None,
        instructions: str | None = None,
        recent: int = 6,
        max_tokens: int = 8192,
        memory_tokens: int = 800,
        answer_tokens: int = 1024,
        services: ServicesSpec | None = None,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        _check(namespace, {"recent": recent, "memory_tokens": memory_tokens}, 0)
        _check(namespace, {"max_tokens": max_tokens, "answer_tokens": answer_tokens}, 1)
        if extractor_model and extractor == "rules":
            raise InvalidInput("extractor_model is given, but rules ask no model; use extractor='model' with it")
        spec = services or ServicesSpec(embedder=EMBEDDER)
        settings = settings or MemorySettings()
        self.services = open_services(spec, language_model)
        self.services.ledger = self.ledger = Ledger(path="read")
        extracting = (
            open_services(spec, extractor_model) if extractor_model else spec.open(self.services.language_model)
        )
        self.extraction_ledger = extracting.ledger
        found = open_extractor(extractor, extracting) if isinstance(extractor, str) else extractor
        self.max_tokens, self.answer_tokens = max_tokens, answer_tokens
        self.last: MemoryTurn | None = None
        self._now, self._busy, self._owner, self._closed = now, threading.Lock(), 0, False
        self._own: MemoryStore | None = None
        self._reading: Generator[str | MemoryTurn, None, None] | None = None
        embeds = bool(settings.weights.vector or settings.merging.vectors)
        if isinstance(store, str | os.PathLike):
            store = self._own = open_store(os.fspath(store), self.services.embedder if embeds else None)
        elif embeds:
            store.search(namespace, namespace, 1, "vector")  # tells now that there is no embedder, not at every turn
        self.memory = LongTermMemory(store, namespace, found, settings, now=self._moment)
        self._decided: list[Decision] = []
        self.memory.notify = self._decided.append
        self._composer = MemoryComposer(
            self.services, system or "", instructions or "", recent, memory_tokens, settings.shape.position
        )
        self._turns: list[Exchange] = []
        self._begun = False

    def chat(self, message: str) -> str:
        """The answer; facts due by then are extracted before it is returned."""
        return self._chat(message, threading.get_ident())

    async def achat(self, message: str) -> str:
        """As ``chat``, in a thread. Cancelling stops waiting, not the turn."""
        return await asyncio.to_thread(self._chat, message, 0)

    def stream(self, message: str) -> Generator[str, None, None]:
        """The answer in parts as they come. The turn is kept when there are no more."""
        with closing(self._answered(message, threading.get_ident(), streams=True)) as parts:
            self._reading = parts
            yield from (part for part in parts if isinstance(part, str))

    def end(self) -> None:
        """The conversation is over; what follows is another one. Twice is no error."""
        with self._alone(threading.get_ident()):
            self.memory.end()
            self._turns, self._begun = [], False

    def close(self) -> None:
        """End the conversation and let go of the store, where it was opened here. Twice is no error."""
        if self._reading and self._owner == threading.get_ident():
            self._reading.close()  # an answer that is not read to its end is no turn
        if not self._closed:
            self.end()
            self._closed = True
            if self._own is not None:
                self._own.close()

    def __enter__(self) -> MemoryClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _chat(self, message: str, thread: int) -> str:
        *_, turn = self._answered(message, thread, streams=False)
        return str(turn)

    @contextmanager
    def _alone(self, thread: int) -> Iterator[None]:
        """One turn at a time; who would wait for an answer that they themselves have not read to its end is told."""
        if not self._busy.acquire(blocking=False):
            if thread and thread == self._owner:
                raise MnemoError("the answer before is still being read; read it to its end, or close it")
            self._busy.acquire()
        try:
            self._owner = thread
            if self._closed:
                raise MnemoError(f"the client of namespace {self.memory.namespace!r} is closed; open another")
            yield
        finally:
            self._owner = 0
            self._busy.release()

    def _answered(self, text: str, thread: int, streams: bool) -> Generator[str | MemoryTurn, None, None]:
        """The parts, the turn last."""
        with self._alone(thread):
            question, secrets = self._question(text), Counter(self.memory.secrets.found)
            sent = self._prepared(question, self._limit())
            try:
                parts = self._asked(sent, streams)
                first = next(parts)
            except ContextTooLong as error:
                less = smaller(sent.total, error.limit, self._longest())
                try:
                    sent = self._prepared(question, less)
                except BudgetTooSmall:
                    raise error from None
                parts = self._asked(sent, streams)
                first = next(parts)
                self.max_tokens = less
            with closing(parts):
                while isinstance(first, str):
                    yield first
                    first = next(parts)
            yield self._kept(question, first, sent, secrets)

    def _question(self, text: str) -> Message:
        if not text.strip():
            raise InvalidInput("the message is empty; write something")
        return Message("user", sendable(text), f"{len(self._turns) + 1}u", self._moment())

    def _prepared(self, question: Message, limit: int) -> Prompt:
        def inject(tokens: int) -> Injection:
            return self.memory.inject(question.text, question.timestamp, tokens, self.services.count)

        return self._composer.compose(inject, self._turns, question, limit)

    def _asked(self, sent: Prompt, streams: bool) -> Generator[str | Completion, None, None]:
        """The model's parts, where wanted, and its completion last, charged."""
        model, started = self.services.language_model, perf_counter()
        if not streams:
            yield self.services.ask(sent.messages, self._longest(), TASK)
            return
        try:
            for part in model.stream(sent.messages, self._longest()):
                if isinstance(part, Completion):
                    self.ledger.charge(model.name, TASK, part, perf_counter() - started)
                yield part
                if isinstance(part, Completion):
                    return
            raise BrokenAnswer(f"{model.name} ended without saying how; ask again")
        except LanguageModelError:
            self.ledger.of(model.name, TASK).failed += 1
            raise

    def _kept(self, question: Message, done: Completion, sent: Prompt, secrets: Counter[str]) -> MemoryTurn:
        answer = Message("assistant", sendable(done.text), f"{question.id[:-1]}a", self._moment())
        model = self.services.language_model.name
        if not self._begun:
            self.memory.begin(ConversationInfo(new_id(), model=model, started_at=question.timestamp))
            self._begun = True
        self._turns.append((question, answer))
        self._decided.clear()
        try:
            self.memory.used(sent.injection.items, question.timestamp)
        except MnemoError as error:  # as with extraction: it costs a memory, never the conversation
            self.memory.failures.append(f"{type(error).__name__}: {error}")
        self.memory.observe([question, answer])
        dollars = dollars_of(model, Usage(1, done.input_tokens, done.output_tokens, done.cached_tokens))
        filtered = self.memory.secrets.found - secrets
        self.last = MemoryTurn(question, answer, sent, done, dollars, tuple(self._decided), filtered)
        return self.last

    def _limit(self) -> int:
        window = self.services.language_model.window
        return self.max_tokens if window is None else min(self.max_tokens, window - self._longest())

    def _longest(self) -> int:
        """Tokens of the longest answer; half of a small window."""
        window = self.services.language_model.window
        return self.answer_tokens if window is None else max(min(self.answer_tokens, window // 2), 1)

    def _moment(self) -> str:
        return self._now().isoformat(timespec="seconds")


def _check(namespace: str, given: dict[str, int], least: int) -> None:
    if not namespace.strip():
        raise InvalidInput("the namespace is empty; name whose memories they are")
    for name, value in given.items():
        if value < least:
            raise InvalidInput(f"{name}={value}: must be {least} or more")
