"""Services: counter, embedder, language model, executor, seed. Everything a strategy needs from outside.

``ServicesSpec`` is data and pickles; ``Services`` are opened once per process and share their memos.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models.errors import LanguageModelError
from mnemo_lab.ledger import Ledger
from mnemo_lab.tokens.counter import TokenCounter, open_counter

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder
    from mnemo_lab.language_models.base import Completion, LanguageModel

P = ParamSpec("P")
R = TypeVar("R")


class InlineExecutor(Executor):
    """Runs work at once in the caller's thread, so that a replay is deterministic."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # handed to whoever asks for the result, as every executor does
            future.set_exception(error)
        return future


@dataclass(frozen=True, slots=True)
class ServicesSpec:
    """What to open. ``embedder="auto"`` must be settled by ``for_language`` before it is opened."""

    counter: str = "o200k_base"
    embedder: str = "auto"
    seed: int = 0
    threads: int = 1
    cache: str | None = None
    """Folder of the embedding cache; ``None`` for the user cache, ``""`` for no cache."""
    language_model: str = "extractive"
    """``extractive``, ``openai:MODEL``, ``anthropic:MODEL``, ``local:MODEL``."""
    cassette: str | None = None
    """File of recorded answers of the language model, replayed exactly."""

    def for_language(self, language: str) -> ServicesSpec:
        """Settle ``auto``: MiniLM for English, multilingual E5 for everything else."""
        if self.embedder != "auto":
            return self
        return replace(self, embedder="all-MiniLM-L6-v2" if language == "en" else "multilingual-e5-small")

    def open(self, language_model: LanguageModel | None = None) -> Services:
        return Services(self, language_model)


class Services:
    """Opened services of one process. Heavy parts are opened on first use."""

    def __init__(self, spec: ServicesSpec, language_model: LanguageModel | None = None) -> None:
        self.spec = spec
        self.seed = spec.seed
        self.counter: TokenCounter = open_counter(spec.counter)
        self.executor: Executor = InlineExecutor()
        self.ledger = Ledger()
        self._language_model = language_model
        self._text_tokens: dict[str, int] = {}
        self._memos: dict[str, dict[Any, Any]] = {}

    def count(self, text: str) -> int:
        """Tokens of a text; every distinct text is counted once per process."""
        known = self._text_tokens.get(text)
        if known is None:
            known = self._text_tokens[text] = self.counter.count(text)
        return known

    def message_tokens(self, message: Message) -> int:
        """Tokens of a chat message; counted once per message object content."""
        memo = self.memo("message_tokens")
        calls = tuple((call.name, call.arguments) for call in message.tool_calls)
        images = tuple((item.kind, item.data) for item in message.attachments)
        key = (message.role, message.text, message.name, calls, images)
        known = memo.get(key)
        if known is None:
            known = memo[key] = self.counter.message(message)
        return int(known)

    def memo(self, name: str) -> dict[Any, Any]:
        """A process-wide memo that strategies over the same recording share."""
        return self._memos.setdefault(name, {})

    @cached_property
    def embedder(self) -> Embedder:
        if self.spec.embedder == "auto":
            raise InvalidInput(
                "embedder 'auto' depends on the language; use ServicesSpec.for_language(language).open()"
            )
        from mnemo_lab.embeddings import open_embedder

        return open_embedder(self.spec.embedder, cache_dir=self.spec.cache, threads=self.spec.threads)

    @cached_property
    def language_model(self) -> LanguageModel:
        """The model that was handed in, else the one the spec names."""
        if self._language_model is not None:
            return self._language_model
        from mnemo_lab.language_models import open_language_model

        return open_language_model(self.spec.language_model, cassette=self.spec.cassette)

    def ask(self, messages: Sequence[Message], max_tokens: int, task: str) -> Completion:
        """Ask the language model and charge the ledger; raises ``LanguageModelError``.

        ``task`` says what for (``summary``, ``answer``, …): the ledger keeps them apart.
        """
        model, started = self.language_model, perf_counter()
        try:
            done = model.chat(messages, max_tokens)
        except LanguageModelError:
            self.ledger.of(model.name, task).failed += 1
            raise
        self.ledger.charge(model.name, task, done, perf_counter() - started)
        return done
