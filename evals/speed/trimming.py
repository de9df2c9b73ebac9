"""Trimming a long history to a budget: ``recent`` beside LangChain's ``trim_messages`` with the same counter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evals.speed.clock import in_turns
from evals.speed.material import history_of
from evals.speed.table import Row, compared
from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import ConversationInfo
from mnemo_lab.services import ServicesSpec
from mnemo_lab.strategy import WorkingMemory
from mnemo_lab.truncation.recent import Recent

MESSAGES, BUDGET = 2000, 4096


def rows() -> Iterator[Row]:
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, trim_messages

    messages = history_of(MESSAGES)
    services = ServicesSpec().open()
    budget, now = Budget(BUDGET, services.counter), Query("")
    by_id = {message.id: message for message in messages}

    def theirs_of(message: Any) -> BaseMessage:
        if message.role == "tool":
            return ToolMessage(message.text, tool_call_id=message.tool_call_id, id=message.id)
        kind = HumanMessage if message.role == "user" else AIMessage
        return kind(message.text, id=message.id)

    def count(messages: list[BaseMessage]) -> int:
        return sum(services.counter.message(by_id[message.id or ""]) for message in messages)

    theirs = [theirs_of(message) for message in messages]

    def trim() -> list[BaseMessage]:
        return list(trim_messages(theirs, max_tokens=BUDGET, token_counter=count, strategy="last"))

    def filled() -> WorkingMemory:
        memory = Recent().start(ServicesSpec().open(), "bench")
        memory.begin(ConversationInfo("bench"))
        memory.observe(messages)
        return memory

    warm = filled()
    kept = len(warm.recall(now, budget).pieces)
    assert abs(kept - len(trim())) <= 8, "the two keep different histories"
    against = f"LangChain trim_messages, same counter, keeps {len(trim())} messages"
    what = f"trim {len(messages):,} messages to {BUDGET:,} tokens"
    yield compared(
        f"{what}, recent, history counted (keeps {kept})", in_turns(lambda: warm.recall(now, budget), trim), against
    )
    cold = in_turns(lambda: filled().recall(now, budget), trim)
    yield compared(f"{what}, recent, observed and counted from nothing", cold, against)
