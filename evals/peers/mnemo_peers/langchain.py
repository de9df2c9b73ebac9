"""LangChain: ``trim_messages`` of langchain-core and ``SummarizationMiddleware`` of langchain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

from mnemo_peers.base import Peer, PeerMemory, Said, arguments_of, ask, follows_instructions

from mnemo_lab.context import Budget
from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.services import Services

PROMPT = "the system prompt"


class LangChainMemory(PeerMemory):
    """Messages as LangChain's, counted as ours: the counter is told which is which by id."""

    def __init__(self, settings: Any, services: Services, budget: Budget | None) -> None:
        super().__init__(settings, services, budget)
        self.held: list[Any] = []

    def count(self, messages: Iterable[Any]) -> int:
        return sum(map(self._tokens, messages))

    def _tokens(self, theirs: Any) -> int:
        position = self.history.position_of.get(theirs.id)
        if position is not None and theirs.content == self.history.messages[position].text:
            return self.history.chat(position).tokens
        role: Any = {"human": "user", "ai": "assistant"}.get(theirs.type, theirs.type)
        return self.services.message_tokens(Message(role, theirs.content))

    def said(self, messages: Iterable[Any]) -> list[Said]:
        found = []
        for theirs in messages:
            ours = theirs.id in self.history.position_of
            found.append(Said(theirs.content, theirs.id) if ours else Said(theirs.content, kind="summary"))
        return found


class TrimMemory(LangChainMemory):
    def take(self, message: Message) -> None:
        self.held.append(to_langchain(message))

    def told(self, budget: Budget) -> Sequence[Said]:
        from langchain_core.messages import SystemMessage, trim_messages

        options: LangChainTrim = self.settings
        prompt, room = self.history.system_prompt, self.room(budget)
        head = [SystemMessage(prompt, id=PROMPT)] if prompt and options.include_system else []
        kept = trim_messages(
            [*head, *self.held],
            max_tokens=max(budget.tokens, 1) if head else room,
            token_counter=self.count,
            strategy="last",
            start_on=options.start_on,
            include_system=options.include_system,
        )
        return self.said(theirs for theirs in kept if theirs.id != PROMPT)


@dataclass(frozen=True)
class LangChainTrim(Peer):
    """LangChain's ``trim_messages(strategy="last")`` with its own defaults.

    ``start_on``: drop messages before the first of that type. ``include_system``: a system message that stands first
    is always kept. Its documentation recommends ``start_on="human", include_system=True`` for chat models.
    """

    name: ClassVar[str] = "langchain_trim"
    memory: ClassVar[type[PeerMemory]] = TrimMemory
    start_on: Literal["human"] | None = None
    include_system: bool = False


class SummaryMemory(LangChainMemory):
    """The middleware is called where an agent calls it: before every assistant message, and before the answer."""

    def take(self, message: Message) -> None:
        if message.role == "assistant":
            self.held = self._before_model(self.budget)
        self.held.append(to_langchain(message))

    def told(self, budget: Budget) -> Sequence[Said]:
        return self.said(self._before_model(budget))

    def _before_model(self, budget: Budget | None) -> list[Any]:
        if budget is None:
            raise ValueError(f"{self.settings.name} keeps a state per budget: start it with one")
        middleware = self._middleware(self.room(budget))
        update = middleware.before_model({"messages": list(self.held)}, None) if self.held else None
        return self.held if update is None else [m for m in update["messages"] if m.type != "remove"]

    def _middleware(self, room: int) -> Any:
        from langchain.agents.middleware import SummarizationMiddleware
        from langchain_core.messages import get_buffer_string

        options: LangChainSummary = self.settings
        share, words = isinstance(options.keep, float), int(room * options.summary_share)

        def summarise(messages: Sequence[Any]) -> str:
            """Its documented way for a summariser that is no chat model."""
            return ask(self.services, [Message("user", get_buffer_string(messages))], words)

        return SummarizationMiddleware(
            chat_model()(services=self.services, words=words),
            trigger=("tokens", max(int(options.trigger * room), 1)),
            keep=("tokens", max(int(options.keep * room), 1)) if share else ("messages", int(options.keep)),
            token_counter=self.count,
            summarizer=None if follows_instructions(self.services) else summarise,
        )


@dataclass(frozen=True)
class LangChainSummary(Peer):
    """LangChain's ``SummarizationMiddleware``, called before every assistant message as an agent calls it.

    ``trigger``: summarise at that share of the budget. ``keep``: the newest messages that stay, a number of them (20
    is its default) or a share of the budget. ``summary_share``: the share its language model may use for a summary.
    Everything else is its default.
    """

    name: ClassVar[str] = "langchain_summary"
    budget_bound: ClassVar[bool] = True
    memory: ClassVar[type[PeerMemory]] = SummaryMemory
    trigger: float = 1.0
    keep: int | float = 20
    summary_share: float = 0.25

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"language_model"})

    def __post_init__(self) -> None:
        if not 0 < self.trigger <= 1 or self.keep <= 0 or not 0 < self.summary_share <= 1:
            raise InvalidInput(f"{self}: trigger and summary_share must be shares from 0 to 1, keep more than 0")


def to_langchain(message: Message) -> Any:
    from langchain_core import messages as lc

    known = {"content": message.text, "id": message.id, "name": message.name}
    if message.role == "tool":
        return lc.ToolMessage(**known, tool_call_id=message.tool_call_id or "")
    if message.role == "assistant":
        return lc.AIMessage(**known, tool_calls=[_call(call) for call in message.tool_calls])
    return (lc.SystemMessage if message.role == "system" else lc.HumanMessage)(**known)


def _call(call: ToolCall) -> Any:
    return {"id": call.id, "name": call.name, "args": arguments_of(call)}


@cache
def chat_model() -> type[Any]:
    """A chat model of LangChain's that asks ours."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class AskedChatModel(BaseChatModel):
        services: Any
        words: int

        @property
        def _llm_type(self) -> str:
            return "mnemo-lab"

        def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
            prompt = [Message("system" if m.type == "system" else "user", m.content) for m in messages]
            answer = AIMessage(ask(self.services, prompt, self.words))
            return ChatResult(generations=[ChatGeneration(message=answer)])

    return AskedChatModel
