"""Throwaway strategies, unlike each other, that keep the centre honest: each needs something the others do not.

A rolling summary is ingested per budget and asks a model; a checkpoint is cut late; a memory outlives its
conversation; a peer brings rules of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from mnemo_lab.context import Budget, Context, Piece, Query, Source
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.history import History
from mnemo_lab.language_models import Completion
from mnemo_lab.packing.lines import transcript_line
from mnemo_lab.packing.pack import close_context, frame_tokens, protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory
from mnemo_lab.truncation.base import Truncation


class ScriptedModel:
    """Answers a prompt with its words in capitals, shortened: deterministic, and visibly derived."""

    name = fingerprint = "scripted"
    window = None

    def chat(self, messages: Sequence[Message], max_tokens: int) -> Completion:
        prompt = " ".join(message.text for message in messages)
        words = [word for word in prompt.split() if word[:1].isupper() or word[:1].isdigit()]
        text = " ".join(words[-max(max_tokens // 3, 1) :])
        return Completion(text, len(prompt.split()), len(text.split()))

    def stream(self, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        done = self.chat(messages, max_tokens)
        yield from (done.text, done)


class Remembering:
    """What the skeletons share: a history, and a restore that observes everything again."""

    def __init__(self, services: Services, budget: Budget | None) -> None:
        self.services, self.budget, self.history = services, budget, History(services)
        self.ended = 0

    def begin(self, conversation: ConversationInfo) -> None:
        self.history.begin(conversation)

    def observe(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self.history.extend([message])
            self.took(message)

    def took(self, message: Message) -> None: ...

    def end(self) -> None:
        self.ended += 1

    def used(self, context: Context) -> None: ...

    def close(self) -> None: ...

    def save(self, folder: Path) -> None:
        self.history.save(folder)
        state = {"ended": self.ended, "budget": self.budget.tokens if self.budget else None}
        (folder / "state.json").write_text(json.dumps(state))

    def lines(self, first: int, room: int) -> list[Piece]:
        """The newest lines from ``first`` on that fit."""
        kept: list[Piece] = []
        for position in range(len(self.history) - 1, first - 1, -1):
            piece = self.history.line(position)
            if piece.tokens > room:
                break
            kept.insert(0, piece)
            room -= piece.tokens
        return kept

    def room(self, budget: Budget) -> int:
        used = protected_tokens(self.history.system_prompt, self.services) + frame_tokens(self.services)
        return budget.tokens - used

    def close_lines(self, pieces: list[Piece], budget: Budget) -> Context:
        return close_context(pieces, "transcript", self.history.system_prompt, budget, self.services)

    def derived(self, text: str, positions: Sequence[int], via: Any) -> Piece:
        ids = [self.history.messages[p].id for p in positions]
        line = f"{text}\n"
        return Piece(line, self.services.count(line), tuple(Source(i, (), via) for i in ids))


def replayed(memory: Any, folder: Path, services: Services) -> Any:
    """Observe a saved history again: conversation by conversation, with its ends."""
    saved = History.restore(folder, services)
    ended = json.loads((folder / "state.json").read_text())["ended"]
    for number, info in enumerate(saved.infos):
        memory.begin(info)
        memory.observe([m for m, c in zip(saved.messages, saved.conversation_of, strict=True) if c == number])
        if number < ended:
            memory.end()
    return memory


@dataclass(frozen=True)
class RollingSummary(Strategy):
    """Whenever more than the budget is held, the oldest half goes into a summary that a model writes."""

    name: ClassVar[str] = "rolling_summary"
    budget_bound: ClassVar[bool] = True
    uses_query: ClassVar[bool] = False
    share: float = 0.25

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return RollingMemory(services, budget, self.share)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        tokens = json.loads((folder / "state.json").read_text())["budget"]
        return replayed(self.start(services, "", Budget(tokens, services.counter)), folder, services)  # type: ignore[no-any-return]


class RollingMemory(Remembering):
    def __init__(self, services: Services, budget: Budget | None, share: float) -> None:
        super().__init__(services, budget)
        self.share, self.first, self.summary = share, 0, ""

    def took(self, message: Message) -> None:
        assert self.budget is not None
        held = sum(self.history.line(p).tokens for p in range(self.first, len(self.history)))
        if held <= self.room(self.budget):
            return
        cut = (self.first + len(self.history)) // 2
        old = "".join(transcript_line(m) for m in self.history.messages[self.first : cut])
        prompt = Message("user", self.summary + old)
        answer = self.services.ask([prompt], int(self.budget.tokens * self.share), "summary")
        self.first, self.summary = cut, answer.text

    def recall(self, query: Query, budget: Budget) -> Context:
        room, pieces = self.room(budget), []
        if self.summary:
            piece = self.derived(f"Summary: {self.summary}", range(self.first), "summary")
            if piece.tokens <= room:
                pieces, room = [piece], room - piece.tokens
        return self.close_lines(pieces + self.lines(self.first, room), budget)


@dataclass(frozen=True)
class DelayedCheckpoint(Strategy):
    """Every ``every`` messages a checkpoint is cut, but only ``delay`` messages later."""

    name: ClassVar[str] = "delayed_checkpoint"
    uses_query: ClassVar[bool] = False
    every: int = 4
    delay: int = 2

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return CheckpointMemory(services, budget, self)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        return replayed(self.start(services, ""), folder, services)  # type: ignore[no-any-return]


class CheckpointMemory(Remembering):
    def __init__(self, services: Services, budget: Budget | None, settings: DelayedCheckpoint) -> None:
        super().__init__(services, budget)
        self.settings = settings
        self.checkpoints: list[Piece] = []

    def took(self, message: Message) -> None:
        due = (len(self.checkpoints) + 1) * self.settings.every
        if len(self.history) >= due + self.settings.delay:
            stretch = range(due - self.settings.every, due)
            self.services.executor.submit(self._cut, stretch).result()

    def _cut(self, stretch: range) -> None:
        words = " ".join(" ".join(self.history.messages[p].text.split()[:4]) for p in stretch)
        self.checkpoints.append(self.derived(f"Checkpoint: {words}", stretch, "checkpoint"))

    def recall(self, query: Query, budget: Budget) -> Context:
        room, pieces = self.room(budget), []
        for piece in self.checkpoints:
            if piece.tokens <= room // 2:
                pieces.append(piece)
                room -= piece.tokens
        first = len(self.checkpoints) * self.settings.every
        return self.close_lines(pieces + self.lines(first, room), budget)


@dataclass(frozen=True)
class FactMemory(Strategy):
    """Facts are taken at the end of a conversation and injected into the next; the old messages are not."""

    name: ClassVar[str] = "fact_memory"
    uses_query: ClassVar[bool] = False

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        return FactWorkingMemory(services, budget)

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        return replayed(self.start(services, ""), folder, services)  # type: ignore[no-any-return]


class FactWorkingMemory(Remembering):
    def __init__(self, services: Services, budget: Budget | None) -> None:
        super().__init__(services, budget)
        self.facts: list[Piece] = []
        self.first = 0

    def end(self) -> None:
        super().end()
        for position in range(self.first, len(self.history)):
            message = self.history.messages[position]
            if message.role == "user":
                self.facts.append(self.derived(f"Fact: {' '.join(message.text.split())}", [position], "memory"))
        self.first = len(self.history)

    def recall(self, query: Query, budget: Budget) -> Context:
        room, pieces = self.room(budget), []
        for piece in self.facts:
            if piece.tokens <= room:
                pieces.append(piece)
                room -= piece.tokens
        return self.close_lines(pieces + self.lines(self.first, room), budget)


@dataclass(frozen=True)
class LangChainTrim(Truncation):
    """LangChain's ``trim_messages`` as a peer: its choice, our accounting."""

    name: ClassVar[str] = "langchain_trim"

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        from langchain_core.messages import trim_messages

        peers = [_to_langchain(message) for message in history.messages]
        room = budget.tokens - protected_tokens(history.system_prompt, services)

        def count(messages: list[Any]) -> int:
            return sum(history.chat(history.position_of[m.id]).tokens for m in messages)

        kept = trim_messages(peers, max_tokens=max(room, 0), token_counter=count, strategy="last") if peers else []
        return [history.chat(history.position_of[m.id or ""]) for m in kept]


def _to_langchain(message: Message) -> Any:
    from langchain_core import messages as lc

    if message.role == "tool":
        return lc.ToolMessage(message.text, tool_call_id=message.tool_call_id or "", id=message.id)
    if message.role == "assistant":
        calls: Any = [{"id": c.id, "name": c.name, "args": {}} for c in message.tool_calls]
        return lc.AIMessage(message.text, id=message.id, tool_calls=calls)
    kind = lc.SystemMessage if message.role == "system" else lc.HumanMessage
    return kind(message.text, id=message.id)


SKELETONS = (RollingSummary(), DelayedCheckpoint(), FactMemory(), LangChainTrim())
