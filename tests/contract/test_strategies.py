"""The laws every strategy keeps, by value. Peers run it too; what they break is recorded in ``PEER_FAULTS``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import BudgetTooSmall
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.units import validate_messages
from tests.contract.conftest import PEER_FAULTS, new_services
from tests.contract.laws import QUERY, filled, said
from tests.contract.skeletons import SKELETONS
from tests.conversations import day, message_lists, office_recording

BUDGETS = (0, 1, 7, 30, 64, 120, 300, 5000)
EVERY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def tokens(services: Services, amount: int) -> Budget:
    return Budget(amount, services.counter)


def is_full(strategy: Strategy) -> bool:
    return strategy.name == "full"


@EVERY
@given(messages=message_lists(), amount=st.sampled_from(BUDGETS), prompt=st.sampled_from([None, "Answer in rhyme."]))
def test_budget_holds_or_is_flagged(
    strategy: Strategy, services: Services, messages: list[Message], amount: int, prompt: str | None
) -> None:
    """Law 1: the joined rendering recounts to what is claimed, and to at most the budget unless flagged."""
    budget = tokens(services, amount)
    context = filled(strategy, services, messages, budget, prompt=prompt).recall(QUERY, budget)
    assert context.recount() == context.tokens
    assert context.over_budget == (context.tokens > amount)
    assert context.over_budget == any(item.code == "over_budget" for item in context.losses)
    protected = services.message_tokens(Message("system", prompt)) if prompt else 0
    if context.over_budget and not is_full(strategy):
        assert protected > amount, "only what is protected may overrun"
    if prompt:
        assert context.messages()[0].content == prompt


@EVERY
@given(messages=message_lists(), amount=st.sampled_from(BUDGETS))
def test_verbatim_sources_are_true(
    strategy: Strategy, services: Services, messages: list[Message], amount: int
) -> None:
    """Law 2: verbatim spans stand in the piece, come from this history, none twice, in time order (or best last)."""
    budget = tokens(services, amount)
    context = filled(strategy, services, messages, budget).recall(QUERY, budget)
    text_of = {message.id: message.text for message in messages}
    order = [message.id for message in messages]
    seen: set[tuple[str, int]] = set()
    places = []
    for piece in context.pieces:
        for source in piece.sources:
            assert source.message_id in text_of
            for start, end in source.spans:
                assert text_of[source.message_id][start:end] in piece.text
                characters = {(source.message_id, i) for i in range(start, end)}
                assert not characters & seen
                seen |= characters
            if source.spans:
                places.append(order.index(source.message_id))
    if strategy.settings().get("order_by") != "best_last":
        assert places == sorted(places)


@EVERY
@given(messages=message_lists(), amount=st.sampled_from(BUDGETS))
def test_recall_changes_nothing(strategy: Strategy, services: Services, messages: list[Message], amount: int) -> None:
    """Law 3: the same recall again, with others in between, gives the same context."""
    budget = tokens(services, amount)
    memory = filled(strategy, services, messages, budget)
    first = said(memory.recall(QUERY, budget))
    memory.recall(Query("something else entirely"), budget)
    assert said(memory.recall(QUERY, budget)) == first


@EVERY
@given(messages=message_lists(), amount=st.sampled_from(BUDGETS), chunk=st.integers(1, 3))
def test_chunking_does_not_matter(
    strategy: Strategy, services: Services, messages: list[Message], amount: int, chunk: int
) -> None:
    """Law 4: any chunking of observe gives the same selection."""
    budget = tokens(services, amount)
    whole = filled(strategy, services, messages, budget).recall(QUERY, budget)
    parts = filled(strategy, services, messages, budget, chunk).recall(QUERY, budget)
    assert said(parts) == said(whole)


@EVERY
@given(messages=message_lists(), amount=st.sampled_from(BUDGETS), data=st.data())
def test_nothing_later_leaks_in(
    strategy: Strategy, services: Services, messages: list[Message], amount: int, data: st.DataObject
) -> None:
    """Law 5: equal prefixes give equal contexts, also when earlier recalls and later messages differ."""
    cut = data.draw(st.integers(0, len(messages)))
    budget = tokens(services, amount)
    alone = filled(strategy, services, messages[:cut], budget)
    stepwise = filled(strategy, services, [], budget)
    for message in messages[:cut]:
        stepwise.observe([message])
        stepwise.recall(QUERY, budget)
    before = said(stepwise.recall(QUERY, budget))
    assert before == said(alone.recall(QUERY, budget))
    stepwise.observe(messages[cut:])
    assert said(stepwise.recall(QUERY, budget)) == said(
        filled(strategy, services, messages, budget).recall(QUERY, budget)
    )


def test_prints_as_what_you_type(strategy: Strategy) -> None:
    """Law 6: parse(str(s)) == s, every default spelled out."""
    if strategy in SKELETONS:
        pytest.skip("a throwaway strategy has no name in the registry")
    assert parse_strategy(str(strategy)) == strategy
    assert all(f"{name}=" in str(strategy) for name in strategy.settings())


def office(strategy: Strategy, services: Services, budget: Budget, until: int) -> WorkingMemory:
    """The office recording up to a position, both conversations."""
    memory = strategy.start(services, "office", budget if strategy.budget_bound else None)
    position = 0
    for conversation in office_recording().conversations:
        if position >= until:
            break
        if position:
            memory.end()
        memory.begin(conversation.info)
        memory.observe(conversation.messages[: until - position])
        position += len(conversation.messages)
    return memory


@pytest.mark.parametrize("until", [4, 10, 15, 18])
@pytest.mark.parametrize("amount", [80, 200, 4000])
def test_restore_gives_equal_contexts(
    strategy: Strategy, services: Services, tmp_path: Path, until: int, amount: int
) -> None:
    """Law 7: restore(save()), mid-step, between conversations and at the end; and both go on alike."""
    budget = tokens(services, amount)
    memory = office(strategy, services, budget, until)
    memory.save(tmp_path)
    again = strategy.restore(tmp_path, new_services())
    assert said(again.recall(QUERY, budget)) == said(memory.recall(QUERY, budget))
    more = [Message("user", "One more thing: the port is 6000 now.", "z1", day(90))]
    memory.observe(more)
    again.observe(more)
    assert said(again.recall(QUERY, budget)) == said(memory.recall(QUERY, budget))


@pytest.mark.parametrize("query", [Query(""), QUERY, Query("？！… \u200b"), Query("the of and")])
@pytest.mark.parametrize("amount", [0, 50])
def test_empty_history_query_and_budget(strategy: Strategy, services: Services, query: Query, amount: int) -> None:
    """Law 8: nothing observed, nothing asked, nothing allowed: a valid context."""
    budget = tokens(services, amount)
    empty = strategy.start(services, "a", budget if strategy.budget_bound else None)
    assert empty.recall(query, budget).pieces == ()
    some = office(strategy, services, budget, 18).recall(query, budget)
    assert some.recount() == some.tokens


@EVERY
@given(messages=message_lists(), amount=st.sampled_from(BUDGETS))
def test_valid_list_stays_valid(
    request: pytest.FixtureRequest, strategy: Strategy, services: Services, messages: list[Message], amount: int
) -> None:
    """Law 9: no orphaned result, no unanswered call that was answered before (chat rendering)."""
    if reason := PEER_FAULTS.get(strategy.name, {}).get("stays_valid"):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=False))
    budget = tokens(services, amount)
    context = filled(strategy, services, messages, budget).recall(QUERY, budget)
    if context.rendering == "chat":
        assert [item for item in validate_messages(context.messages()) if item.severity == "error"] == []


@EVERY
@given(messages=message_lists(), amount=st.sampled_from(BUDGETS), seed=st.integers(0, 5))
def test_renaming_ids_changes_nothing(
    strategy: Strategy, services: Services, messages: list[Message], amount: int, seed: int
) -> None:
    """Law 11: ids carry no meaning."""
    budget = tokens(services, amount)
    renamed = [replace(m, id=f"{seed}-{hash((seed, i)) & 0xFFFF:x}-{i}") for i, m in enumerate(messages)]
    one = filled(strategy, services, messages, budget).recall(QUERY, budget)
    two = filled(strategy, services, renamed, budget).recall(QUERY, budget)
    assert [piece.text for piece in one.pieces] == [piece.text for piece in two.pieces]


def test_namespaces_never_leak(strategy: Strategy, services: Services) -> None:
    """Law 11: two namespaces on the same services know nothing of each other."""
    budget = tokens(services, 4000)
    secret = Message("user", "My badge number is 99-ALPHA.", "s1", day(1))
    other = Message("user", "Nothing of interest here.", "o1", day(1))
    filled(strategy, services, [secret], budget, namespace="a")
    context = filled(strategy, services, [other], budget, namespace="b").recall(Query("badge number?"), budget)
    assert "99-ALPHA" not in context.text


def test_everything_is_kept_represented_or_lost(strategy: Strategy, services: Services) -> None:
    """Law 10: what a context draws on was observed; the rest is lost, and the three sets are disjoint."""
    budget = tokens(services, 150)
    context = office(strategy, services, budget, 18).recall(QUERY, budget)
    observed = {f"m{i}" for i in range(18)}
    kept = {s.message_id for s in context.sources if s.spans}
    represented = {s.message_id for s in context.sources if not s.spans} - kept
    assert kept | represented <= observed
    assert (observed - kept - represented) or is_full(strategy) or context.tokens <= 150


def test_refuses_when_asked(services: Services) -> None:
    """A protected part that does not fit is an error where the caller chose so."""
    strict = Budget(3, services.counter, on_overflow="error")
    memory = filled(parse_strategy("recent"), services, [], strict, prompt="A long prompt that takes many tokens.")
    with pytest.raises(BudgetTooSmall, match="over the budget of 3"):
        memory.recall(QUERY, strict)


def test_pending_call_may_trail(strategy: Strategy, services: Services) -> None:
    """A history that ends in a call without its result yet is not an error."""
    messages = [
        Message("user", "Count the rows.", "p0", day(0)),
        Message("assistant", None, "p1", day(1), tool_calls=(ToolCall("t1", "count", "{}"),)),
    ]
    budget = tokens(services, 500)
    context = filled(strategy, services, messages, budget).recall(QUERY, budget)
    assert context.recount() == context.tokens
