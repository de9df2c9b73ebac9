"""``intent``: what a message does (a task is done, something is decided, another topic is opened), by its vector."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray
    from mnemo_lab.embeddings.base import Vectors

WEIGHTS: Final = Path(__file__).with_name("weights")
CLASSES: Final = ("done", "decision", "topic", "none")


class Classifier(NamedTuple):
    """Multinomial logistic regression over message vectors of one embedder; rows of ``weights`` are ``CLASSES``."""

    embedder: str
    weights: FloatArray
    bias: FloatArray

    def shares(self, vector: Vectors) -> dict[str, float]:
        """How likely each class is; they sum to 1."""
        import numpy as np

        logits = self.weights @ vector + self.bias
        raised = np.exp(logits - logits.max())
        return dict(zip(CLASSES, (raised / raised.sum()).tolist(), strict=True))


@dataclass(frozen=True)
class Intent(Trigger):
    """``topic``: the turn's opening message opens another topic. ``done``, ``decision``: the turn before was opened by
    a message that ends a task or settles something. Each where the classifier finds it at least ``threshold`` likely.

    Weights come with the package for all-MiniLM-L6-v2 (English) and multilingual-e5-small (Chinese and English); how
    good they are stands in ``reports/intent.md``.
    """

    name: ClassVar[str] = "intent"
    threshold: float = 0.6
    topic: bool = True
    done: bool = True
    decision: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise InvalidInput(f"intent(threshold={self.threshold}): must be more than 0 and at most 1")
        if not (self.topic or self.done or self.decision):
            raise InvalidInput("intent(topic=False, done=False, decision=False) never fires; leave one of them on")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"})

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        here, before = intents(turns, at), intents(turns, at - 1)
        wanted = [
            here["topic"] if self.topic else 0.0,
            before["done"] if self.done else 0.0,
            before["decision"] if self.decision else 0.0,
        ]
        best = max(wanted)
        return best if best >= self.threshold else None


def intents(turns: Turns, at: int) -> dict[str, float]:
    """How likely each intent of a turn's opening message is, worked out once."""
    if turns.services is None:
        raise InvalidInput("the trigger intent must know which embedder made the vectors; give services")
    classifier = load_classifier(turns.services.embedder.fingerprint)

    def classify() -> dict[str, float]:
        vector = turns[at].opening_vector
        assert vector is not None, "the segmenter refuses a trigger that needs vectors where there are none"
        return classifier.shares(vector)

    return turns.once("intent", at, classify)


@cache
def load_classifier(embedder: str) -> Classifier:
    """The weights for the embedder of that fingerprint; raises ``InvalidInput`` where there are none."""
    import numpy as np

    known = {}
    for file in sorted(WEIGHTS.glob("*.json")):
        values = json.loads(file.read_text(encoding="utf-8"))
        known[values["embedder"]] = values
    if embedder not in known:
        raise InvalidInput(
            f"the trigger intent has no weights for the embedder {embedder!r}; there are some for: {', '.join(known)}; "
            "learn them with `python -m evals.intent.train`"
        )
    values = known[embedder]
    weights = np.array([values["weights"][name] for name in CLASSES])
    return Classifier(embedder, weights, np.array([values["bias"][name] for name in CLASSES]))
