"""``memory``: what is remembered across conversations and the newest turns, as assistants with a memory have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from mnemo_lab.context import Budget, Context, Piece, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.extraction.moments import Moments
from mnemo_lab.history import History
from mnemo_lab.memory.consolidate import Merging
from mnemo_lab.memory.decay import Decay
from mnemo_lab.memory.inject import Position, Shape
from mnemo_lab.memory.layer import Remembering
from mnemo_lab.memory.long_term import MemorySettings
from mnemo_lab.memory.ranking import Weights
from mnemo_lab.packing.pack import close_context, frame_tokens, protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory

LAST: Final = 2
"""Messages behind the block where it stands in the middle."""


@dataclass(frozen=True)
class Memory(Strategy):
    """Facts extracted while the recording runs, as a block of dated lines, and the last ``recent`` turns in full.

    Facts are taken after ``every`` turns (0: not by number), at words that announce one (``signals``) and at the end
    of a conversation (``at_end``), by ``rules`` or by the language ``model``; they are merged from a word ``overlap``
    (Jaccard) on, retired when they change, and fade to ``floor`` of their relevance. Shown are the strongest
    ``about`` and ``preferences`` of the user, then ``related`` ones by ``keyword`` and ``vector``, ``total`` lines at
    most, in ``share`` (0 to 1) of the room and what the turns leave; at ``position``. Verbatim are the turns alone:
    across families compare ``answer_in_context``.
    """

    name: ClassVar[str] = "memory"
    every: int = 3
    signals: bool = True
    at_end: bool = True
    extractor: Literal["rules", "model"] = "rules"
    about: int = 6
    preferences: int = 6
    related: int = 10
    total: int = 18
    recent: int = 6
    share: float = 0.5
    overlap: float = 0.6
    keyword: float = 0.5
    vector: float = 0.5
    floor: float = 0.5
    position: Position = "start"

    def __post_init__(self) -> None:
        _ = self.memory_settings
        if self.recent < 0:
            raise InvalidInput(f"memory(recent={self.recent}): must be 0 turns or more")
        for field in ("share", "overlap"):
            if not 0 <= getattr(self, field) <= 1:
                raise InvalidInput(f"memory({field}={getattr(self, field)}): must be 0 to 1")

    @property
    def needs(self) -> frozenset[str]:
        wanted = {"embedder": self.vector > 0, "language_model": self.extractor == "model"}
        return frozenset(name for name, is_needed in wanted.items() if is_needed)

    @property
    def memory_settings(self) -> MemorySettings:
        """The parts of these settings that long-term memory has; raises ``InvalidInput`` for values out of range."""
        return MemorySettings(
            Moments(self.every, self.signals, self.at_end),
            Merging(self.overlap, vectors=self.vector > 0),
            Decay(floor=self.floor),
            Weights(self.keyword, self.vector),
            Shape(self.about, self.preferences, self.related, self.total, self.position),
        )

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return RememberingMemory(self, History(services), services)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        memory = RememberingMemory(self, History.restore(folder, services), services)
        memory.remembering.restore(folder, memory.history.messages)
        return memory


class RememberingMemory:
    """History and memories of one recording."""

    def __init__(self, strategy: Memory, history: History, services: Services) -> None:
        self.strategy, self.history, self._services = strategy, history, services
        self.remembering = Remembering(services, strategy.memory_settings, strategy.extractor)
        self._asked_at: str | None = None

    def begin(self, conversation: ConversationInfo) -> None:
        self.history.begin(conversation)
        self.remembering.begin(conversation)

    def observe(self, messages: Sequence[Message]) -> None:
        self.history.extend(messages)
        self.remembering.observe(messages)

    def end(self) -> None:
        self.remembering.end()

    def recall(self, query: Query, budget: Budget) -> Context:
        self._asked_at = query.asked_at
        prompt = self.history.system_prompt
        room = budget.tokens - protected_tokens(prompt, self._services) - frame_tokens(self._services)
        shape = self.strategy.memory_settings.shape
        kept = self._newest(int(room * (1 - self.strategy.share)))
        block = self.remembering.pieces(query, room - _tokens(kept), shape)
        turns = self._newest(room - _tokens(block))
        pieces = _placed(block, turns, self.strategy.position)
        return close_context(pieces, "transcript", prompt, budget, self._services)

    def used(self, context: Context) -> None:
        self.remembering.used(context.pieces, self._asked_at)

    def save(self, folder: Path) -> None:
        self.history.save(folder)
        self.remembering.save(folder)

    def close(self) -> None:
        self.remembering.store.close()

    def _newest(self, room: int) -> list[Piece]:
        """Messages of the last turns from the newest back, as long as they fit."""
        kept: list[Piece] = []
        turns = 0
        for position in range(len(self.history) - 1, -1, -1):
            piece = self.history.line(position)
            if turns == self.strategy.recent or piece.tokens > room:
                break
            kept.append(piece)
            room -= piece.tokens
            turns += self.history.messages[position].role == "user"
        return kept[::-1]


def _placed(block: Sequence[Piece], turns: Sequence[Piece], position: Position) -> list[Piece]:
    at = {"start": 0, "middle": max(len(turns) - LAST, 0), "end": len(turns)}[position]
    return [*turns[:at], *block, *turns[at:]]


def _tokens(pieces: Sequence[Piece]) -> int:
    return sum(piece.tokens for piece in pieces)
