"""``ConversationAgent``: store, retrieve, build, answer, index, checkpoint; one session each."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Final

from mnemo_lab.agent.indexing import Entry, SessionMemory
from mnemo_lab.agent.prompt import Composer, Sent
from mnemo_lab.agent.sessions import Session, default_folder, forget_in
from mnemo_lab.agent.turn import Indexing, Turn
from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import BudgetTooSmall, InvalidInput, MnemoError
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.language_models.base import Completion, LanguageModel
from mnemo_lab.language_models.errors import BrokenAnswer, ContextTooLong, LanguageModelError
from mnemo_lab.language_models.opening import chosen_cassette, split_kind
from mnemo_lab.language_models.reading import sendable
from mnemo_lab.ledger import Ledger, Usage, dollars_of
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.store import ConversationStore, Receipt
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy

TASK: Final = "answer"
EMBEDDER: Final = "multilingual-e5-small"
"""Nobody knows beforehand in which language a chat will be."""
MARGIN: Final = 0.95
"""Of what is left of a limit that the vendor named: it counts otherwise than we do."""
TITLE: Final = 60
_NUMBERED: Final = re.compile(r"([0-9]{1,15})[ua]")


@dataclass
class _Watch:
    """Seconds since the last lap, by stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    _since: float = field(default_factory=perf_counter)

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._since
        self._since = now


class ConversationAgent:
    """A chat with a memory, over any language model and strategy.

    A turn is a question with its answer. It is on the disk before ``chat`` returns, or not at all: who stops in the
    middle of an answer keeps nothing of that turn. Indexing and checkpoints follow in the background, turn by turn.
    **Consistency**: the history of turn t is chosen when all turns before it are indexed; ``chat`` waits for that.
    With ``eventual`` it waits for the one that is being indexed at most (opening a session counts as one), chooses
    from what there is, and ``Turn.sent.missing`` says how many turns were not in yet. A question is never part of
    its own history, and nothing of another session is.

    ``max_tokens`` bounds everything sent: system prompt, history, the last ``recent`` turns (a third of the room at
    most), question. It shrinks to the model's window less ``answer_tokens``, the longest answer, and once more where
    the vendor says that a prompt is too long. A session is open in one place at a time and goes on where it was;
    ``store`` is the folder of all of them. ``system``: ``None`` for the one the session had. ``model`` is a name, an
    open model, or ``None`` for ``MNEMO_LLM``. ``services``: counter, embedder, seed and caches, if not the usual ones.
    Threads may share an agent; their turns come one after the other. Raises ``InvalidInput``; ``chat`` also
    ``LanguageModelError`` and ``BudgetTooSmall``, after which the session is as before.
    """

    def __init__(
        self,
        strategy: str | Strategy = "hydrate",
        model: str | LanguageModel | None = None,
        *,
        session: str = "default",
        store: str | os.PathLike[str] | None = None,
        max_tokens: int = 4096,
        system: str | None = None,
        answer_tokens: int = 1024,
        recent: int = 2,
        eventual: bool = False,
        services: ServicesSpec | None = None,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        _check(max_tokens=(max_tokens, 1), answer_tokens=(answer_tokens, 1), recent=(recent, 0))
        self.strategy, self.session, self.eventual = parse_strategy(strategy), session, eventual
        self.max_tokens, self.answer_tokens = max_tokens, answer_tokens
        self.services = open_services(services or ServicesSpec(embedder=EMBEDDER), model)
        self.ledger = Ledger(path="read")
        """Of answers; what the memory's models take is in ``services.ledger``."""
        self.last: Turn | None = None
        self._now, self._busy, self._owner = now, threading.Lock(), 0
        folder = default_folder() if store is None else Path(store).expanduser()
        embeds = "embedder" in self.strategy.needs
        budget = Budget(max_tokens * 3 // 4, self.services.counter)
        with ExitStack() as opened:
            self._place = opened.enter_context(closing(Session(folder, session)))
            embedder = self.services.embedder if embeds else None
            self._store = opened.enter_context(closing(ConversationStore(folder, embedder)))
            self._memory = SessionMemory(self.strategy, self.services, budget, self._place, self._store)
            self._opened = opened.pop_all()
        log = self._memory.log
        known = log[-1].info if log else None
        self._info = None if self._place.turned else known
        self.system = system if system is not None else known.system_prompt if known else None
        self._composer = Composer(self.services, self.system, recent)
        self._keeper, self._closed = ThreadPoolExecutor(1, "mnemo-store"), False

    def chat(self, message: str) -> Turn:
        """The whole turn; ``str`` of it is the answer."""
        return self._turn(message, threading.get_ident())

    def stream(self, message: str) -> Generator[str, None, None]:
        """The answer in parts as they come. The turn, then in ``last``, is kept when there are no more."""
        return self._parts(message, threading.get_ident())

    async def achat(self, message: str) -> Turn:
        """As ``chat``, in a thread. Cancelling stops waiting, not the turn."""
        return await asyncio.to_thread(self._turn, message)

    async def astream(self, message: str) -> AsyncIterator[str]:
        """As ``stream``; cancelling drops the turn once the part that is under way has come."""
        parts = self._parts(message)
        step: asyncio.Future[str | None] | None = None
        try:
            while True:
                step = asyncio.ensure_future(asyncio.to_thread(next, parts, None))
                part = await asyncio.shield(step)
                if part is None:
                    break
                yield part
        finally:
            if step is not None and not step.done():
                with suppress(Exception):
                    await step
            await asyncio.to_thread(parts.close)

    def new_conversation(self) -> None:
        """What follows is another conversation of this session: it remembers, but there are no recent turns."""
        with self._alone(threading.get_ident()):
            self._place.turned, self._info = True, None

    def forget(self) -> list[Receipt]:
        """Delete all of this session, for good; it goes on empty."""
        with self._alone(threading.get_ident()):
            self._memory.forget()
            self._info, self.last = None, None
            return forget_in(self._store, self._place)

    @property
    def turns(self) -> int:
        """How many turns the session has, the one being stored included."""
        if not self._closed:
            self._keeper.submit(bool).result()
        return len(self._memory.log)

    @property
    def checkpoints(self) -> list[Checkpoint]:
        """What was cut so far, once all turns are indexed."""
        return self._memory.checkpoints

    def close(self) -> None:
        """Finish indexing, save, and let go of the session. Twice is no error."""
        if self._closed:
            return
        self._closed = True
        self._keeper.shutdown()
        with self._opened:
            self._memory.close()

    def __enter__(self) -> ConversationAgent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _turn(self, message: str, thread: int = 0) -> Turn:
        *_, turn = self._answered(message, thread)
        assert isinstance(turn, Turn)
        return turn

    def _parts(self, message: str, thread: int = 0) -> Generator[str, None, None]:
        with closing(self._answered(message, thread)) as parts:
            yield from (part for part in parts if isinstance(part, str))

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
                raise MnemoError(f"the agent of session {self.session!r} is closed; open another")
            yield
        finally:
            self._owner = 0
            self._busy.release()

    def _answered(self, text: str, thread: int) -> Generator[str | Turn, None, None]:
        """The parts, the turn last."""
        with self._alone(thread):
            watch, question = _Watch(), self._question(text)
            sent, spent = self._prepared(question, self._limit(), watch)
            try:
                parts = self._asked(sent, watch)
                first = next(parts)
            except ContextTooLong as error:
                less = smaller(sent.total, error.limit, self._longest())
                try:
                    sent, more = self._prepared(question, less, watch)
                except BudgetTooSmall:
                    raise error from None
                spent += more
                parts = self._asked(sent, watch)
                first = next(parts)
                self.max_tokens = less
            with closing(parts):
                while isinstance(first, str):
                    yield first
                    first = next(parts)
            watch.lap("answer")
            yield self._kept(question, first, sent, spent, watch)

    def _question(self, text: str) -> Message:
        if not text.strip():
            raise InvalidInput("the message is empty; write something")
        when = self._now().isoformat(timespec="seconds")
        return Message("user", sendable(text), f"{self._number()}u", when)

    def _number(self) -> int:
        """Of the next turn's ids. Not how many there are: some may have been forgotten, others imported."""
        log = self._memory.log[: self.turns]
        ids = (_NUMBERED.fullmatch(message.id or "") for entry in log for message in entry.messages)
        return max((int(found[1]) for found in ids if found), default=0) + 1

    def _limit(self) -> int:
        window = self.services.language_model.window
        return self.max_tokens if window is None else min(self.max_tokens, window - self._longest())

    def _longest(self) -> int:
        """Tokens of the longest answer; half of a small window."""
        window = self.services.language_model.window
        return self.answer_tokens if window is None else max(min(self.answer_tokens, window // 2), 1)

    def _prepared(self, question: Message, limit: int, watch: _Watch) -> tuple[Sent, Counter[str]]:
        """What is sent, and what choosing it has read, by kind of model."""
        query = Query(question.text, question.timestamp)
        info, log, spent = self._info, self._memory.log, self.services.ledger.spent
        turns = [entry.messages for entry in log if info and entry.info.id == info.id]
        with self._memory.reading(self.eventual) as (memory, missing):
            watch.lap("wait")
            before = spent.copy()
            sent = self._composer.compose(partial(memory.recall, query), turns, question, limit)
            read = Counter({kind: tokens for (_, kind), tokens in (spent - before).items()})
            made = list(getattr(memory, "checkpoints", ()))
        watch.lap("recall")
        context = replace(sent.context, candidates=None)  # scores of all messages: not to be kept with every turn
        found = checkpoints_in(sent.history, made, [m.id for entry in log for m in entry.messages])
        return replace(sent, missing=missing, checkpoints=found, context=context), read

    def _asked(self, sent: Sent, watch: _Watch) -> Generator[str | Completion, None, None]:
        """The model's parts and its completion last, charged."""
        model, started = self.services.language_model, perf_counter()
        try:
            for part in model.stream(sent.messages, self._longest()):
                if "first" not in watch.seconds:
                    watch.lap("first")
                if isinstance(part, Completion):
                    self.ledger.charge(model.name, TASK, part, perf_counter() - started)
                    yield part
                    return
                yield part
            raise BrokenAnswer(f"{model.name} ended without saying how; ask again")
        except LanguageModelError:
            self.ledger.of(model.name, TASK).failed += 1
            raise

    def _kept(self, question: Message, done: Completion, sent: Sent, read: Counter[str], watch: _Watch) -> Turn:
        """Stored, logged and being indexed. In a thread of its own: no interrupt comes between these."""
        number = self.turns + 1
        when = self._now().isoformat(timespec="seconds")
        answer = Message("assistant", sendable(done.text), f"{question.id[:-1]}a", when)
        entry = Entry(self._conversation(question), (question, answer), sent.context)
        background = self._keeper.submit(self._keep, entry).result()
        watch.lap("store")
        model = self.services.language_model.name
        dollars = dollars_of(model, Usage(1, done.input_tokens, done.output_tokens, done.cached_tokens))
        self.last = Turn(number, question, answer, sent, done, dollars, watch.seconds, read, background)
        return self.last

    def _keep(self, entry: Entry) -> Future[Indexing]:
        self._store.append(self.session, entry.info, entry.messages)
        if self._info is None:
            self._place.turned = False
        self._info = entry.info
        return self._memory.append(entry)

    def _conversation(self, question: Message) -> ConversationInfo:
        model = self.services.language_model.name
        if self._info is not None:
            return replace(self._info, model=model, system_prompt=self.system)
        taken = {info.id for info in self._store.conversations(self.session)}
        number = next(str(number) for number in count(len(taken) + 1) if str(number) not in taken)
        title = " ".join(question.text.split())[:TITLE]
        return ConversationInfo(number, title, model, self.system, question.timestamp)


def checkpoints_in(shown: Sequence[str], checkpoints: Sequence[Checkpoint], ids: Sequence[str]) -> tuple[str, ...]:
    """Which checkpoints the shown messages fall into; ``ids`` are those of all messages in order."""
    place = {key: position for position, key in enumerate(ids)}
    positions = {place[key] for key in shown if key in place}
    return tuple(
        one.id
        for one in checkpoints
        if one.start in place and not positions.isdisjoint(range(place[one.start], place.get(one.stop, -1) + 1))
    )


def smaller(total: int, limit: int | None, answer: int) -> int:
    """Our tokens for the second try: what the limit leaves beside the answer; where that is no less, a part."""
    room = total // 2 if limit is None else int((limit - answer) * MARGIN)
    return max(room if 0 < room < total else total * 3 // 4, 1)


def open_services(spec: ServicesSpec, model: str | LanguageModel | None) -> Services:
    if model is None or isinstance(model, str):
        name = model or os.environ.get("MNEMO_LLM")
        if not name:
            raise InvalidInput(
                "a chat needs a language model: name one (openai:gpt-4o-mini, anthropic:claude-haiku-4-5, "
                "local:smollm2) or set MNEMO_LLM to it; 'extractive' answers with passages of what was said before"
            )
        split_kind(name)
        return replace(spec, language_model=name, cassette=spec.cassette or chosen_cassette()).open()
    return spec.open(model)


def _check(**given: tuple[int, int]) -> None:
    for name, (value, least) in given.items():
        if value < least:
            raise InvalidInput(f"{name}={value}: must be {least} or more")
