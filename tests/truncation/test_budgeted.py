"""``budgeted``: shares by hand, what is left over, what is refused."""

from __future__ import annotations

import pytest

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.budgeted import Budgeted
from tests.conversations import day
from tests.truncation.cuts import COUNTER, SERVICES

SIZE = 14
FILLERS = "quartz granite goulash paprika lemon pepper barley walnut copper silver".split()


def messages(finished: bool = True) -> list[Message]:
    """Ten of fourteen tokens each and an answer after them: 3 and 5 are about a port, 7 states facts."""
    texts = [f"the {word} is there" for word in FILLERS]
    texts[3], texts[5], texts[7] = "a port of call", "the port is open", "E-4417 on dabai-01"
    found = [_padded(text, f"m{i}", i) for i, text in enumerate(texts)]
    return [*found, Message("assistant", "fine", "end", day(20))] if finished else found


def _padded(text: str, name: str, hour: int) -> Message:
    message = Message("user", text, name, day(hour))
    while COUNTER.message(message) < SIZE:
        text += " ."
        message = Message("user", text, name, day(hour))
    assert COUNTER.message(message) == SIZE
    return message


LAST = COUNTER.message(Message("assistant", "fine"))


def kept(strategy: str, tokens: int, question: str = "Which port?", finished: bool = True) -> str:
    memory = parse_strategy(strategy).start(SERVICES, "a")
    memory.begin(ConversationInfo("c"))
    memory.observe(messages(finished))
    context = memory.recall(Query(question), Budget(tokens, COUNTER))
    assert context.tokens == context.recount() <= tokens
    return " ".join(source.message_id.removeprefix("m") for source in context.sources)


def test_each_share_is_filled_by_its_own_order() -> None:
    """100 tokens: two of ten for the head, the answer and one before it, two near the question, one of facts."""
    shares = "head=0.3, recent=0.2, similar=0.3, important=0.15"
    assert kept(f"budgeted({shares})", 100) == "0 1 3 5 7 9 end"
    assert kept("budgeted(head=1.0, recent=0.0, similar=0.0)", 3 * SIZE) == "0 1 2"
    assert kept("budgeted(head=0.0, recent=1.0, similar=0.0)", 2 * SIZE + LAST) == "8 9 end"
    assert kept("budgeted(head=0.0, recent=0.0, similar=1.0)", 2 * SIZE) == "3 5"
    assert kept("budgeted(head=0.0, recent=0.0, similar=0.0, important=1.0)", SIZE) == "7"


def test_what_one_has_taken_costs_the_next_nothing() -> None:
    """The head takes 3 and 5, which are the most similar, so that all of that share is for others."""
    found = kept("budgeted(head=0.6, recent=0.0, similar=0.4)", 9 * SIZE + LAST).split()
    assert found[:6] == ["0", "1", "2", "3", "4", "5"] and len(found) == 10


def test_what_is_left_over_goes_to_the_others_in_their_order() -> None:
    """The rest goes to what is similar first, then to what is important, though others have shares too."""
    room = 4 * SIZE
    assert kept("budgeted(head=0.25, recent=0.0, similar=0.25)", room, "the port?").startswith("0 3 5")
    assert kept("budgeted(head=0.25, recent=0.0, similar=0.0)", room) == "0 1 2 3", "no other has a share"
    assert kept("budgeted(head=0.0, recent=0.25, similar=0.0)", 2 * SIZE + LAST) == "8 9 end"
    assert kept("budgeted(head=0.1, recent=0.1, similar=0.0)", 2 * SIZE + LAST) == "8 9 end", "recent before head"
    assert kept("budgeted(head=0.0, recent=0.1, similar=0.0, important=0.1)", 2 * SIZE + LAST) == "5 7 end", "and last"


def test_what_waits_is_kept_whatever_the_shares() -> None:
    assert kept("budgeted(head=1.0, recent=0.0, similar=0.0)", SIZE, finished=False) == "9"
    assert kept("budgeted(head=1.0, recent=0.0, similar=0.0)", 2 * SIZE, finished=False) == "0 9"


def test_no_embedder_without_a_share_for_what_is_similar() -> None:
    plain = Budgeted(similar=0.0, important=0.5)
    assert plain.needs == frozenset() and plain.texts_to_embed(messages()) == []
    assert Budgeted().needs == {"embedder"} and len(Budgeted().texts_to_embed(messages())) == 11


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("head=0.5, recent=0.5, similar=0.1", "add up to 1.1; at most 1"),
        ("head=0.0, recent=0.0, similar=0.0", "every share is 0; give at least one"),
        ("head=-0.1", "budgeted(head=-0.1): must be a share from 0 to 1"),
        ("important=1.5", "budgeted(important=1.5): must be a share from 0 to 1"),
    ],
)
def test_what_is_refused(settings: str, why: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_strategy(f"budgeted({settings})")
    assert why in str(refused.value)


def test_shares_that_only_rounding_makes_too_many_are_fine() -> None:
    assert Budgeted(head=0.1, recent=0.2, similar=0.3, important=0.4).important == 0.4


def test_without_a_question_what_is_similar_is_close_to_the_last_messages() -> None:
    assert kept("budgeted(head=0.0, recent=0.0, similar=1.0)", 2 * SIZE, "") != ""
