"""The index of hydration: passages of messages, the segments they fall into, and a checkpoint for each segment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from mnemo_lab.context import Query
from mnemo_lab.describers.base import Describer
from mnemo_lab.history import History
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.hydration.columns import Columns
from mnemo_lab.hydration.segments import Segment, Segmenter
from mnemo_lab.hydration.triggers.base import Trigger
from mnemo_lab.retrieval.bm25_matrix import BM25Matrix, TermCounts
from mnemo_lab.retrieval.passage_index import IndexSettings, PassageIndex, names_speaker
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray
    from mnemo_lab.embeddings.base import Vectors


@dataclass(frozen=True, slots=True)
class Stretch:
    """A checkpoint with the message positions ``start`` to ``stop - 1`` that it stands for."""

    start: int
    stop: int
    checkpoint: Checkpoint


class HydrationIndex:
    """Messages are indexed as they come; a segment that closes becomes a checkpoint, described and embedded.

    Describing runs on the services' executor and is waited for, so that a replay is the same every time.
    """

    def __init__(
        self, settings: IndexSettings, trigger: Trigger, describer: Describer, services: Services, delay: int = 0
    ) -> None:
        self.passages = PassageIndex(settings, services)
        self.columns = Columns(services)
        self.describer, self.services = describer, services
        self.stretches: list[Stretch] = []
        self._vectors: list[Vectors] = []
        self._names: dict[str, set[int]] = {}
        self._views: dict[str, tuple[int, Any]] = {}
        self._counts = TermCounts(services.memo("words"))
        vector_of = self.passages.vector_of if settings.embed else None
        self.segmenter = Segmenter(trigger, services, delay, vector_of)
        self._history: History | None = None
        self._saved: dict[tuple[int, int], Stretch] = {}

    def expect(self, stretches: Sequence[Stretch]) -> None:
        """Checkpoints made before: taken as they are where the same segment closes again (after a restore)."""
        self._saved = {(item.start, item.stop): item for item in stretches}

    def add(self, history: History, first: int) -> None:
        """Take in messages, conversation by conversation: a conversation's end closes its last segment."""
        self._history = history
        self.passages.add(history, first)
        self.columns.add(history, first)
        conversations = history.conversation_of
        for position in range(first, len(history)):
            if position and conversations[position] != conversations[position - 1]:
                self.end()
            for segment in self.segmenter.observe(history, position, position + 1):
                self._keep(segment)

    def end(self) -> None:
        """The conversation is over."""
        for segment in self.segmenter.end():
            self._keep(segment)

    def vectors(self) -> Vectors:
        """Checkpoints' vectors as rows."""
        import numpy as np

        if not self._vectors:
            return np.zeros((0, self.services.embedder.dimension), dtype=np.float32)
        stacked: Vectors = self._once("vectors", len(self._vectors), lambda: np.stack(self._vectors))
        return stacked

    def cosine(self, vector: Vectors) -> FloatArray:
        """Cosine of every checkpoint with a query's vector."""
        import numpy as np

        return np.asarray(self.vectors() @ vector, dtype=np.float64)

    def keyword(self, query: Query) -> FloatArray:
        """BM25 of every checkpoint's description."""
        import numpy as np

        if not self.stretches:
            return np.zeros(0)
        matrix: BM25Matrix = self._once("keyword", len(self.stretches), self._matrix)
        return matrix.scores(self._counts.query_terms(query.text))

    def named(self, query: Query) -> FloatArray:
        """By checkpoint, how telling the names are that the question shares with it: the sum of their idf."""
        import numpy as np

        found = np.zeros(len(self.stretches))
        folded = query.text.casefold()
        for name, places in self._names.items():
            if name in folded and names_speaker(folded, name):
                found[list(places)] += np.log(1 + len(self.stretches) / len(places))
        return found

    def pair(self, vector: Vectors) -> FloatArray:
        """Cosine by message with the mean of the message before, if of the same session, and its own vector."""
        import numpy as np

        return np.asarray(self._once("pair", len(self.columns), self._pairs) @ vector, dtype=np.float64)

    def message_vectors(self) -> Vectors:
        """A unit vector for every message, as rows."""
        import numpy as np

        size = len(self.columns)
        if not size:
            return np.zeros((0, self.services.embedder.dimension), dtype=np.float32)
        stacked: Vectors = self._once(
            "messages", size, lambda: np.stack([self.passages.vector_of(i) for i in range(size)])
        )
        return stacked

    def _pairs(self) -> Vectors:
        import numpy as np

        vectors, sessions = self.message_vectors(), np.asarray(self._history.session_of if self._history else [])
        rows = vectors.copy()
        same = sessions[1:] == sessions[:-1]
        rows[1:][same] += vectors[:-1][same]
        unit: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return unit

    def _matrix(self) -> BM25Matrix:
        return BM25Matrix(self._counts.matrix(), 0.9, 0.4, None)

    def _once(self, name: str, size: int, make: Callable[[], Any]) -> Any:
        """Build a view once for what there is now."""
        if self._views.get(name, (-1,))[0] != size:
            self._views[name] = (size, make())
        return self._views[name][1]

    def spread(self, scores: FloatArray, size: int) -> FloatArray:
        """A score per checkpoint as a column over ``size`` messages; NaN where no checkpoint stands yet."""
        import numpy as np

        column = np.full(size, np.nan)
        for stretch, score in zip(self.stretches, scores, strict=True):
            column[stretch.start : stretch.stop] = score
        return column

    def _keep(self, segment: Segment) -> None:
        known = self._saved.get((segment.start, segment.stop))
        if known and self._history:
            self.describer.saw(self._history.messages[segment.start : segment.stop])
        stretch = known or self.services.executor.submit(self._make, segment).result()
        for names in stretch.checkpoint.entities.values():
            for name in names:
                self._names.setdefault(name.casefold(), set()).add(len(self.stretches))
        self.stretches.append(stretch)
        text = description_text(stretch.checkpoint)
        self._counts.add([text])
        if stretch.checkpoint.embedding is not None:
            import numpy as np

            self._vectors.append(np.asarray(stretch.checkpoint.embedding, dtype=np.float32))

    def _make(self, segment: Segment) -> Stretch:
        assert self._history is not None
        history, messages = self._history, self._history.messages[segment.start : segment.stop]
        said = self.describer.describe(messages)
        conversation = history.conversation_of[segment.start]
        name = history.infos[conversation].id if history.infos else ""
        checkpoint = Checkpoint(
            id=f"{name or 'c'}-{len(self.stretches)}",
            conversation=name,
            start=messages[0].id,
            stop=messages[-1].id,
            created_at=messages[-1].timestamp,
            trigger=segment.fired.trigger,
            score=segment.fired.score,
            **{f.name: getattr(said, f.name) for f in fields(said)},
        )
        return Stretch(segment.start, segment.stop, self._embedded(checkpoint))

    def _embedded(self, checkpoint: Checkpoint) -> Checkpoint:
        if not self.passages.embeds:
            return checkpoint
        text, embedder = description_text(checkpoint), self.services.embedder
        self.services.ledger.add("embedder", self.services.count(text))
        (vector,) = embedder.encode([text])
        return replace(checkpoint, embedding=tuple(map(float, vector)), embedder=embedder.fingerprint)


def description_text(checkpoint: Checkpoint) -> str:
    """What of a checkpoint is searched: its date, summary, keywords, names, decisions and open items."""
    names = [name for values in checkpoint.entities.values() for name in values]
    date = (checkpoint.created_at or "")[:10]
    parts = [checkpoint.summary, " ".join(checkpoint.keywords), " ".join(names), *checkpoint.decisions]
    return "\n".join(part for part in (date, *parts, *checkpoint.outcomes, *checkpoint.open_items) if part)
