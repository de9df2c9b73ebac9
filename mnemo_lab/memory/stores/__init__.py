"""Where memories are kept: in one SQLite file (encrypted, if wanted), in a JSON file, or as long as the process lives.

with open_store("~/.mnemo/memory.db", services.embedder) as store:
    with store.write("anna") as writing:
        writing.put(Decision("anna", "add", "said so", item.created_at, after=(item,)))
    store.search("anna", "which editor?", k=5, by="keyword")
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.memory.stores.base import ACTIVE, LIVING, Hit, MemoryStore, Receipt, Signal, Writing

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder

__all__ = ["ACTIVE", "LIVING", "Hit", "MemoryStore", "Receipt", "Signal", "Writing", "open_store"]
IN_MEMORY: Final = ":memory:"


def open_store(
    path: Path | str,
    embedder: Embedder | None = None,
    *,
    key: str | None = None,
    encrypted: bool | None = None,
    variant: str = "auto",
    patience: float = 30.0,
    threads: int = 1,
) -> MemoryStore:
    """``:memory:``, a file that ends in ``.json``, or else a SQLite file; each is made where it is not there.

    ``embedder`` is needed to search by vector. A SQLite file is encrypted (SQLCipher, pages, log and all) by ``key``,
    else by the environment's ``MNEMO_MEMORY_KEY``, else by the keyring's (``mnemo-lab``, ``memory``), which is asked
    where the file is encrypted or ``encrypted`` says it is to be. ``patience``: seconds to wait for another writer,
    then ``StoreBusy`` comes. Raises ``InvalidInput`` for a key that does not fit the file, and ``MissingDependency``.
    """
    place = Path(path).expanduser()
    if str(path) == IN_MEMORY or place.suffix.lower() == ".json":
        if key is not None or encrypted:
            raise InvalidInput(f"{path}: only a SQLite file can be encrypted; choose a name that ends in .db")
        if str(path) == IN_MEMORY:
            from mnemo_lab.memory.stores.in_memory import InMemoryStore

            return InMemoryStore(embedder)
        from mnemo_lab.memory.stores.json_file import JsonStore

        return JsonStore(place, embedder, patience)
    from mnemo_lab.memory.stores.sqlite import SqliteStore
    from mnemo_lab.storage.keys import driver_for

    driver = driver_for(place, key, encrypted)
    return SqliteStore(place, embedder, driver=driver, variant=variant, patience=patience, threads=threads)
