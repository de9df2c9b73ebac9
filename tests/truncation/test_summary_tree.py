"""The tree of summaries worked by hand: when nodes close, which are sent, and that each message stands in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models.errors import Unavailable
from mnemo_lab.services import Services
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.summary_tree import Node, SummaryTree, TreeMemory
from tests.summaries.ranges import COUNTER, RangeModel, numbered, numbers_in, services_with

PAIRS = "summary_tree(writer='model', fanout=2, leaf=20, node=10, share=0.5)"
"""Messages of 10 tokens, two to a window, two nodes to a parent."""


def started(strategy: str, messages: list[Message], services: Services | None = None) -> TreeMemory:
    memory = parse_strategy(strategy).start(services or services_with(RangeModel()), "a")
    assert isinstance(memory, TreeMemory)
    memory.begin(ConversationInfo("c"))
    memory.observe(messages)
    return memory


def recalled(memory: TreeMemory, tokens: int) -> Context:
    context = memory.recall(Query("?"), Budget(tokens, COUNTER))
    assert context.recount() == context.tokens <= tokens
    return context


def shape(nodes: list[Node]) -> list[tuple[int, int, int]]:
    return [(node.level, node.start, node.stop) for node in nodes]


def test_when_nodes_close() -> None:
    """The newest unit may still grow, so a window of two closes with the third message; parents close at once."""
    memory = started(PAIRS, [])
    seen = []
    for message in numbered(31):
        memory.observe([message])
        seen.append(shape(memory.roots))
    assert seen[:3] == [[], [], [(0, 0, 2)]]
    assert seen[4] == [(1, 0, 4)]
    assert seen[6] == [(1, 0, 4), (0, 4, 6)]
    assert seen[14] == [(2, 0, 8), (1, 8, 12), (0, 12, 14)]
    assert seen[16] == [(3, 0, 16)]
    assert seen[30] == [(3, 0, 16), (2, 16, 24), (1, 24, 28), (0, 28, 30)]


def test_a_step_is_never_divided() -> None:
    call = Message("assistant", "w2", "a", tool_calls=(ToolCall("t", "run"),))
    results = [Message("tool", f"w{i} " + "word " * 30, f"r{i}", tool_call_id="t") for i in (3, 4)]
    memory = started(PAIRS, [*numbered(1), call, *results])
    assert memory.roots == []
    memory.observe(numbered(1, 5))
    assert shape(memory.roots) == [(0, 0, 4)]


def test_every_node_says_what_its_children_say_and_messages_are_read_once() -> None:
    model = RangeModel()
    memory = started(PAIRS, numbered(33), services_with(model))
    nodes = [*memory.roots]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        assert node.summary and node.summary.text == f"w{node.start}-w{node.stop - 1}"
        assert node.summary.covered == tuple(f"m{i}" for i in range(node.start, node.stop))
        assert not node.children or (node.children[0].start, node.children[-1].stop) == (node.start, node.stop)
    read = [n for part in model.parts if "user: w" in part for n in numbers_in(part)]
    assert read == list(range(32)) and len(model.asked) == 16 + 8 + 4 + 2 + 1


def test_what_is_sent_is_coarser_with_age() -> None:
    """100 tokens: half of what m30 leaves takes 4 more; 50 are left for a mark of 12 and lines of 5.

    The coarsest three lines leave 23. The newest node ends in what is sent as it is: of it one leaf is left, for
    nothing. Each opening takes 5: w16-w23, w20-w23, w16-w19, w0-w15; 3 are left.
    """
    context = recalled(started(PAIRS, numbered(31)), 100)
    front, *rest = context.messages()
    assert rest == numbered(5, 26)
    lines = [
        "[Summary of 26 earlier messages]",
        "w0-w7",
        "w8-w15",
        "w16-w17",
        "w18-w19",
        "w20-w21",
        "w22-w23",
        "w24-w25",
    ]
    assert front.text.split("\n") == lines
    assert [s.message_id for s in context.pieces[0].sources] == [f"m{i}" for i in range(26)]
    assert context.losses == ()


def test_less_room_is_coarser_then_the_oldest_is_lost_and_said() -> None:
    memory = started(PAIRS, numbered(31))
    assert recalled(memory, 76).messages()[0].text.split("\n")[1:] == ["w0-w15", "w16-w23", "w24-w25", "w26-w27"]
    assert recalled(memory, 60).messages()[0].text.split("\n")[1:] == ["w0-w15", "w16-w23", "w24-w27"]
    short = recalled(memory, 50)
    assert short.messages()[0].text.split("\n")[1:] == ["w24-w27"] and short.messages()[1:] == numbered(3, 28)
    assert [dict(item.values)["count"] for item in short.losses] == ["24"]
    assert recalled(memory, 10).messages() == numbered(1, 30)


def test_what_fits_is_sent_as_it_is_and_room_that_is_left_is_used() -> None:
    memory = started(PAIRS, numbered(31))
    assert recalled(memory, 310).messages() == numbered(31)
    front, *rest = recalled(memory, 309).messages()
    assert front.text == "[Summary of 3 earlier messages]\nw0-w1\nw2-w3" and rest == numbered(28, 3)


@pytest.mark.parametrize("amount", [0, 1, 7, 9])
def test_budgets_too_small_for_anything(amount: int) -> None:
    assert recalled(started("summary_tree", numbered(200)), amount).tokens <= amount


def test_extracts_quote_at_every_level() -> None:
    messages = [Message("user", f"Table t{i} uses cust_ref_{i}. " + "And so on. " * 8, f"m{i}") for i in range(80)]
    memory = started("summary_tree(fanout=2, leaf=100, node=40)", messages)
    assert max(node.level for node in memory.roots) >= 3
    text_of = {m.id: m.text for m in messages}
    context = recalled(memory, 600)
    spans = [(s.message_id, a, b) for s in context.pieces[0].sources for a, b in s.spans]
    assert len(spans) > 5
    assert all(text_of[name][a:b] in context.pieces[0].text for name, a, b in spans)
    assert not {name for name, _, _ in spans} & {s.message_id for p in context.pieces[1:] for s in p.sources}


def test_a_model_that_fails_is_replaced_at_every_level() -> None:
    services = services_with(RangeModel(script={i: Unavailable("down") for i in range(100)}))
    memory = started("summary_tree(writer='model', fanout=2, leaf=60, node=30)", numbered(40), services)
    context = recalled(memory, 200)
    failed = services.ledger.of("ranges", "summary").failed
    assert failed > 8 and len([i for i in context.losses if i.code == "summary_fell_back"]) == failed


def test_a_restored_tree_asks_nothing_again(tmp_path: Path) -> None:
    memory = started(PAIRS, numbered(31))
    memory.save(tmp_path)
    other = RangeModel()
    again = parse_strategy(PAIRS).restore(tmp_path, services_with(other))
    assert isinstance(again, TreeMemory)
    assert again.roots == memory.roots and recalled(again, 100) == recalled(memory, 100) and other.asked == []


@pytest.mark.parametrize(
    ("settings", "named"),
    [("fanout=1", "fanout=1"), ("leaf=128", "leaf=128, node=128"), ("node=0", "node=0"), ("share=1.0", "share=1.0")],
)
def test_bad_settings_are_named(settings: str, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        parse_strategy(f"summary_tree({settings})")
    assert SummaryTree().needs == frozenset() and SummaryTree("model").needs == {"language_model"}


@settings(max_examples=80, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 60), max_size=60),
    tokens=st.integers(0, 2500),
    fanout=st.integers(2, 5),
    leaf=st.integers(21, 150),
    share=st.sampled_from([0.2, 0.5, 0.9]),
)
def test_each_message_stands_in_one_node_or_as_it_is_or_is_lost_from_the_old_end(
    sizes: list[int], tokens: int, fanout: int, leaf: int, share: float
) -> None:
    messages = [Message("user", f"w{i}" + " word" * n, f"m{i}") for i, n in enumerate(sizes)]
    memory = started(f"summary_tree(writer='model', fanout={fanout}, leaf={leaf}, node=20, share={share})", messages)
    context = recalled(memory, tokens)
    sent = context.messages()
    front = sent[0].text if sent and sent[0].text.startswith("[Summary") else ""
    told = numbers_in(front.partition("\n")[2])
    tail = [int(m.id[1:]) for m in sent if m.id]
    assert tail == list(range(len(sizes) - len(tail), len(sizes)))
    reachable = [n for n in told if n < len(sizes) - len(tail)]
    assert reachable == sorted(set(reachable)), "no message in two nodes"
    represented = {s.message_id for s in context.sources if not s.spans}
    assert represented == {f"m{n}" for n in reachable}
    count = [int(dict(item.values)["count"]) for item in context.losses if item.code == "left_out_to_fit"]
    if tail:
        assert sum(count) == len(sizes) - len(tail) - len(represented)
