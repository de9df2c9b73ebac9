"""``hydrate``: recent turns, checkpoint summaries and the best messages, in layers under one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mnemo_lab.context import Candidates
from mnemo_lab.hydration.strategies.base import WithCheckpoints
from mnemo_lab.retrieval.ranking import check_range

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray


@dataclass(frozen=True)
class Hydrate(WithCheckpoints):
    """Messages by hybrid's signals and by those of the checkpoint they fall into, packed in layers."""

    name: ClassVar[str] = "hydrate"
    recent: float = 0.0
    summaries: float = 0.0
    length: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, recent=(0, 1), summaries=(0, 1), length=(0, None))
