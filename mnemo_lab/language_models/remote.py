"""A model behind a vendor's SDK: limited at its endpoint, asked again where that may help, its errors translated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any, ClassVar, Final, TypeVar
from urllib.parse import urlsplit

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput, MnemoError
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import Refused
from mnemo_lab.language_models.retry import Retry
from mnemo_lab.language_models.settings import number_from, split_settings
from mnemo_lab.language_models.translate import translate
from mnemo_lab.tokens.models import find_model

R = TypeVar("R")
Request = dict[str, Any]
_GATES: Final[dict[tuple[str, int], BoundedSemaphore]] = {}


class Remote(ABC):
    """Opens nothing before the first question. Safe to use from several threads."""

    kind: ClassVar[str]
    official: ClassVar[str]
    key_variable: ClassVar[str]
    optional: ClassVar[dict[str, str]]
    """Fields that some models refuse, with the word by which: each is left out from its first refusal on."""

    def __init__(self, model: str, url: str | None, key: str | None, retry: Retry | None = None) -> None:
        self.model, self.settings = split_settings(model)
        self.name = f"{self.kind}:{model}"
        self.url, self._key = url or self.official, key
        self.retry = retry or Retry()
        self.who = f"{self.name} at {_shown(self.url)}"
        self.fingerprint = f"{self.kind}:{self.model} at {_shown(self.url)} {self.settings}"
        self.timeout = number_from("MNEMO_LLM_TIMEOUT", 120)
        places = max(int(number_from("MNEMO_LLM_CONCURRENCY", 4)), 1)
        self._gate = _GATES.setdefault((self.url, places), BoundedSemaphore(places))
        self._unwanted: set[str] = set()

    @property
    def window(self) -> int | None:
        card = find_model(self.model)
        return self.settings.window or (card.window if card else None)

    @property
    def key(self) -> str:
        """A stand-in for servers that want none; raises ``InvalidInput`` where the vendor wants one."""
        if not self._key and self.url == self.official:
            raise InvalidInput(f"{self.name} needs a key: set {self.key_variable}")
        return self._key or "none"

    def check(self) -> None:
        """Raise ``InvalidInput`` without a key, ``MissingDependency`` without the SDK; nobody is connected to."""
        _ = self._client

    @property
    @abstractmethod
    def _client(self) -> Any:
        """The SDK's client, made when it is first asked for."""

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        def ask(request: Request) -> Completion:
            with self._gate:
                with self._translated(sending=True):
                    answer = self.send(request)
                with self._translated():
                    return self.read(answer, messages)

        return self.retry.call(lambda: self._conceding(ask, messages, max_tokens, stream=False))

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        """Asked again only until the first part has come: what was given cannot be taken back."""

        def begin(request: Request) -> tuple[str | Completion, Iterator[str | Completion]]:
            parts = self._parts(request, messages)
            return next(parts), parts

        first, rest = self.retry.call(lambda: self._conceding(begin, messages, max_tokens, stream=True))
        yield first
        yield from rest

    def _parts(self, request: Request, messages: Sequence[Message]) -> Iterator[str | Completion]:
        with self._gate:
            with self._translated(sending=True):
                events = self.send(request)
            with self._translated(begun=True):
                yield from self.read_parts(events, messages)

    def _conceding(self, ask: Callable[[Request], R], messages: Sequence[Message], max_tokens: int, stream: bool) -> R:
        """Ask, and once more without whatever optional field the model refuses by name."""
        while True:
            unwanted = frozenset(self._unwanted)
            request = self.request(messages, max_tokens, stream, unwanted)
            try:
                return ask({name: value for name, value in request.items() if name not in unwanted})
            except Refused as refused:
                sent = request.keys() & self.optional.keys() - unwanted
                named = {name for name in sent if self.optional[name] in str(refused)}
                if not named:
                    raise
                self._unwanted |= named

    @contextmanager
    def _translated(self, begun: bool = False, sending: bool = False) -> Iterator[None]:
        try:
            yield
        except MnemoError:
            raise
        except Exception as error:  # every SDK has its own; what is not known goes on as it is
            ours = translate(error, self.who, begun, sending)
            if ours is None:
                raise
            if self._key:  # some servers quote it
                ours.args = tuple(str(words).replace(self._key, "…") for words in ours.args)
            raise ours from None

    @abstractmethod
    def request(self, messages: Sequence[Message], max_tokens: int, stream: bool, unwanted: frozenset[str]) -> Request:
        """What the SDK takes; ``unwanted`` fields are taken out of it afterwards."""

    @abstractmethod
    def send(self, request: Request) -> Any:
        """The answer's JSON, or where ``stream`` was requested its events as JSON."""

    @abstractmethod
    def read(self, answer: Any, messages: Sequence[Message]) -> Completion:
        """An answer of the wrong shape raises whatever it runs into."""

    @abstractmethod
    def read_parts(self, events: Iterable[Any], messages: Sequence[Message]) -> Iterator[str | Completion]:
        """The parts, the ``Completion`` last; raises ``BrokenAnswer`` where they end early."""


def _shown(url: str) -> str:
    """An address without user, password and query, which may be secrets; raises ``InvalidInput``."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise InvalidInput("the endpoint is no address; write it as http://HOST:PORT/v1 in MNEMO_LLM_BASE_URL")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")
