"""What a chat with long-term memory sends: identity, memories, instructions, recent turns, question; never too much."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.errors import BudgetTooSmall
from mnemo_lab.language_models.base import Completion
from mnemo_lab.memory.decision import Decision
from mnemo_lab.memory.inject import Injection, Position
from mnemo_lab.memory.item import MemoryItem
from mnemo_lab.memory.ranking import Recalled
from mnemo_lab.services import Services

MEMORY_SHARE: Final = 1 / 2
"""Of the room beside identity, instructions and question, what memories may take at most."""
_JOINTS: Final = 8
"""Tokens that a message of its own, and the joints inside one, may cost beside the block."""
Exchange = tuple[Message, Message]


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages sent, and their tokens by part (``identity``, ``memory``, ``instructions``, ``recent``,
    ``question``), which sum up to what the messages take. ``recent``: how many turns are sent in full."""

    messages: tuple[Message, ...]
    tokens: Mapping[str, int]
    budget: int
    injection: Injection
    recent: int

    @property
    def total(self) -> int:
        return sum(self.tokens.values())


@dataclass(frozen=True, slots=True)
class MemoryTurn:
    """One question with its answer; ``str`` of it is the answer. ``sent.tokens``: by part.

    ``decided``: what was done to memories after the answer. ``secrets``: those taken out, by kind, of what was kept and
    of what was shown. ``dollars`` of the answer, NaN where the model's price is not known.
    """

    question: Message
    answer: Message
    sent: Prompt
    completion: Completion
    dollars: float
    decided: tuple[Decision, ...]
    secrets: Mapping[str, int]

    def __str__(self) -> str:
        return self.answer.text

    @property
    def injected(self) -> list[MemoryItem]:
        """The memories that were shown to the model."""
        return self.sent.injection.items

    @property
    def hidden(self) -> tuple[Recalled, ...]:
        """Those that decay kept from the question."""
        return self.sent.injection.hidden

    @property
    def quarantined(self) -> tuple[MemoryItem, ...]:
        """Those held back because they read like orders to the model."""
        return self.sent.injection.quarantined


@dataclass(frozen=True)
class MemoryComposer:
    """Fits the parts together; ``recent``: turns at most, ``memory_tokens``: of the block at most."""

    services: Services
    identity: str
    instructions: str
    recent: int
    memory_tokens: int
    position: Position

    def compose(
        self, inject: Callable[[int], Injection], turns: Sequence[Exchange], question: Message, budget: int
    ) -> Prompt:
        """``inject`` gives a block of at most so many tokens. Older turns give way first, then the memories.

        Raises ``BudgetTooSmall`` where identity, instructions and question alone are too much.
        """
        fixed = self._count(self._joined("", (), question))
        if fixed > budget:
            raise BudgetTooSmall(
                f"system prompt and question take {fixed} tokens, over the {budget} there are; "
                "raise max_tokens or say less"
            )
        room = int((budget - fixed) * MEMORY_SHARE) - _JOINTS
        injection = inject(max(min(self.memory_tokens, room), 0))
        kept = list(turns[-self.recent :] if self.recent else ())
        while True:
            messages = self._joined(injection.text, kept, question)
            if self._count(messages) <= budget:
                return Prompt(tuple(messages), self._parts(messages, kept, question), budget, injection, len(kept))
            if kept:
                kept.pop(0)
            else:
                left_out = (*injection.left_out, *injection.items)
                injection = replace(injection, text="", tokens=0, lines=(), left_out=left_out)

    def _joined(self, block: str, turns: Sequence[Exchange], question: Message) -> list[Message]:
        """At the start the block is the system's word; elsewhere it opens a message of the user: some vendors move
        every system message to the start, and not every model takes two messages of one role in a row."""
        at_start = self.position == "start"
        parts = (self.identity, block if at_start else "", self.instructions)
        system = "\n\n".join(part.strip() for part in parts if part.strip())
        said = [*(message for turn in turns for message in turn), question]
        if block and not at_start:
            opens = 2 * ((len(turns) + 1) // 2) if self.position == "middle" else len(said) - 1
            said[opens] = replace(said[opens], content=f"{block}\n{said[opens].text}")
        return [*([Message("system", system)] if system else []), *said]

    def _parts(self, messages: Sequence[Message], turns: Sequence[Exchange], question: Message) -> dict[str, int]:
        fixed = self._count(self._joined("", (), question))
        identity = self._count([Message("system", self.identity.strip())]) if self.identity.strip() else 0
        asked, recent = self._count([question]), self._count([message for turn in turns for message in turn])
        return {
            "identity": identity, "memory": self._count(messages) - fixed - recent,
            "instructions": fixed - identity - asked, "recent": recent, "question": asked,
        }  # fmt: skip

    def _count(self, messages: Sequence[Message]) -> int:
        return sum(map(self.services.message_tokens, messages))
