"""What memories that summarise share: message by message, so that chunks do not matter, and a state on disk."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mnemo_lab.context import Budget, Context, Piece, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.history import History
from mnemo_lab.losses import Loss, loss
from mnemo_lab.packing.pack import close_context
from mnemo_lab.services import Services
from mnemo_lab.strategy import WorkingMemory
from mnemo_lab.summaries.base import Summary
from mnemo_lab.summaries.folding import Writer, fold, open_summariser
from mnemo_lab.summaries.model_written import ModelSummariser
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.units import Unit

STATE: Final = "summary.json"


class SummarisingMemory(WorkingMemory):
    """A history and what a summariser made of its older part, before the question is known."""

    def __init__(self, services: Services, writer: Writer, history: History) -> None:
        self.history, self._services, self._writer = history, services, writer
        self._summariser = open_summariser(writer, services)
        self._faults: list[str] = []

    @abstractmethod
    def recall(self, query: Query, budget: Budget) -> Context:
        """The context for one query."""

    @abstractmethod
    def _settle(self) -> None:
        """Summarise what has become due; called when anything was observed."""

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """What cannot be computed again without the summariser, as JSON values; ``_load`` reads it."""

    @abstractmethod
    def _load(self, state: dict[str, Any]) -> None: ...

    def begin(self, conversation: ConversationInfo) -> None:
        self.history.begin(conversation)
        self._settle()  # its system prompt may be longer

    def observe(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self.history.extend([message])
            self._settle()

    def end(self) -> None:
        """Nothing is left to do at the end of a conversation."""

    def used(self, context: Context) -> None:
        """Access changes nothing here."""

    def close(self) -> None:
        """Nothing is held open."""

    def save(self, folder: Path) -> None:
        self.history.save(folder)
        window = self._summariser.window if isinstance(self._summariser, ModelSummariser) else None
        state = {"faults": self._faults, "window": window, **self._state()}
        (folder / STATE).write_bytes(json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def load(self, state: dict[str, Any]) -> None:
        """What ``save`` wrote. A window that the model has shown to be too large stays the smaller one."""
        self._faults = state["faults"]
        if isinstance(self._summariser, ModelSummariser) and state["window"]:
            self._summariser.window = min(self._summariser.window, state["window"])
        self._load(state)

    def _fold(self, earlier: Summary | None, messages: Sequence[Message], tokens: int) -> Summary | None:
        made = fold(self._summariser, earlier, messages, tokens, self._services)
        if made and made.fell_back:
            self._faults.append(made.fell_back)
        return made

    def _context(self, choice: Choice, shown: Sequence[Piece], lost: int, budget: Budget) -> Context:
        """What was chosen, with ``shown`` behind the leading system messages."""
        losses: list[Loss] = [loss("summary_fell_back", writer=self._writer, reason=why) for why in self._faults]
        if lost:
            losses.append(loss("left_out_to_fit", count=lost, total=len(self.history), budget=budget.tokens))
        chosen = choice.pieces()
        pieces = [*chosen[: choice.head], *shown, *chosen[choice.head :]]
        context = close_context(pieces, "chat", self.history.system_prompt, budget, self._services, losses=losses)
        if not pieces and newest_sendable(choice.units) is not None and not context.over_budget:
            context = replace(context, losses=(*context.losses, loss("nothing_fits", budget=budget.tokens)))
        return replace(context, drop_code="older")


def newest_sendable(units: Sequence[Unit]) -> int | None:
    """The index of the newest unit that may be sent as it is: it stays out of any summary."""
    return next((i for i in range(len(units) - 1, -1, -1) if units[i].kind != "orphan"), None)


def read_state(folder: Path) -> dict[str, Any]:
    """What ``SummarisingMemory.save`` wrote beside the history."""
    state: dict[str, Any] = json.loads((folder / STATE).read_bytes().decode("utf-8", "surrogatepass"))
    return state
