from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Piece
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import BudgetTooSmall
from mnemo_lab.history import History
from mnemo_lab.packing.lines import transcript_line
from mnemo_lab.packing.pack import MIN_LINE, close_context, frame_tokens, pack_lines, protected_tokens
from mnemo_lab.tokens import ENCODINGS, open_counter
from tests.base.messages import MESSAGES, new_services

SERVICES = new_services()
SIZES = (5, 30, 8, 12)


def history(prompt: str | None = None) -> History:
    grown = History(SERVICES)
    grown.begin(ConversationInfo("c", system_prompt=prompt))
    grown.extend([Message("user", "word " * size, f"m{i}") for i, size in enumerate(SIZES)])
    return grown


def packed(order: list[int], room: int, stop: bool = False, prompt: str | None = None) -> list[str]:
    """Ids taken where ``room`` tokens are left beside frame and prompt."""
    past = history(prompt)
    tokens = room + frame_tokens(SERVICES) + protected_tokens(prompt, SERVICES)
    context = pack_lines(order, past, Budget(tokens, SERVICES.counter), SERVICES, stop_at_first=stop)
    assert context.tokens == context.recount() <= max(tokens, 0)
    return [source.message_id for source in context.sources]


def costs() -> list[int]:
    past = history()
    return [past.line(p).tokens for p in range(len(past))]


def test_takes_in_order_while_it_fits_and_shows_oldest_first() -> None:
    a, b, c, d = costs()
    assert packed([2, 0, 1], a + b + c) == ["m0", "m1", "m2"]
    assert packed([3, 1, 0], d + a) == ["m0", "m3"], "what does not fit is skipped"
    assert packed([3, 1, 0], d + a, stop=True) == ["m3"]
    assert packed([3, 3, 0], d + a) == ["m0", "m3"], "a repeated position is taken once"


def test_an_exact_fit_is_taken_and_one_less_is_not() -> None:
    a = costs()[0]
    assert packed([0], a) == ["m0"]
    assert packed([0], a - 1) == []


def test_the_system_prompt_is_paid_for() -> None:
    a, prompt = costs()[0], "Answer in rhyme."
    assert packed([0], a, prompt=prompt) == ["m0"]
    assert packed([0], a - 1, prompt=prompt) == []


@settings(max_examples=150, deadline=None)
@given(MESSAGES, st.sampled_from(ENCODINGS))
@example(Message("user", "", name=":"), "o200k_base")
def test_no_line_is_shorter_than_the_minimum(message: Message, encoding: str) -> None:
    assert open_counter(encoding).count(transcript_line(message)) >= MIN_LINE


def test_the_shortest_line_is_taken_where_it_just_fits() -> None:
    past = History(SERVICES)
    past.extend([Message("user", "", name=":")])
    budget = Budget(frame_tokens(SERVICES) + 2, SERVICES.counter)
    assert [piece.text for piece in pack_lines([0], past, budget, SERVICES).pieces] == [":: \n"]


def test_the_frame_is_the_empty_block() -> None:
    counter = open_counter("o200k_base")
    assert frame_tokens(SERVICES) == 3 + counter.count("user") + counter.count("<history>\n</history>")
    assert protected_tokens(None, SERVICES) == protected_tokens("", SERVICES) == 0
    assert protected_tokens("Be kind.", SERVICES) == 3 + 1 + counter.count("Be kind.")


def test_what_does_not_fit_is_flagged_or_refused() -> None:
    piece = Piece("hello world", 6, (), Message("user", "hello world"))
    flagged = close_context([piece], "chat", None, Budget(5, SERVICES.counter), SERVICES)
    assert flagged.over_budget
    assert flagged.losses[0].sentence() == "the protected part alone takes 6 tokens, over the budget of 5"
    with pytest.raises(BudgetTooSmall, match="takes 6 tokens, over the budget of 5; raise the budget"):
        close_context([piece], "chat", None, Budget(5, SERVICES.counter, "error"), SERVICES)
    assert not close_context([piece], "chat", None, Budget(6, SERVICES.counter, "error"), SERVICES).losses
