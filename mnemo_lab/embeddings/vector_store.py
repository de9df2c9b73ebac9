"""Vectors on disk by 16-byte key: segments of sorted keys and a memory-mapped matrix each.

A segment is written under a draft name and renamed, keys last, so a torn write is never seen. Segments are
merged when there are many. Everything here may be deleted.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mnemo_lab.embeddings.base import Vectors

MERGE_AT: Final = 24


class VectorStore:
    """Append-only; safe for several processes, since each writes segments of its own."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder, self._dimension = folder, dimension
        self._segments: dict[str, tuple[NDArray[np.uint64], Vectors]] = {}

    def get(self, keys: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        """The vectors of those keys that are known."""
        import numpy as np

        self._refresh()
        found: dict[bytes, np.ndarray] = {}
        wanted = _as_numbers(keys)
        for sorted_keys, vectors in self._segments.values():
            places = np.searchsorted(sorted_keys[:, 0], wanted[:, 0])
            places[places == len(sorted_keys)] = 0
            hits = np.flatnonzero((sorted_keys[places] == wanted).all(axis=1))
            rows = np.asarray(vectors[places[hits]])
            whole = np.flatnonzero(rows.any(axis=1))  # zeros: a block the disk never wrote
            found.update((keys[hits[i]], rows[i]) for i in whole.tolist())
        return found

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Write one segment of distinct keys."""
        import numpy as np

        numbers = _as_numbers(keys)
        order = np.lexsort((numbers[:, 1], numbers[:, 0]))
        self._write(numbers[order], vectors[order])
        if len(self._segments) >= MERGE_AT:
            self._merge()

    def _write(self, numbers: NDArray[np.uint64], vectors: Vectors) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{len(numbers):08d}-{uuid.uuid4().hex[:12]}"
        _save(self._folder / f"{name}.vectors.npy", vectors)
        _save(self._folder / f"{name}.keys.npy", numbers)
        self._refresh()

    def _refresh(self) -> None:
        import numpy as np

        present = {path.name.removesuffix(".keys.npy") for path in self._folder.glob("*.keys.npy")}
        for name in present - self._segments.keys():
            try:
                keys = np.load(self._folder / f"{name}.keys.npy")
                vectors = np.load(self._folder / f"{name}.vectors.npy", mmap_mode="r")
            except Exception:  # merged away by another process, or damaged in any way: it is only a cache
                continue
            if len(keys) and keys.shape == (len(keys), 2) and vectors.shape == (len(keys), self._dimension):
                self._segments[name] = keys, vectors
        for name in self._segments.keys() - present:
            del self._segments[name]

    def _merge(self) -> None:
        import numpy as np

        old = dict(self._segments)
        keys = np.concatenate([segment[0] for segment in old.values()])
        vectors = np.concatenate([segment[1] for segment in old.values()])
        keys, first = np.unique(keys, axis=0, return_index=True)
        self._write(keys, vectors[first])
        for name in old:
            for kind in ("keys", "vectors"):
                (self._folder / f"{name}.{kind}.npy").unlink(missing_ok=True)
        self._refresh()


def _save(path: Path, array: np.ndarray) -> None:
    import numpy as np

    draft = path.with_name(f".{path.name}.draft")
    with draft.open("wb") as stream:
        np.save(stream, array)
    draft.replace(path)


def _as_numbers(keys: Sequence[bytes]) -> NDArray[np.uint64]:
    import numpy as np

    return np.frombuffer(b"".join(keys), dtype=">u8").astype(np.uint64).reshape(-1, 2)
