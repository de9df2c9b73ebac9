"""``VectorIndex``: ids in one FAISS index that grows, forgets and is laid out anew by rule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mnemo_lab.vectors.base import Hits
from mnemo_lab.vectors.variants import TRAINING_PER_LIST, VARIANTS, check_variant, layout, lists_for, open_faiss

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray
    from mnemo_lab.embeddings.base import Vectors

GROWTH: Final = 4
"""A fitted layout is fitted again when it holds this many times the vectors it was fitted to."""
DEAD_SHARE: Final = 0.2
"""Share of removed vectors from which on an index that cannot remove is built anew."""
EXACT_UP_TO: Final = 10_000
"""A search narrowed to so few ids compares them one by one: a graph or a few lists would miss them."""
MANY: Final = 2_000
CHUNK: Final = 20_000


class VectorIndex:
    """Unit vectors under ids; inner product, so that higher is closer. Scores are exact in every variant.

    ``fetch`` gives the vectors of ids, in their order, wherever they are kept: it is what an index is built anew from
    and what compressed variants are scored with. A search for many or among few is exact in every variant.
    """

    def __init__(
        self, variant: str, dimension: int, fetch: Callable[[Sequence[int]], Vectors], threads: int = 1
    ) -> None:
        self.variant, self.dimension, self._fetch = check_variant(variant), dimension, fetch
        self._faiss, self._threads = open_faiss(threads), threads
        self.ids: set[int] = set()
        self.dead: set[int] = set()
        self.kind, self.built_for = "flat", 0
        self._index = VARIANTS["flat"].build(self._faiss, dimension, 0)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Take in ids that are not there; ``fetch`` must know them already."""
        import numpy as np

        self.ids.update(ids)
        if self._is_outgrown() or not self.dead.isdisjoint(ids):
            self.rebuild()
        elif len(ids):
            rows = np.ascontiguousarray(vectors, dtype=np.float32)
            self._index.add_with_ids(rows, np.asarray(ids, dtype=np.int64))

    def remove(self, ids: Collection[int]) -> None:
        """Never find ids again; unknown ones are ignored. ``hnsw`` only marks them until it is built anew."""
        import numpy as np

        gone = self.ids.intersection(ids)
        self.ids -= gone
        if not gone:
            return
        if VARIANTS[self.kind].removes:
            self._index.remove_ids(np.fromiter(gone, dtype=np.int64))
            return
        self.dead |= gone
        if len(self.dead) > DEAD_SHARE * (len(self.ids) + len(self.dead)):
            self.rebuild()

    def rebuild(self) -> None:
        """Lay out and fit anew what is there now; nothing that was removed is left in it."""
        import numpy as np

        ids = np.sort(np.fromiter(self.ids, dtype=np.int64, count=len(self.ids)))
        self.kind, self.built_for = layout(self.variant, len(ids)), len(ids)
        self.dead = set()
        self._index = VARIANTS[self.kind].build(self._faiss, self.dimension, len(ids))
        if VARIANTS[self.kind].trains:
            step = max(len(ids) // (TRAINING_PER_LIST * max(lists_for(len(ids)), 256)), 1)
            self._index.train(self._fetch(ids[::step].tolist()))
        for start in range(0, len(ids), CHUNK):
            chunk = ids[start : start + CHUNK]
            self._index.add_with_ids(self._fetch(chunk.tolist()), chunk)

    def compact(self) -> None:
        """Leave nothing of what was removed, in ``hnsw`` too."""
        if self.dead:
            self.rebuild()

    def search(self, queries: Vectors, k: int, allowed: Collection[int] | None = None) -> list[Hits]:
        """The ``k`` closest of each row of ``queries``, best first; fewer only where there are fewer."""
        import numpy as np

        among = self.ids if allowed is None else self.ids.intersection(allowed)
        k = min(k, len(among))
        if k <= 0 or not len(queries):
            return [Hits(np.zeros(0, dtype=np.int64), np.zeros(0)) for _ in queries]
        rows = np.ascontiguousarray(queries, dtype=np.float32)
        if self.kind == "flat":
            return self._hits(rows, k, allowed)
        if k > min(len(among) // 10, MANY) or (allowed is not None and len(among) <= EXACT_UP_TO):
            return self._exact(rows, k, among)
        found = self._hits(rows, k, allowed)
        short = [row for row, hits in enumerate(found) if len(hits.ids) < k]
        for row, hits in zip(short, self._exact(rows[short], k, among) if short else [], strict=True):
            found[row] = hits
        return found

    def write(self, path: Path) -> None:
        """The FAISS index as a file, without what was removed; ids, kind and so on are the caller's to keep."""
        self.compact()
        self._faiss.write_index(self._index, str(path))

    def read(self, path: Path, kind: str, built_for: int, ids: Collection[int]) -> None:
        """Take over what ``write`` wrote; raises ``ValueError`` where the file holds something else."""
        try:
            index = self._faiss.read_index(str(path))
        except RuntimeError as error:
            raise ValueError(f"no FAISS index: {error}") from None
        if kind not in VARIANTS or index.d != self.dimension or index.ntotal != len(ids):
            raise ValueError(f"{index.ntotal} vectors of {index.d}, not {len(ids)} of {self.dimension}")
        self._index, self.kind, self.built_for = index, kind, built_for
        self.ids, self.dead = set(ids), set()

    def _is_outgrown(self) -> bool:
        grown = VARIANTS[self.kind].trains and len(self.ids) >= GROWTH * self.built_for
        return grown or (layout(self.variant, len(self.ids)) != self.kind and len(self.ids) > self.built_for)

    def _hits(self, rows: Vectors, k: int, allowed: Collection[int] | None) -> list[Hits]:
        import numpy as np

        variant, selector = VARIANTS[self.kind], self._selector(allowed)
        wide = min(k * variant.widen, self._index.ntotal)
        options = variant.options(self._faiss, wide, **({} if selector is None else {"sel": selector}))
        scores, ids = self._index.search(rows, wide, params=options)
        if variant.widen > 1:
            return self._rescored(rows, ids, k)
        return [Hits(i[i >= 0], s[i >= 0].astype(np.float64)) for i, s in zip(ids, scores, strict=True)]

    def _selector(self, allowed: Collection[int] | None) -> Any:
        import numpy as np

        if allowed is None and not self.dead:
            return None
        chosen = self.dead if allowed is None else set(allowed) - self.dead
        batch = self._faiss.IDSelectorBatch(np.fromiter(chosen, dtype=np.int64, count=len(chosen)))
        if allowed is not None:
            return batch
        return self._faiss.IDSelectorNot(batch)

    def _rescored(self, rows: Vectors, ids: IntArray, k: int) -> list[Hits]:
        """Candidates of a compressed index by their exact scores."""
        import numpy as np

        known = np.unique(ids[ids >= 0])
        vectors = self._fetch(known.tolist())
        found = []
        for row, candidates in zip(rows, ids, strict=True):
            candidates = candidates[candidates >= 0]
            scores: FloatArray = (vectors[np.searchsorted(known, candidates)] @ row).astype(np.float64)
            order = np.argsort(-scores, kind="stable")[:k]
            found.append(Hits(candidates[order], scores[order]))
        return found

    def _exact(self, rows: Vectors, k: int, among: Collection[int]) -> list[Hits]:
        flat = VectorIndex("flat", self.dimension, self._fetch, self._threads)
        flat.ids = set(among)
        flat.rebuild()
        return flat.search(rows, k)
