"""Helpers of the contract suite: fill a memory, and compare contexts by what they say."""

from __future__ import annotations

from collections.abc import Sequence

from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory

QUERY = Query("Which port does the staging database use? 发布会定在哪天？", "2026-04-01T00:00:00Z")


def filled(
    strategy: Strategy, services: Services, messages: Sequence[Message], budget: Budget,
    chunk: int | None = None, prompt: str | None = None, namespace: str = "a",
) -> WorkingMemory:  # fmt: skip
    memory = strategy.start(services, namespace, budget if strategy.budget_bound else None)
    memory.begin(ConversationInfo("c1", system_prompt=prompt))
    step = chunk or max(len(messages), 1)
    for start in range(0, len(messages), step):
        memory.observe(messages[start : start + step])
    return memory


def said(context: Context) -> list[tuple[str, tuple[object, ...]]]:
    """Text and sources of every piece: equal contexts say the same from the same sources."""
    return [(piece.text, piece.sources) for piece in context.pieces]
