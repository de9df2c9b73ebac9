"""``bm25``: keyword retrieval alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mnemo_lab.context import Candidates, Query
from mnemo_lab.history import History
from mnemo_lab.retrieval.passage_index import IndexSettings, PassageIndex
from mnemo_lab.retrieval.ranking import Ranked, check_range, single_signal
from mnemo_lab.services import Services


@dataclass(frozen=True)
class BM25(Ranked):
    """Messages by BM25. ``k``: at most that many (``None``: as many as fit); ``prefix``: index date and speaker."""

    name: ClassVar[str] = "bm25"
    k: int | None = None
    k1: float = 0.9
    b: float = 0.4
    prefix: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, k1=(0, None), b=(0, 1))

    def open_index(self, services: Services) -> PassageIndex:
        return PassageIndex(IndexSettings(prefix=self.prefix, k1=self.k1, b=self.b), services)

    def candidates(self, index: PassageIndex, history: History, query: Query) -> Candidates:  # type: ignore[override]
        return single_signal("keyword", index.keyword(query))
