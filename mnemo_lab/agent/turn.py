"""One turn of a chat: what was asked, sent and answered, and what that cost."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from mnemo_lab.agent.prompt import Sent
from mnemo_lab.conversation import Message
from mnemo_lab.language_models.base import Completion


@dataclass(frozen=True, slots=True)
class Indexing:
    """What taking a turn in has cost: ``tokens`` read and written by kind of model, and which checkpoints it closed.

    ``error`` says why it failed; the turn is stored all the same, and taken in before the next answer.
    """

    seconds: float
    tokens: Mapping[str, int] = field(default_factory=dict)
    checkpoints: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """``str`` of it is the answer. ``seconds`` by stage: ``wait`` (for earlier turns to be indexed), ``recall``,
    ``first`` (until the first part came), ``answer`` (until the last), ``store``. ``recall_tokens`` by kind of model.

    ``dollars`` is NaN where the model's price is not known.
    """

    number: int
    question: Message
    answer: Message
    sent: Sent
    completion: Completion
    dollars: float
    seconds: Mapping[str, float]
    recall_tokens: Mapping[str, int]
    background: Future[Indexing] = field(repr=False)

    def __str__(self) -> str:
        return self.answer.text

    @property
    def indexing(self) -> Indexing | None:
        """``None`` while it is still going on."""
        return self.background.result() if self.background.done() else None

    def report(self) -> dict[str, Any]:
        """All of it as JSON values."""
        indexing = self.indexing
        return {
            "turn": self.number,
            "sent": {
                "tokens": dict(self.sent.tokens),
                "total": self.sent.total,
                "budget": self.sent.budget,
                "history": list(self.sent.history),
                "recent": list(self.sent.recent),
                "checkpoints": list(self.sent.checkpoints),
                "missing_turns": self.sent.missing,
            },
            "usage": {**self.completion._asdict(), "text": self.answer.text},
            "dollars": None if isnan(self.dollars) else self.dollars,
            "seconds": dict(self.seconds),
            "recall_tokens": dict(self.recall_tokens),
            "indexing": None
            if indexing is None
            else {
                "seconds": indexing.seconds,
                "tokens": dict(indexing.tokens),
                "checkpoints": list(indexing.checkpoints),
                "error": indexing.error,
            },
        }
