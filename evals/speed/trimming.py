"""Trimming a long history to a budget: our ways beside LangChain's ``trim_messages`` with the same counter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from evals.speed.clock import in_turns
from evals.speed.material import history_of
from evals.speed.table import Row, Target, compared
from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import ConversationInfo
from mnemo_lab.services import ServicesSpec
from mnemo_lab.strategy import WorkingMemory
from mnemo_lab.strategy_text import parse_strategy

MESSAGES, BUDGET = 2000, 4096
COLD: Final = Target(1 / 30)


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

    def filled(name: str) -> WorkingMemory:
        """Everything observed, nothing counted: what was known of these messages is known to other services."""
        memory = parse_strategy(name).start(ServicesSpec().open(), "bench")
        memory.begin(ConversationInfo("bench"))
        memory.observe(messages)
        return memory

    against = f"LangChain trim_messages, same counter, keeps {len(trim())} messages"
    what = f"trim {len(messages):,} messages to {BUDGET:,} tokens"
    for name, target in (("recent", COLD), ("head_tail", None)):
        warm = filled(name)
        kept = len(warm.recall(now, budget).pieces)
        assert abs(kept - len(trim())) <= 8, "the two keep different amounts"
        cold = in_turns(lambda name=name: filled(name).recall(now, budget), trim)
        yield compared(f"{what}, {name}, observed and counted from nothing (keeps {kept})", cold, against, target)
        again = in_turns(lambda warm=warm: warm.recall(now, budget), trim)
        yield compared(f"{what}, {name}, history counted", again, against)
