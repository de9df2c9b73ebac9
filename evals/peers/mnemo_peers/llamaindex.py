"""LlamaIndex: ``Memory``, a queue with a token limit, and ``ChatSummaryMemoryBuffer``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Final

from mnemo_peers.base import Peer, PeerMemory, Said, arguments_of, ask

from mnemo_lab.context import Budget
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.services import Services

PLACE: Final = "mnemo_place"
UNCOUNTED: Final = re.compile(rf"\{{'{PLACE}': \d+(, )?")
"""Which message it is, as that stands in the text of a message's additional fields, which ``Memory`` counts."""


class LlamaIndexBase(PeerMemory):
    def tokens(self, text: str) -> range:
        """A tokenizer as LlamaIndex wants one: only how many there are matters, and what we added costs nothing."""
        ours = UNCOUNTED.match(text)
        rest = text[ours.end() :] if ours else text
        return range(0 if rest == "}" else self.services.count(f"{{{rest}" if ours else text))

    def to_llamaindex(self, message: Message) -> Any:
        """The newest message of the history, as LlamaIndex's adapters write it."""
        from llama_index.core.base.llms import types as li

        blocks: list[Any] = [li.TextBlock(text=message.text)]
        blocks += [
            li.ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=arguments_of(call))
            for call in message.tool_calls
        ]
        more = {PLACE: len(self.history) - 1}
        if message.role == "tool":
            more |= {"tool_call_id": message.tool_call_id}
        return li.ChatMessage(role=message.role, blocks=blocks, additional_kwargs=more)

    def said(self, messages: Iterable[Any]) -> list[Said]:
        return [self._said(theirs) for theirs in messages]

    def _said(self, theirs: Any) -> Said:
        place, text = theirs.additional_kwargs.get(PLACE), theirs.content or ""
        if place is None:
            return Said(text, "", "summary", "system")
        return Said(text, self.history.messages[place].id)


class QueueMemory(LlamaIndexBase):
    """Messages are put one at a time, as a chat engine does; the queue is flushed then."""

    def __init__(self, settings: Any, services: Services, budget: Budget | None) -> None:
        super().__init__(settings, services, budget)
        if budget is None:
            raise ValueError(f"{settings.name} keeps a state per budget: start it with one")
        from llama_index.core.memory import Memory

        self._memory = Memory.from_defaults(
            token_limit=self.room(budget),
            chat_history_token_ratio=settings.chat_history_token_ratio,
            token_flush_size=settings.token_flush_size,
            tokenizer_fn=self.tokens,
        )

    def begin(self, conversation: ConversationInfo) -> None:
        super().begin(conversation)
        assert self.budget is not None
        self._memory.token_limit = self.room(self.budget)

    def take(self, message: Message) -> None:
        self._memory.put(self.to_llamaindex(message))

    def told(self, budget: Budget) -> Sequence[Said]:
        return self.said(self._memory.get())


@dataclass(frozen=True)
class LlamaIndexMemory(Peer):
    """LlamaIndex's ``Memory`` without memory blocks: a queue that is flushed from its old end.

    ``chat_history_token_ratio``: the share of the budget the queue may fill. ``token_flush_size``: tokens flushed at
    once; where that is more than the budget, LlamaIndex takes 0.7 of the budget.
    """

    name: ClassVar[str] = "llamaindex_memory"
    budget_bound: ClassVar[bool] = True
    memory: ClassVar[type[PeerMemory]] = QueueMemory
    chat_history_token_ratio: float = 0.7
    token_flush_size: int = 3000

    def __post_init__(self) -> None:
        if not 0 < self.chat_history_token_ratio <= 1 or self.token_flush_size < 1:
            raise InvalidInput(f"{self}: the ratio must be from 0 to 1, the flush size 1 or more")


class BufferMemory(LlamaIndexBase):
    """``get`` rewrites what the buffer holds, so it is called where a chat engine calls it, and on a copy to answer."""

    def __init__(self, settings: Any, services: Services, budget: Budget | None) -> None:
        super().__init__(settings, services, budget)
        self.held: list[Any] = []

    def take(self, message: Message) -> None:
        if message.role == "assistant":
            self.held = self._got(self.budget)
        self.held.append(self.to_llamaindex(message))

    def told(self, budget: Budget) -> Sequence[Said]:
        return self.said(self._got(budget))

    def _got(self, budget: Budget | None) -> list[Any]:
        from llama_index.core.memory import ChatSummaryMemoryBuffer

        if budget is None:
            raise ValueError(f"{self.settings.name} keeps a state per budget: start it with one")
        room = self.room(budget)
        buffer = ChatSummaryMemoryBuffer.from_defaults(
            chat_history=list(self.held),
            llm=chat_model()(services=self.services, room=room, words=int(room * self.settings.summary_share)),
            token_limit=max(int(room * self.settings.full_text), 1),
            tokenizer_fn=self.tokens,
        )
        return list(buffer.get())


@dataclass(frozen=True)
class LlamaIndexSummary(Peer):
    """LlamaIndex's ``ChatSummaryMemoryBuffer``, called before every assistant message as a chat engine calls it.

    ``full_text``: the share of the budget for newest messages in full text; LlamaIndex takes 0.75 of the window.
    ``summary_share``: the share its language model may use for a summary; what is left by default.
    """

    name: ClassVar[str] = "llamaindex_summary"
    budget_bound: ClassVar[bool] = True
    memory: ClassVar[type[PeerMemory]] = BufferMemory
    full_text: float = 0.75
    summary_share: float = 0.25

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"language_model"})

    def __post_init__(self) -> None:
        if not 0 < self.full_text <= 1 or not 0 < self.summary_share <= 1:
            raise InvalidInput(f"{self}: full_text and summary_share must be shares from 0 to 1")


@cache
def chat_model() -> type[Any]:
    """A language model of LlamaIndex's that asks ours."""
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
    from llama_index.core.llms import CustomLLM

    class AskedLLM(CustomLLM):
        services: Any
        room: int
        words: int

        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(context_window=self.room, num_output=self.words, is_chat_model=True)

        def chat(self, messages: Sequence[Any], **_: Any) -> ChatResponse:
            prompt = [Message(theirs.role.value, theirs.content or "") for theirs in messages]
            return ChatResponse(message=ChatMessage(role="assistant", content=ask(self.services, prompt, self.words)))

        def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
            return CompletionResponse(text=ask(self.services, [Message("user", prompt)], self.words))

        def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
            yield self.complete(prompt)

    return AskedLLM
