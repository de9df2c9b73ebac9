"""What strategies with checkpoints share: hybrid's signals, and those of the checkpoint a message falls into."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import time_of
from mnemo_lab.history import History
from mnemo_lab.hydration.describers import open_describer
from mnemo_lab.hydration.index import HydrationIndex
from mnemo_lab.hydration.memory import HydratingMemory, restore_memory
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.retrieval.passage_index import IndexSettings
from mnemo_lab.retrieval.ranking import moments
from mnemo_lab.retrieval.strategies.hybrid import AS_IT_IS, WINDOW, Hybrid
from mnemo_lab.services import Services
from mnemo_lab.strategy import WorkingMemory
from mnemo_lab.text.time_expressions import days_named

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray

TRIGGER: Final = "every(n=5) and (topic_shift() or cue()) or every(n=20) or gap(hours=6)"


@dataclass(frozen=True)
class WithCheckpoints(Hybrid):
    """Hybrid over messages whose index also cuts, describes and embeds checkpoints."""

    trigger: str = TRIGGER
    delay: int = 0
    describer: Literal["extractive", "model"] = "extractive"
    checkpoint: float = 0.4
    checkpoint_words: float = 0.4
    time: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        parse_trigger(self.trigger)

    @property
    def needs(self) -> frozenset[str]:
        asked = frozenset({"language_model"} if self.describer == "model" else ())
        return super().needs | parse_trigger(self.trigger).needs | asked

    def weights(self) -> dict[str, float]:
        names = ("checkpoint", "checkpoint_words", "time")
        return {**super().weights(), **{name: getattr(self, name) for name in names}}

    def open_index(self, services: Services) -> HydrationIndex:  # type: ignore[override]
        settings = IndexSettings(self.prefix, self.k1, self.b, self.reach, self.decay, WINDOW, embed=True)
        describer = open_describer(self.describer, services)
        return HydrationIndex(settings, parse_trigger(self.trigger), describer, services, self.delay)

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return HydratingMemory(self, History(services), services)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        return restore_memory(self, folder, services)

    def _signals(  # type: ignore[override]
        self, index: HydrationIndex, history: History, query: Query
    ) -> tuple[dict[str, FloatArray], dict[str, tuple[float, float]]]:
        scores, scale = super()._signals(index.passages, history, query)
        size = len(history)
        columns: dict[str, FloatArray] = {}
        if self.checkpoint:
            columns["checkpoint"] = index.spread(index.cosine(index.passages.query_vector(query)), size)
        if self.checkpoint_words:
            columns["checkpoint_words"] = index.spread(index.keyword(query), size)
        for name, column in columns.items():
            scores[name], scale[name] = filled(column)
        if self.time:
            scores["time"], scale["time"] = dated(query, history), AS_IT_IS
        return scores, scale


def filled(column: FloatArray) -> tuple[FloatArray, tuple[float, float]]:
    """What no checkpoint covers yet (NaN) scores as the mean of what is covered; with the moments of the latter."""
    import numpy as np

    known = column[~np.isnan(column)]
    mean, std = moments(known)
    return np.where(np.isnan(column), mean, column), (mean, std)


def dated(query: Query, history: History) -> FloatArray:
    """1 for messages of the days that the question names, seen from when it is asked."""
    import numpy as np

    flags = np.zeros(len(history))
    ranges = days_named(query.text, query.asked_at)
    if ranges:
        for position, message in enumerate(history.messages):
            moment = time_of(message.timestamp)
            flags[position] = float(moment is not None and any(d.first <= moment.date() <= d.last for d in ranges))
    return flags
