"""The index of hydration: passages of messages, the segments they fall into, and a checkpoint for each segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final, Literal

from mnemo_lab.context import Query
from mnemo_lab.describers.base import Describer
from mnemo_lab.history import History
from mnemo_lab.hydration.checkpoint import Checkpoint
from mnemo_lab.hydration.columns import Columns
from mnemo_lab.hydration.grown import Grown
from mnemo_lab.hydration.passages import Passages
from mnemo_lab.hydration.postings import Postings
from mnemo_lab.hydration.segments import Segment, Segmenter
from mnemo_lab.hydration.triggers.base import Trigger, unit
from mnemo_lab.retrieval.passage_index import names_speaker
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray
    from mnemo_lab.embeddings.base import Vectors
    from mnemo_lab.memory.layer import Remembering


VectorOf = Literal["messages", "description"]
NONE: Final = -1
"""The owner of a message that no checkpoint covers yet."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A checkpoint with the message positions ``start`` to ``stop - 1`` that it stands for."""

    start: int
    stop: int
    checkpoint: Checkpoint


class HydrationIndex:
    """Messages are indexed as they come; a segment that closes becomes a checkpoint, described and embedded.

    Describing runs on the services' executor and is waited for, so that a replay is the same every time. A checkpoint
    is found by the vector of its description, and by the words of that and of the messages it stands for.
    """

    def __init__(
        self,
        trigger: Trigger,
        describer: Describer,
        services: Services,
        delay: int = 0,
        reach: int = 4,
        vector: VectorOf = "messages",
    ) -> None:
        """``vector``: a checkpoint's is the mean of its messages', or that of its description (which is embedded)."""
        self._vector_of: VectorOf = vector
        self.passages = Passages(services, reach)
        self.columns = Columns(services)
        self.describer, self.services = describer, services
        self.stretches: list[Stretch] = []
        """Without their vectors, which ``checkpoints`` puts in."""
        self._vectors = Grown("float32", services.embedder.dimension)
        self._words = Postings(services.memo("words"))
        self._names: dict[str, list[int]] = {}
        self._owner = Grown("int64")
        self.segmenter = Segmenter(trigger, services, delay, self.passages.vector_of)
        self._history: History | None = None
        self._saved: dict[tuple[int, int], Stretch] = {}
        self.remembering: Remembering | None = None
        """The long tier, where a strategy has one."""

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
            self._owner.append(NONE)
            for segment in self.segmenter.observe(history, position, position + 1):
                self._keep(segment)

    def end(self) -> None:
        """The conversation is over."""
        for segment in self.segmenter.end():
            self._keep(segment)

    def checkpoints(self) -> list[Checkpoint]:
        """All there are, with their vectors, in time order."""
        name = self.services.embedder.fingerprint
        return [
            replace(stretch.checkpoint, embedding=tuple(map(float, vector)), embedder=name)
            for stretch, vector in zip(self.stretches, self._vectors.view, strict=True)
        ]

    def cosine(self, vector: Vectors) -> FloatArray:
        """Cosine of every checkpoint with a question's vector."""
        import numpy as np

        return np.asarray(self._vectors.view @ vector, dtype=np.float64)

    def keyword(self, query: Query) -> FloatArray:
        """BM25 of every checkpoint's description and messages."""
        return self._words.scores(query.text)

    def named(self, query: Query) -> FloatArray:
        """By checkpoint, how telling the names are that the question shares with it: the sum of their idf."""
        import numpy as np

        found = np.zeros(len(self.stretches))
        folded = query.text.casefold()
        for name, places in self._names.items():
            if name in folded and names_speaker(folded, name):
                found[places] += np.log(1 + len(self.stretches) / len(places))
        return found

    def spread(self, scores: FloatArray, at: IntArray | None = None) -> FloatArray:
        """A score per checkpoint as a column over messages; NaN where no checkpoint stands yet."""
        import numpy as np

        owner = self._owner.view if at is None else self._owner.view[at]
        column: FloatArray = np.append(scores, np.nan)[owner]  # NONE is -1: the last, which is no number
        return column

    def within(self, closeness: FloatArray, scope: int) -> IntArray:
        """Positions of the ``scope`` closest checkpoints and of messages that no checkpoint covers yet, in order."""
        import numpy as np

        chosen = np.zeros(len(self.stretches) + 1, dtype=bool)
        chosen[np.argsort(-closeness, kind="stable")[:scope]] = True
        chosen[NONE] = True
        return np.flatnonzero(chosen[self._owner.view])

    def message_vectors(self, positions: Sequence[int]) -> Vectors:
        """Unit vectors of these messages, as rows."""
        import numpy as np

        found = [self.passages.vector_of(int(position)) for position in positions]
        return np.stack(found) if found else self._vectors.view[:0]

    def _keep(self, segment: Segment) -> None:
        known = self._saved.get((segment.start, segment.stop))
        stretch = known or self.services.executor.submit(self._make, segment).result()
        assert self._history is not None
        if known:
            self.describer.saw(self._history.messages[segment.start : segment.stop])
        self._index(stretch, known is not None)

    def _index(self, stretch: Stretch, saved: bool) -> None:
        """Put a checkpoint where it is found; one that was saved brings its vector along."""
        checkpoint, number = stretch.checkpoint, len(self.stretches)
        text = description_text(checkpoint)
        if saved and checkpoint.embedding is not None and checkpoint.embedder == self.services.embedder.fingerprint:
            self._vectors.append(checkpoint.embedding)
        elif self._vector_of == "messages":
            self._vectors.append(unit(self.message_vectors(range(stretch.start, stretch.stop)).mean(axis=0)))
        else:
            self.services.ledger.add("embedder", self.services.count(text))
            self._vectors.extend(self.services.embedder.encode([text]))
        self.stretches.append(replace(stretch, checkpoint=replace(checkpoint, embedding=None, embedder="")))
        self._owner.view[stretch.start : stretch.stop] = number
        for name in {name.casefold() for names in checkpoint.entities.values() for name in names}:
            self._names.setdefault(name, []).append(number)
        terms = Counter(self._words.terms(text))
        for part in self.passages.texts(stretch.start, stretch.stop):
            terms.update(self._words.terms(part))
        self._words.add(terms)

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
        return Stretch(segment.start, segment.stop, checkpoint)


def description_text(checkpoint: Checkpoint) -> str:
    """What of a checkpoint is searched: its date, summary, keywords, names, decisions and open items."""
    names = [name for values in checkpoint.entities.values() for name in values]
    date = (checkpoint.created_at or "")[:10]
    parts = [checkpoint.summary, " ".join(checkpoint.keywords), " ".join(names), *checkpoint.decisions]
    return "\n".join(part for part in (date, *parts, *checkpoint.outcomes, *checkpoint.open_items) if part)
