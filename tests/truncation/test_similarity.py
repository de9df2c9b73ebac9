"""``similarity``: closeness by hand and against ``dense``, MMR against a brute-force reference, what is charged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.ledger import Ledger
from mnemo_lab.retrieval.index_text import index_passages
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.truncation.similarity import Similarity
from tests.base.messages import new_services
from tests.conversations import day
from tests.truncation.cuts import COUNTER, SERVICES, history_of, said, tokens_of

TALK = [
    Message("user", "The staging database listens on port 5433.", "m0", day(0)),
    Message("assistant", "Noted, staging and its port.", "m1", day(1)),
    Message("user", "我们的发布会定在五月三十号。", "m2", day(2)),
    Message("assistant", "好的，已记录发布会的时间。", "m3", day(3)),
    Message("user", "Tea tastes better than coffee.", "m4", day(4)),
    Message("assistant", "Tea it is!", "m5", day(5)),
]


def recalled(
    strategy: str, messages: Sequence[Message], question: str, tokens: int = 10**6, prompt: str | None = None
) -> Context:
    memory = parse_strategy(strategy).start(SERVICES, "a")
    memory.begin(ConversationInfo("c", system_prompt=prompt))
    memory.observe(messages)
    context = memory.recall(Query(question), Budget(tokens, COUNTER))
    assert context.tokens == context.recount() <= max(tokens, 0)
    return context


def kept(strategy: str, messages: Sequence[Message], question: str, count: int) -> list[int]:
    """Which messages are kept where the budget is what ``count`` of the longest take, in order of their places."""
    tokens = sum(sorted(map(COUNTER.message, messages))[-count:])
    context = recalled(strategy, messages, question, tokens)
    return [int(source.message_id[1:]) for source in context.sources]


@pytest.mark.parametrize(
    ("question", "closest"),
    [("Which port does the staging database use?", 0), ("发布会定在哪天？", 2), ("coffee or tea?", 4)],
)
def test_the_closest_is_kept(question: str, closest: int) -> None:
    assert closest in kept("similarity", TALK, question, 1)


def test_a_question_equal_to_a_message_finds_it_first() -> None:
    for place, message in enumerate(TALK):
        tokens = COUNTER.message(message)
        assert f"m{place}" in {s.message_id for s in recalled("similarity", TALK, message.text, tokens).sources}


def test_units_stay_whole_and_score_as_their_closest_message() -> None:
    step = [
        Message("assistant", "", "m6", day(6), tool_calls=(ToolCall("t", "run_sql", "{}"),)),
        Message("tool", "quarterly revenue 48211", "m7", day(7), "run_sql", tool_call_id="t"),
        Message("assistant", "Done.", "m8", day(8)),
    ]
    context = recalled("similarity", [*TALK, *step], "quarterly revenue", tokens_of(step[:2]))
    assert [source.message_id for source in context.sources] == ["m6", "m7"]


def test_it_ranks_as_dense_does() -> None:
    topics = "tea port quartz 发布会 预算 staging granite goulash paprika 采石场".split()
    messages = [
        Message("user", f"{topics[i % 10]} {topics[(i * 3 + 1) % 10]} {topics[(i * 7 + 2) % 10]}", f"m{i}", day(i))
        for i in range(20)
    ]
    for question in ("tea and granite", "发布会的预算", "goulash with paprika"):
        memory = parse_strategy("dense").start(SERVICES, "a")
        scorer = Similarity().open_scorer(SERVICES)
        memory.begin(ConversationInfo("c"))
        memory.observe(messages)
        history = history_of(messages)
        scorer.add(history, 0)
        choice = Choice(history, Budget(0, COUNTER), SERVICES)
        scores = memory.candidates(Query(question)).fused  # type: ignore[attr-defined]
        ranked = [scores[index] for index in scorer.order(choice, Query(question))]
        assert len(ranked) == 20 and ranked == sorted(scores, reverse=True)


def test_an_empty_question_is_answered_by_the_last_messages() -> None:
    empty = recalled("similarity(last=2)", TALK, " \n", 40)
    assert empty.pieces == recalled("similarity(to='recent', last=2)", TALK, "port 5433", 40).pieces
    assert {"m4", "m5"} <= {source.message_id for source in empty.sources}


def test_to_recent_looks_at_the_last_messages_and_not_at_the_question() -> None:
    messages = [*TALK, Message("assistant", "So the staging database listens on port 5433.", "m6", day(6))]
    size = tokens_of([messages[6], messages[0]])
    for question in ("", "tea", "发布会"):
        context = recalled("similarity(to='recent', last=1)", messages, question, size)
        assert [source.message_id for source in context.sources] == ["m0", "m6"]


def test_neighbours_come_with_a_hit() -> None:
    tokens = tokens_of(TALK[1:4])
    found = [s.message_id for s in recalled("similarity(neighbours=1)", TALK, TALK[2].text, tokens).sources]
    assert found == ["m1", "m2", "m3"]
    assert "m1" not in [s.message_id for s in recalled("similarity", TALK, TALK[2].text, tokens_of(TALK[2:4])).sources]


WORDS = "tea port quartz 发布会 预算 staging granite E-4417".split()
LINES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(lines=LINES, mmr=st.sampled_from([0.3, 0.5, 0.8]), tokens=st.integers(0, 120), asked=st.sampled_from(WORDS))
def test_mmr_is_what_a_loop_over_all_pairs_gives(lines: list[list[str]], mmr: float, tokens: int, asked: str) -> None:
    messages = [
        Message("assistant", " ".join([*line, f"no{i}"]), f"m{i}", day(i), name="Mel") for i, line in enumerate(lines)
    ]
    context = recalled(f"similarity(mmr={mmr})", messages, asked, tokens)
    chosen = [int(source.message_id[1:]) for source in context.sources]
    reference, margin = brute_force(messages, asked, mmr, tokens)
    assert chosen == reference or margin < 1e-6


def brute_force(messages: Sequence[Message], asked: str, mmr: float, room: int) -> tuple[list[int], float]:
    """The choice by loops, and by how little the closest of its decisions was taken."""
    embed = SERVICES.embedder.encode
    vectors = embed([index_passages(message, prefix=True)[0] for message in messages]).astype(float)
    query = embed([asked], "query")[0].astype(float)
    left, taken, margin = list(range(len(messages))), list[int](), 1.0
    while left:
        value = {
            i: (1 - mmr) * vectors[i] @ query - mmr * max((vectors[i] @ vectors[j] for j in taken), default=0.0)
            for i in left
        }
        ranked = sorted(left, key=lambda i: (value[i], i), reverse=True)
        if len(ranked) > 1:
            margin = min(margin, value[ranked[0]] - value[ranked[1]])
        left.remove(ranked[0])
        if COUNTER.message(messages[ranked[0]]) <= room:
            room -= COUNTER.message(messages[ranked[0]])
            taken.append(ranked[0])
    return sorted(taken), margin


def test_mmr_counts_what_is_kept_for_other_reasons() -> None:
    """The newest says what the closest says; with diversity the next one is taken instead."""
    messages = [
        Message("user", "granite tea", "m0", day(0)),
        Message("user", "granite port", "m1", day(1)),
        Message("user", "granite tea", "m2", day(2)),
    ]
    room = tokens_of(messages[1:])
    assert [s.message_id for s in recalled("similarity", messages, "granite tea", room).sources] == ["m0", "m2"]
    diverse = recalled("similarity(mmr=0.8)", messages, "granite tea", room)
    assert [s.message_id for s in diverse.sources] == ["m1", "m2"]


def test_what_is_charged() -> None:
    """The write path embeds every passage once, the read path the question once a recall, and nothing for 'recent'."""
    passages = [part for message in TALK for part in index_passages(message, prefix=True)]
    assert Similarity().texts_to_embed(TALK) == passages and Similarity().needs == {"embedder"}
    for to, read in (("query", COUNTER.count("coffee or tea?")), ("recent", 0)):
        services = new_services()
        services.ledger = Ledger()
        memory = Similarity(to=to).start(services, "a")  # type: ignore[arg-type]
        memory.begin(ConversationInfo("c"))
        for message in TALK:
            memory.observe([message])
        assert services.ledger.total("write") == sum(map(COUNTER.count, passages))
        services.ledger.path = "read"
        for tokens in (20, 40):
            memory.recall(Query("coffee or tea?"), Budget(tokens, COUNTER))
        assert services.ledger.total("read") == 2 * read


def test_a_long_message_scores_as_its_best_passage() -> None:
    long = Message("user", "word " * 400 + "granite quarry", "m0", day(0))
    short = Message("assistant", "granite and something else altogether here", "m1", day(1))
    assert len(index_passages(long, prefix=True)) > 1
    assert {s.message_id for s in recalled("similarity", [long, short], "granite quarry", tokens_of([long])).sources}


@pytest.mark.parametrize("tokens", [0, 5])
@pytest.mark.parametrize("strategy", ["similarity", "similarity(mmr=0.5)", "similarity(to='recent', neighbours=2)"])
def test_nothing_observed_and_no_room(strategy: str, tokens: int) -> None:
    assert recalled(strategy, [], "?", tokens).pieces == ()
    assert recalled(strategy, TALK, "", tokens).pieces == ()


@pytest.mark.parametrize(
    ("setting", "allowed"),
    [("mmr=1.5", "a share from 0 to 1"), ("recent=-0.5", "a share from 0 to 1"), ("last=0", "1 or more"),
     ("neighbours=-1", "0 or more")],
)  # fmt: skip
def test_wrong_settings_name_the_value_and_what_is_allowed(setting: str, allowed: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_strategy(f"similarity({setting})")
    assert f"similarity({setting})" in str(refused.value) and allowed in str(refused.value)


def test_the_share_for_the_newest() -> None:
    room = 2 * tokens_of(TALK[4:])
    assert said(recalled("similarity(recent=0.5)", TALK, TALK[0].text, room)).endswith("coffee. Tea it is!")
    assert np.isclose(Similarity().recent, 0)
