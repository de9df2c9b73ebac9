"""Which file, whose namespace, which embedder."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder
    from mnemo_lab.extraction.base import Extractor
    from mnemo_lab.memory.long_term import LongTermMemory
    from mnemo_lab.memory.stores import MemoryStore

DEFAULT: Final = "default"
VARIABLE: Final = "MNEMO_MEMORY"
KNOWN: Final = 20
EVERY: Final = ("active", "outdated", "forgotten")


class Opened(NamedTuple):
    """``embedder`` is ``None`` where only words are compared."""

    store: MemoryStore
    namespace: str
    path: Path
    embedder: Embedder | None = None

    def memory(self, extractor: Extractor | None = None) -> LongTermMemory:
        from mnemo_lab.memory.consolidate import Merging
        from mnemo_lab.memory.long_term import LongTermMemory, MemorySettings
        from mnemo_lab.memory.ranking import Weights

        by_words = MemorySettings(merging=Merging(vectors=False), weights=Weights(vector=0.0))
        return LongTermMemory(self.store, self.namespace, extractor, MemorySettings() if self.embedder else by_words)


@contextmanager
def opened(options: argparse.Namespace, *, make: bool = False) -> Iterator[Opened]:
    """The namespace that is named, else ``default``. Raises ``InvalidInput`` for a file that is not there, unless it
    is to be made, and ``UnknownName`` for a namespace that is not."""
    from mnemo_lab.memory.stores import IN_MEMORY, open_store

    path, encrypted = path_of(options, make=make), options.encrypted or None
    if getattr(options, "dry_run", False) and not path.exists():
        path, encrypted = Path(IN_MEMORY), None
    with open_store(path, encrypted=encrypted) as store:
        namespace = _namespace(store, options.namespace, make)
        embedder = _embedder(options, store, namespace)
        if embedder is None:
            yield Opened(store, namespace, path)
            return
    with open_store(path, embedder, encrypted=encrypted) as store:
        yield Opened(store, namespace, path, embedder)


def path_of(options: argparse.Namespace, *, make: bool = False) -> Path:
    """``--db``, else ``MNEMO_MEMORY``, else in the user's data folder."""
    from mnemo_lab.errors import InvalidInput

    chosen = options.db or os.environ.get(VARIABLE)
    path = Path(chosen).expanduser() if chosen else _usual()
    if path.is_dir():
        raise InvalidInput(f"{path} is a directory; name a file in it, such as {path / 'memory.db'}")
    if not make and not path.exists():
        raise InvalidInput(f"{path}: there are no memories yet; make some with: mnemo memory extract FILE --db {path}")
    return path


def _usual() -> Path:
    from platformdirs import user_data_path

    return user_data_path("mnemo-lab") / "memory.db"


def _namespace(store: MemoryStore, wanted: str | None, make: bool) -> str:
    from mnemo_lab.errors import InvalidInput, UnknownName

    known = store.namespaces()
    if wanted is None:
        if set(known) <= {DEFAULT}:
            return DEFAULT
        raise InvalidInput(f"the file has namespaces of its own ({', '.join(known[:KNOWN])}); name one: --namespace")
    if not make and wanted not in known:
        raise UnknownName("namespace", wanted, known[:KNOWN])
    return wanted


def _embedder(options: argparse.Namespace, store: MemoryStore, namespace: str) -> Embedder | None:
    """None unless one is asked for or the namespace has vectors; without the cache on disk, which would still know
    what was forgotten."""
    if not hasattr(options, "vectors"):
        return None
    model = next((space.model for space in store.facts().namespaces if space.name == namespace), "")
    name = options.embedder or model
    if not name and options.vectors:
        from mnemo_lab.services import ServicesSpec
        from mnemo_lab.text.language import language_of

        texts = [item.content for item in store.items(namespace)] or [getattr(options, "text", "")]
        name = ServicesSpec().for_language(language_of(texts)).embedder
    if not name:
        return None
    from mnemo_lab.embeddings import open_embedder

    return open_embedder(name, cache_dir="")


def moment_of(text: str | None, option: str) -> str | None:
    """The date itself. Raises ``InvalidInput`` for what is none."""
    from mnemo_lab.conversation import time_of
    from mnemo_lab.errors import InvalidInput

    if text is not None and time_of(text) is None:
        raise InvalidInput(f"{option} {text!r} is no date; write it like 2026-03-31 or 2026-03-31T09:30:00+00:00")
    return text


def now_of(options: argparse.Namespace) -> str:
    from mnemo_lab.memory.long_term import wall_clock

    return moment_of(options.now if hasattr(options, "now") else None, "--now") or wall_clock()
