"""Cut a conversation by any strategy, and say what is sent: for tests."""

from __future__ import annotations

from collections.abc import Sequence

from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.history import History
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.units import validate_messages
from tests.base.messages import new_services
from tests.base.test_units import listed

SERVICES = new_services()
COUNTER = SERVICES.counter
ALL = 10**6


def cut(messages: Sequence[Message], tokens: int = ALL, strategy: str = "recent", prompt: str | None = None) -> Context:
    budget = Budget(tokens, COUNTER)
    memory = parse_strategy(strategy).start(SERVICES, "a", budget)
    memory.begin(ConversationInfo("c", system_prompt=prompt))
    memory.observe(messages)
    context = memory.recall(Query("?"), budget)
    assert context.tokens == context.recount()
    return context


def kept(script: str, tokens: int = ALL, strategy: str = "recent", prompt: str | None = None) -> str:
    return said(cut(listed(script), tokens, strategy, prompt))


def said(context: Context) -> str:
    return " ".join(message.text for message in context.messages())


def cost(script: str) -> int:
    return tokens_of(listed(script))


def tokens_of(messages: Sequence[Message]) -> int:
    return sum(map(COUNTER.message, messages))


def errors(context: Context) -> list[str]:
    return [item.code for item in validate_messages(context.messages()) if item.severity == "error"]


def history_of(messages: Sequence[Message], prompt: str | None = None) -> History:
    history = History(SERVICES)
    history.begin(ConversationInfo("c", system_prompt=prompt))
    history.extend(messages)
    return history


def sized(*tokens: int, role: str = "user", start: int = 0) -> list[Message]:
    """Messages of exactly so many tokens each (5 at least), with ids ``m0``, ``m1``, …"""
    return [
        Message(role, "x" + " x" * (size - 5), f"m{start + number}")  # type: ignore[arg-type]
        for number, size in enumerate(tokens)
    ]
