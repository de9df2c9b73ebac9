"""``dense``: embedding retrieval alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.context import Candidates, Query
from mnemo_lab.conversation import Message
from mnemo_lab.history import History
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.retrieval.passage_index import IndexSettings, PassageIndex
from mnemo_lab.retrieval.ranking import Ranked, single_signal
from mnemo_lab.services import Services


@dataclass(frozen=True)
class Dense(Ranked):
    """Messages by cosine of their best passage. ``k``: at most that many; ``prefix``: index date and speaker."""

    name: ClassVar[str] = "dense"
    k: int | None = None
    prefix: bool = True

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"})

    def open_index(self, services: Services) -> PassageIndex:
        return PassageIndex(IndexSettings(prefix=self.prefix, embed=True), services)

    def texts_to_embed(self, messages: Sequence[Message]) -> list[str]:
        return [part for message in messages for part in index_passages(message, self.prefix)]

    def candidates(self, index: PassageIndex, history: History, query: Query) -> Candidates:  # type: ignore[override]
        return single_signal("dense", index.dense(index.query_vector(query)))
