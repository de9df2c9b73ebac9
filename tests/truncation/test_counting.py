"""What is counted: from cold only what is kept and its neighbours; in a replay nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.services import Services
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.tokens.counter import TokenCounter
from tests.base.messages import new_services
from tests.truncation.cuts import COUNTER, tokens_of

WAYS = (
    *("recent", "recent(low_water=0.5)", "recent(note='en')", "recent(partial=True, note='zh')"),
    *("head_tail", "head_tail(head=0.2, note='en')", "tool_trim", "tool_trim(keep_results=1, mode='elide')"),
)


class Watching(TokenCounter):
    """Notes every text it counts."""

    seen: ClassVar[list[str]] = []

    def encode(self, text: str) -> list[int]:
        self.seen.append(text)
        return super().encode(text)


def watched() -> Services:
    services = new_services()
    services.counter = Watching(COUNTER.encoding, _codec=COUNTER._codec)
    Watching.seen.clear()
    return services


def talk(turns: int) -> list[Message]:
    messages: list[Message] = []
    for number in range(turns):
        call = ToolCall(f"c{number}", "read", f'{{"line": {number}}}')
        messages += [
            Message("user", f"Question {number} about the port.", f"u{number}"),
            Message("assistant", f"Looking, {number}.", f"a{number}", tool_calls=(call,)),
            Message("tool", f"line {number} " + "row " * 40, f"t{number}", tool_call_id=call.id),
        ]
    return messages


def texts_of(messages: Sequence[Message]) -> set[str]:
    return {message.text for message in messages}


@pytest.mark.parametrize("strategy", ["recent", "recent(note='en')", "head_tail", "head_tail(head=0.2, note='zh')"])
def test_from_cold_only_what_may_be_kept_is_counted(strategy: str) -> None:
    """2,000 messages: counted are those that are kept, and of each end the one unit that no longer fits; with notes
    also whether all fits, which is known once the budget is full."""
    messages, services = talk(2000 // 3), watched()
    memory = parse_strategy(strategy).start(services, "a")
    memory.observe(messages)
    assert Watching.seen == [], "observing counts nothing"
    context = memory.recall(Query("?"), Budget(2000, services.counter))
    counted = {text for text in Watching.seen if text in texts_of(messages)}
    kept = texts_of(context.messages())
    assert len(context.pieces) > 50 and len(counted - kept) <= (len(kept) if "note" in strategy else 6)
    assert len(Watching.seen) < 12 * len(context.pieces), "and those a bounded number of times"


@pytest.mark.parametrize("strategy", WAYS)
def test_a_step_of_a_replay_counts_only_what_is_new(strategy: str) -> None:
    """What was counted is known; a new message is counted once; so is the text of a piece that is cut anew."""
    messages, services = talk(120), watched()
    budget = Budget(2000, services.counter)
    memory = parse_strategy(strategy).start(services, "a")
    memory.observe(messages[:240])
    memory.recall(Query("?"), budget)
    for message in messages[240:]:
        memory.observe([message])
        Watching.seen.clear()
        context = memory.recall(Query("?"), budget)
        shortened = {piece.text for piece in context.pieces if piece.elided}
        again = [text for text in Watching.seen if text in texts_of(messages) - {message.text} - shortened]
        assert len(again) <= (12 if "partial" in strategy or "elide" in strategy else 0), again
        assert Watching.seen.count(message.text) <= 2
        Watching.seen.clear()
        assert memory.recall(Query("?"), budget) == context
        assert Watching.seen == [], "the same step again counts nothing at all"
        assert context.recount() == context.tokens == tokens_of(context.messages()), "but the final check"
