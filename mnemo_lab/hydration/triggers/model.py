"""``model``: a language model says whether a turn opens a new topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns
from mnemo_lab.language_models.errors import LanguageModelError
from mnemo_lab.language_models.reading import without_thoughts

TASK: Final = "trigger"
"""What the ledger calls it."""
PROMPT: Final = (
    "You cut a conversation into topics. Below are its last turns, then a new message. Does the new message leave what "
    "is being talked about, for another topic or task? Answer with one word: yes or no."
)
LONGEST: Final = 400
"""Characters of a turn that are shown."""
MAX_TOKENS: Final = 256
"""Room for a model that thinks aloud before it answers."""
_YES: Final = ("yes", "true", "是")
_ANSWER: Final = re.compile(r"\b(?:yes|no|true|false)\b|不是|没有|是(?!否)|(?<!是)否", re.IGNORECASE)


@dataclass(frozen=True)
class AskModel(Trigger):
    """A language model sees the ``turns`` turns before and the opening message, and answers yes or no.

    Every question is charged to the ledger. An answer that cannot be read, or none, counts as no.
    """

    name: ClassVar[str] = "model"
    turns: int = 3

    def __post_init__(self) -> None:
        if self.turns < 1:
            raise InvalidInput(f"model(turns={self.turns}): must be 1 turn or more")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"language_model"})

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        key = f"{at} {self}"
        if key not in turns.answers:
            turns.answers[key] = self._asked(turns, at)
        return 1.0 if turns.answers[key] else None

    def _asked(self, turns: Turns, at: int) -> bool:
        services = turns.services
        if services is None:
            raise InvalidInput(f"the trigger {self} asks a language model; give services")
        try:
            done = services.ask([Message("user", self._question(turns, at))], MAX_TOKENS, TASK)
        except LanguageModelError:
            return False  # counted in the ledger as failed
        said = read_answer(done.text)
        if said is None:
            services.ledger.of(services.language_model.name, TASK).fell_back += 1
        return bool(said)

    def _question(self, turns: Turns, at: int) -> str:
        shown = turns[max(at - self.turns, turns.first) : at]
        before = "\n---\n".join(_shortened("\n".join(turn.texts)) for turn in shown)
        return f"{PROMPT}\n\nLast turns:\n{before}\n\nNew message:\n{_shortened(turns[at].opening)}"


def read_answer(text: str) -> bool | None:
    """Yes or no, in English or Chinese, in JSON or with words around it; ``None`` where it says neither.

    What a model thinks aloud is left out; the first word that answers counts.
    """
    found = _ANSWER.search(without_thoughts(text))
    return found[0].lower() in _YES if found else None


def _shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
