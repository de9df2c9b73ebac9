"""Haystack: the compaction hook of its agents, with a sliding window or with summaries."""

from __future__ import annotations

import logging
import os
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mnemo_peers.base import Peer, PeerMemory, Said, arguments_of, ask

from mnemo_lab.context import Budget
from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.services import Services

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
logging.getLogger("haystack").setLevel(logging.ERROR)  # else every summary that it refuses is a line
warnings.filterwarnings("ignore", ".*is an experimental component.*")
PROMPT = "the system prompt"


class HaystackMemory(PeerMemory):
    """The hook is called where an agent calls it: before every assistant message, and before the answer."""

    def __init__(self, settings: Any, services: Services, budget: Budget | None) -> None:
        super().__init__(settings, services, budget)
        self.held: list[Any] = []
        self._calls: dict[str, ToolCall] = {}

    def take(self, message: Message) -> None:
        if message.role == "assistant":
            self.held = self._compacted(self.budget)
            self._calls |= {call.id: call for call in message.tool_calls}
        self.held.append(self._to_haystack(message))

    def told(self, budget: Budget) -> Sequence[Said]:
        return [self._said(theirs) for theirs in self._compacted(budget)]

    def count(self, messages: Sequence[Any], tools: Any = None) -> int:
        """Haystack's protocol of a token counter: ours, by id."""
        return sum(map(self._tokens, messages))

    def _tokens(self, theirs: Any) -> int:
        position = self.history.position_of.get(theirs.meta.get("id", ""))
        if position is not None:
            return self.history.chat(position).tokens
        return self.services.message_tokens(Message(theirs.role.value, theirs.text))

    def _compacted(self, budget: Budget | None) -> list[Any]:
        """What is left of the conversation: an agent's system prompt stands first in its list."""
        from haystack.components.agents.state import State
        from haystack.dataclasses import ChatMessage
        from haystack.hooks.compaction import CompactionHook

        if budget is None:
            raise ValueError(f"{self.settings.name} keeps a state per budget: start it with one")
        options, prompt = self.settings, self.history.system_prompt
        head = [ChatMessage.from_system(prompt, meta={"id": PROMPT})] if prompt else []
        state = State(schema={}, data={"messages": [*head, *self.held]})
        hook = CompactionHook(
            options.compactor(self.services, budget),
            context_window=max(budget.tokens, 1),
            compact_at=options.compact_at,
            compact_to=options.compact_to,
            token_counter=self,
        )
        hook.run(state)
        return [theirs for theirs in state.data["messages"] if theirs.meta.get("id") != PROMPT]

    def _said(self, theirs: Any) -> Said:
        if "id" in theirs.meta:
            result = theirs.tool_call_result
            return Said(result.result if result else theirs.text or "", theirs.meta["id"])
        strategy = theirs.meta["context_compaction"]["strategy"]
        return Said(theirs.text, "", "summary" if strategy == "summarization" else "note")

    def _to_haystack(self, message: Message) -> Any:
        from haystack import dataclasses as hs

        def call_of(call: ToolCall) -> Any:
            return hs.ToolCall(tool_name=call.name, arguments=arguments_of(call), id=call.id)

        meta = {"id": message.id}
        if message.role == "tool":
            known = message.tool_call_id or ""
            origin = self._calls.get(known, ToolCall(known, message.name or ""))
            return hs.ChatMessage.from_tool(message.text, call_of(origin), meta=meta)
        if message.role == "assistant":
            calls = [call_of(call) for call in message.tool_calls]
            return hs.ChatMessage.from_assistant(message.text, meta=meta, tool_calls=calls)
        make = hs.ChatMessage.from_system if message.role == "system" else hs.ChatMessage.from_user
        return make(message.text, meta=meta)


@dataclass(frozen=True)
class Compaction(Peer):
    """Shares of the budget at which the hook starts and down to which it goes: Haystack's defaults."""

    budget_bound: ClassVar[bool] = True
    memory: ClassVar[type[PeerMemory]] = HaystackMemory
    compact_at: float = 0.7
    compact_to: float = 0.4

    def __post_init__(self) -> None:
        if not 0 < self.compact_to < self.compact_at <= 1:
            raise InvalidInput(f"{self}: it must be 0 < compact_to < compact_at <= 1")

    @abstractmethod
    def compactor(self, services: Services, budget: Budget) -> Any:
        """The library's own, set to the budget."""


@dataclass(frozen=True)
class HaystackWindow(Compaction):
    """Haystack's ``CompactionHook`` with ``SlidingWindowCompactor``, called before every assistant message.

    ``compact_at`` and ``compact_to``: the shares of the budget at which it starts and down to which it goes.
    ``min_keep_steps``: newest steps of the current task that stay whatever the budget.
    """

    name: ClassVar[str] = "haystack_window"
    min_keep_steps: int = 1

    def compactor(self, services: Services, budget: Budget) -> Any:
        from haystack.hooks.compaction import SlidingWindowCompactor

        return SlidingWindowCompactor(min_keep_steps=self.min_keep_steps)


@dataclass(frozen=True)
class HaystackSummary(Compaction):
    """Haystack's ``CompactionHook`` with ``SummarizationCompactor``, called before every assistant message.

    As ``haystack_window``; ``approximate_summary_tokens`` is how long it expects a summary to be, ``summary_share``
    the share of the budget its language model may use for one.
    """

    name: ClassVar[str] = "haystack_summary"
    min_keep_steps: int = 1
    approximate_summary_tokens: int = 1024
    summary_share: float = 0.25

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"language_model"})

    def compactor(self, services: Services, budget: Budget) -> Any:
        from haystack.hooks.compaction import SummarizationCompactor

        return SummarizationCompactor(
            ChatGenerator(services, int(budget.tokens * self.summary_share)),
            min_keep_steps=self.min_keep_steps,
            approximate_summary_tokens=self.approximate_summary_tokens,
        )


class ChatGenerator:
    """A chat generator of Haystack's that asks our language model.

    Haystack refuses a summary that is not shorter than its source, and says so in its instructions; ``extractive``
    reads none and fills what it is given, so it is given half of the source at most.
    """

    def __init__(self, services: Services, words: int) -> None:
        self._services, self._words = services, words

    def run(self, messages: Sequence[Any]) -> dict[str, Any]:
        from haystack.dataclasses import ChatMessage

        prompt = [Message(theirs.role.value, theirs.text) for theirs in messages]
        words = min(self._words, self._services.count(prompt[-1].text) // 2)
        return {"replies": [ChatMessage.from_assistant(ask(self._services, prompt, words))]}
