"""``hydrate``, ``checkpoint`` and ``lists`` over small conversations: what is packed, in which order, what is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mnemo_lab.context import Budget, Candidates, Context, Query, Source
from mnemo_lab.conversation import ConversationInfo, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.adaptive import near_misses
from mnemo_lab.hydration.layers import PINNED
from mnemo_lab.hydration.strategies.base import HydrationCandidates, WithCheckpoints
from mnemo_lab.hydration.strategies.checkpoint import CheckpointRetrieval
from mnemo_lab.hydration.strategies.hydrate import Hydrate
from mnemo_lab.hydration.strategies.lists import Lists
from mnemo_lab.services import Services
from tests.base.messages import new_services
from tests.conversations import day, office_recording

OFFICE = [m for conversation in office_recording().conversations for m in conversation.messages]
PORT = Query("Which port does the staging database use?")
TOPICS = [
    Message("user", text, f"m{number}", day(number))
    for number, text in enumerate(
        ["The tea order is green tea.", "Tea arrives on Monday.", "The banner costs 3,900 euros.",
         "The banner is blue.", "The port is 5433.", "Staging runs on that port."]
    )
]  # fmt: skip
TEA = Query("When does the tea arrive?")
BANNER = Query("What does the banner cost?")


class Recall:
    """A strategy over a conversation, recalled at several budgets."""

    def __init__(
        self, strategy: WithCheckpoints, messages: Sequence[Message] = TOPICS, services: Services | None = None
    ) -> None:
        self.services, self.strategy = services or new_services(), strategy
        self.memory: Any = strategy.start(self.services, "a")
        self.memory.begin(ConversationInfo("c"))
        self.memory.observe(messages)

    def context(self, query: Query, tokens: int = 1000) -> Context:
        context: Context = self.memory.recall(query, Budget(tokens, self.services.counter))
        assert context.tokens == context.recount() and (context.tokens <= tokens or not context.pieces)
        return context

    def ids(self, query: Query, tokens: int = 1000, via: str = "verbatim") -> list[str]:
        return [source.message_id for source in self.context(query, tokens).sources if source.via == via]


def test_hydrate_takes_the_best_and_shows_them_in_order_of_time() -> None:
    recall = Recall(Hydrate(k=2, trigger="every(n=2)"), OFFICE)
    candidates = recall.memory.candidates(PORT)
    assert recall.ids(PORT) == [f"m{i}" for i in sorted(candidates.ranking[:2])] and candidates.ranking[0] == 0
    assert recall.context(PORT).pieces[0].text.startswith("[2026-03-01]\nuser: We agreed that all ids")


def test_pinned_messages_come_first_of_all() -> None:
    rule = replace(TOPICS[3], extensions={PINNED: True})
    messages = [*TOPICS[:3], rule, *TOPICS[4:]]
    for strategy in (
        Hydrate(recent=0.5, k=1),
        CheckpointRetrieval(k=1, trigger="every(n=2)"),
        Lists(similar=1, recent=0, checkpoints=0, words=0),
    ):
        recall = Recall(strategy, messages)
        least = next(t for t in range(200) if recall.ids(TEA, t))
        assert recall.ids(TEA, least) == ["m3"], "with room for one line, it is the pinned one"
        assert "m3" in recall.ids(TEA) and len(recall.ids(TEA)) > 1


def test_neighbours_are_packed_with_a_hit() -> None:
    assert Recall(Hydrate(k=1, neighbours=1)).ids(BANNER) == ["m1", "m2", "m3"]
    assert Recall(Hydrate(k=1)).ids(BANNER) == ["m2"]
    adaptive = Recall(Hydrate(k=1, neighbours=1, adaptive=True, minimum=0.0))
    assert adaptive.ids(BANNER) == ["m1", "m2", "m3"], "a neighbour need not reach the minimum"


def test_the_newest_have_a_share() -> None:
    assert Recall(Hydrate(k=1, recent=0.4)).ids(TEA, 70)[-1] == "m5"
    assert Recall(Hydrate(k=1, recent=0.0)).ids(TEA, 70) == ["m1"]


def test_summaries_stand_where_their_messages_do_not() -> None:
    recall = Recall(Hydrate(k=1, summaries=0.7, trigger="every(n=2)"))
    assert recall.ids(BANNER, via="checkpoint") == ["m0", "m1", "m2", "m3"] and recall.ids(BANNER) == ["m2"]
    assert "(summary of 2 messages: " in recall.context(BANNER).text
    whole = Recall(Hydrate(summaries=0.7, trigger="every(n=2)"))
    assert whole.ids(BANNER, via="checkpoint") == [] and whole.ids(BANNER) == [f"m{i}" for i in range(6)]


def test_best_last() -> None:
    recall = Recall(Hydrate(order_by="best_last"))
    ranking = recall.memory.candidates(BANNER).ranking.tolist()
    assert recall.ids(BANNER) == [f"m{i}" for i in reversed(ranking)]
    assert recall.context(BANNER).text.count("[2026-03-01]\n") == 6


def test_excerpts_of_long_messages() -> None:
    long = Message("user", "We met. " + "It was a fine and sunny day at sea. " * 9 + "The mast is red.", "long", day(9))
    context = Recall(Hydrate(excerpt=20, k=1), [*TOPICS, long]).context(Query("Which colour has the mast?"))
    assert context.text.endswith("user: … The mast is red.\n</history>")
    assert [item.code for item in context.losses] == ["elided"]


def test_how_many_miss_the_minimum_is_said() -> None:
    plain = Recall(Hydrate()).memory.candidates(BANNER)
    scores = sorted(plain.fused.tolist(), reverse=True)
    minimum = scores[1] + 1e-6
    recall = Recall(Hydrate(minimum=minimum))
    missed = near_misses(plain, minimum)
    context = recall.context(BANNER)
    assert recall.ids(BANNER) == ["m2"] and missed >= 1
    (said,) = context.losses
    assert said.code == "near_threshold"
    assert said.sentence() == f"{missed} messages lie just below the minimum score {minimum}; they were left out"
    assert said.sentence("zh").startswith(f"{missed} 条消息的分数略低于阈值")
    assert Recall(Hydrate(minimum=scores[-1])).context(BANNER).losses == ()
    assert Recall(Hydrate(minimum=scores[0] + 99)).context(BANNER).pieces == ()


@pytest.mark.parametrize(
    ("embedder", "texts", "fits", "foreign", "named"),
    [
        ("all-MiniLM-L6-v2", [m.text for m in TOPICS], "What does the banner cost?", "How tall is Mount Everest?",
         "Which mountain is 5433 metres tall?"),
        ("multilingual-e5-small",
         ["我们的发布会定在五月三十号，预算是七十二万。", "场地还是云海酒店。", "错误码 E-4417 表示锁已过期。"],
         "发布会的预算是多少？", "光合作用的产物是什么？", "珠穆朗玛峰的 E-4417 是什么？"),
    ],
)  # fmt: skip
def test_adaptive_injects_nothing_where_nothing_fits(
    embedder: str, texts: list[str], fits: str, foreign: str, named: str
) -> None:
    messages = [Message("user", text, f"m{i}", day(i)) for i, text in enumerate(texts)]
    recall = Recall(Hydrate(adaptive=True), messages, new_services(embedder=embedder))
    assert recall.ids(Query(foreign)) == [] and recall.context(Query(foreign)).text == ""
    assert recall.ids(Query(fits)) and recall.ids(Query(named)), "an identifier that was written is a sign of its own"
    assert Recall(Hydrate(), messages, recall.services).ids(Query(foreign)), "without it the budget is filled"


@pytest.mark.parametrize(
    ("text", "ids"),
    [("the tea", ["m0", "m1", "m2", "m3"]), ("list all of the tea", ["m0", "m1", "m2", "m3", "m4"]),
     ("所有的茶", ["m0", "m1", "m2", "m3", "m4"])],
)  # fmt: skip
def test_adaptive_takes_more_for_wide_questions(text: str, ids: list[str]) -> None:
    recall = Recall(Hydrate(adaptive=True))
    found = found_by_hand(recall, [], [9.0, 8.0, 7.0, 5.0, 4.9, 1.0])
    budget = Budget(1000, recall.services.counter)
    context = recall.strategy.pack(found, recall.memory.history, Query(text), budget, recall.services)
    assert [source.message_id for source in context.sources] == ids


def test_adaptive_needs_standard_deviations() -> None:
    with pytest.raises(InvalidInput, match=r"adaptive=True, fusion='rrf'\): .* use fusion='zscore'"):
        Hydrate(adaptive=True, fusion="rrf")


def test_a_stored_shortlist_packs_too() -> None:
    """What a run keeps are plain candidates of the best positions, in any order."""
    recall = Recall(Hydrate(neighbours=1, adaptive=True, minimum=0.0, summaries=0.2))
    kept = Candidates(np.array([4, 2]), {}, np.array([5.0, 9.0]))
    budget = Budget(1000, recall.services.counter)
    for strategy, ids in (
        (recall.strategy, [1, 2, 3, 4, 5]),
        (CheckpointRetrieval(), [2, 4]),
        (Lists(similar=0), [2, 4]),
    ):
        context = strategy.pack(kept, recall.memory.history, BANNER, budget, recall.services)
        assert [s.message_id for s in context.sources] == [f"m{i}" for i in ids]


def found_by_hand(recall: Recall, closeness: Sequence[float], fused: Sequence[float]) -> HydrationCandidates:
    found: HydrationCandidates = recall.memory.candidates(TEA)
    return replace(found, closeness=tuple(closeness), fused=np.array(fused))


def packed(recall: Recall, found: HydrationCandidates, room: int) -> list[str]:
    """``S0`` for a summary that begins with message 0, ids for messages."""
    services = recall.services
    budget = Budget(room + services.message_tokens(Message("user", "<history>\n</history>")), services.counter)
    context = recall.strategy.pack(found, recall.memory.history, TEA, budget, services)
    assert context.tokens == context.recount() and not context.over_budget
    return [("S" if p.sources[0].via == "checkpoint" else "") + p.sources[0].message_id for p in context.pieces]


def cost(recall: Recall, *positions: int) -> int:
    """Tokens of these lines under one heading."""
    lines = "".join(recall.memory.history.undated(i).text for i in positions)
    return recall.services.count(f"[2026-03-01]\n{lines}")


@pytest.mark.parametrize(("expand", "narrow"), [("messages", ["m3"]), ("range", ["m5"]), ("auto", ["m3"])])
def test_what_a_checkpoint_becomes(expand: Any, narrow: list[str]) -> None:
    """The second of two checkpoints is closest, and its second message is best; 4 and 5 are not covered yet."""
    recall = Recall(CheckpointRetrieval(k=1, expand=expand, trigger="every(n=2)", delay=1))
    found = found_by_hand(recall, [0.1, 0.9], [9, 8, 1, 2, 7, 6])
    assert [(s.start, s.stop) for s in found.stretches] == [(0, 2), (2, 4)]
    assert packed(recall, found, cost(recall, 2, 3, 5)) == ["m2", "m3", "m5"]
    assert max(cost(recall, 3), cost(recall, 5)) <= cost(recall, 2) and packed(recall, found, cost(recall, 2)) == narrow
    assert recall.strategy.order(found) == [3, 2, 5, 4], "by checkpoint, by score; the rest from the newest back"


def test_a_range_is_taken_whole_or_not_at_all() -> None:
    recall = Recall(CheckpointRetrieval(k=1, expand="range", trigger="every(n=2)", delay=1))
    found = found_by_hand(recall, [0.9, 0.1], [1, 2, 3, 4, 5, 6])
    both = cost(recall, 0, 1)
    assert packed(recall, found, both) == ["m0", "m1"]
    assert packed(recall, found, both - 1) == ["m5"], "the newest where the range does not fit"


def test_a_summary_is_the_last_resort_of_auto() -> None:
    recall = Recall(CheckpointRetrieval(k=2, expand="summary", trigger="every(n=2)"))
    found = found_by_hand(recall, [0.1, 0.9], [1, 2, 3, 4, 5, 6])
    assert packed(recall, found, 900) == ["Sm0", "Sm2", "m4", "m5"]
    long = [replace(m, content=f"{m.text} " + "and so on " * 60) for m in TOPICS]
    auto = Recall(CheckpointRetrieval(k=1, expand="auto", trigger="every(n=2)"), long)
    found = found_by_hand(auto, [0.9, 0.1], [1, 2, 3, 4, 5, 6])
    summary = auto.services.count(f"[2026-03-01]\n(summary of 2 messages: {found.stretches[0].checkpoint.summary})\n")
    assert summary < cost(auto, 0) and packed(auto, found, summary) == ["Sm0"]
    assert packed(auto, found, cost(auto, 0, 1)) == ["m0", "m1"]


def test_lists_are_fixed_numbers_from_each() -> None:
    recall = Recall(Lists(recent=1, similar=1, words=1, checkpoints=0))
    found = recall.memory.candidates(TEA)
    by_hand = replace(
        found, scores={"dense": np.array([0, 1, 2, 9, 4, 5.0]), "keyword": np.array([7, 7, 0, 0, 0, 0.0])}
    )
    assert recall.strategy.order(by_hand) == [5, 3, 0], "newest, closest, best by words (the earlier of two)"
    none = replace(by_hand, scores={**by_hand.scores, "keyword": np.zeros(6)})
    assert recall.strategy.order(none) == [5, 3], "no word in common is no hit"
    assert Lists(recent=2, similar=4, k=3).order(by_hand) == [5, 4, 3]
    assert Lists(recent=0, similar=0, words=0).order(by_hand) == []
    assert recall.ids(TEA) == ["m1", "m5"], "the closest has the words too"


def test_lists_with_summaries() -> None:
    recall = Recall(Lists(recent=1, similar=0, words=0, checkpoints=1, trigger="every(n=2)"))
    found = found_by_hand(recall, [0.2, 0.9], [0] * 6)
    assert packed(recall, found, 900) == ["Sm2", "m5"]


def test_a_list_that_nothing_ranks_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"lists\(similar=2, dense=0.0\).* give dense a weight, or take similar=0"):
        Lists(dense=0.0)
    assert Lists(dense=0.0, similar=0).similar == 0
    with pytest.raises(InvalidInput, match=r"lists\(words=-1\): must be 0 or more"):
        Lists(words=-1)


def test_what_is_remembered_stands_before_the_conversation() -> None:
    """A fact of an earlier conversation, by hand: its day, how sure it is, and the message it stands for."""
    services = new_services()
    memory = Hydrate(trigger="every(n=1)", memory=True, memory_share=0.6).start(services, "test")
    memory.begin(ConversationInfo("first"))
    memory.observe([Message("user", "I'm allergic to epoxy.", "m0", "2026-01-02T10:00:00Z")])
    memory.end()
    memory.begin(ConversationInfo("second"))
    memory.observe([Message("user", "Which glue shall I take?", "m1", "2026-03-01T10:00:00Z")])
    context = memory.recall(Query("glue?", "2026-03-01T11:00:00Z"), Budget(120, services.counter))
    head, line, *rest = context.text.removeprefix("<history>\n").splitlines()
    assert head == "[earlier notes; what follows wins]"
    assert "epoxy" in line and "[2026-01-02, " in line
    assert rest[-2:] == ["user: Which glue shall I take?", "</history>"]
    assert context.pieces[0].sources == (Source("m0", via="memory"),)
    assert context.tokens == context.recount()


def test_without_memory_no_fact_is_taken() -> None:
    memory = Hydrate(trigger="every(n=1)").start(new_services(), "test")
    memory.begin(ConversationInfo("first"))
    memory.observe([Message("user", "I'm allergic to epoxy.", "m0", "2026-01-02T10:00:00Z")])
    assert memory.index.remembering is None  # type: ignore[attr-defined]


def test_a_pinned_rule_is_never_an_excerpt() -> None:
    rules = "".join(f"Rule {i}: never on day {i}. " for i in range(20))
    rule = Message("user", rules, "rule", day(0), extensions={PINNED: True})
    context = Recall(Hydrate(excerpt=20, k=1), [rule, *TOPICS]).context(TEA)
    assert "Rule 19: never on day 19." in context.text and not context.losses


def test_the_newest_do_not_fill_what_a_limit_leaves_free() -> None:
    """``recent`` keeps its share where ``k``, ``minimum`` or ``adaptive`` says how much is wanted; else it fills up."""
    long = [Message("user", f"Nothing of note happened on walk {i}.", f"w{i}", day(9)) for i in range(60)]
    budget = 500
    for limited in (Hydrate(k=1, recent=0.1), Hydrate(minimum=99.0, recent=0.1), Hydrate(adaptive=True, recent=0.1)):
        assert Recall(limited, [*TOPICS, *long]).context(TEA, budget).tokens < budget / 2
    assert Recall(Hydrate(recent=0.1), [*TOPICS, *long]).context(TEA, budget).tokens > budget - 20


def test_a_narrow_search_compares_no_other_vectors() -> None:
    """One pass over the vectors of what is searched; a message whose predecessor is not among it counts alone."""
    recall = Recall(Hydrate(scope=1, trigger="every(n=2)"))
    passages, calls = recall.memory.index.passages, []
    dense = passages.dense
    passages.dense = lambda vector, at=None: calls.append(None if at is None else at.tolist()) or dense(vector, at)
    found = recall.memory.candidates(BANNER)
    assert calls == [found.positions.tolist()] and set(calls[0]) == {2, 3, 4, 5}, "m4 and m5 are not covered yet"
    assert found.scores["pair"][0] == pytest.approx(found.scores["dense"][0])
    everything = Recall(Hydrate(trigger="every(n=2)")).memory.candidates(BANNER)
    assert found.scores["pair"][1:] == pytest.approx(everything.scores["pair"][3:])


def test_days_are_those_the_question_names_itself() -> None:
    """The turn before said "last Tuesday" on 2 March, a Monday: that is 24 February, however late one asks on."""
    talk = [
        Message("user", "The budget is 80.", "m0", "2026-02-24T10:00:00Z"),
        Message("user", "The budget is 90.", "m1", "2026-03-17T10:00:00Z"),
        Message("user", "What did we decide last Tuesday?", "m2", "2026-03-02T10:00:00Z"),
    ]
    found = Recall(Hydrate(), talk).memory.candidates(Query("And what about it?", "2026-03-20T10:00:00Z"))
    assert found.searched.text.startswith("What did we decide") and found.scores["time"].tolist() == [0, 0, 0]


def test_excerpts_are_of_what_was_searched() -> None:
    long = Message("user", "We met. " + "It was a sunny day at sea. " * 9 + "The zebra budget is 80.", "long", day(7))
    asked = Message("user", "And what is the zebra budget?", "asked", day(8))
    context = Recall(Hydrate(excerpt=20), [long, asked]).context(Query("what about it?"))
    assert "The zebra budget is 80." in context.text
