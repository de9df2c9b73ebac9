"""The rolling summary worked by hand, and the faults users report of such summaries (D2, D5, D9 to D12, D15, D16)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, takewhile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.cut_report import cached_prefix
from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models.errors import Unavailable
from mnemo_lab.services import Services
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.truncation.summary import RollingMemory, RollingSummary
from mnemo_lab.units import validate_messages
from tests.base.messages import MESSAGES
from tests.conversations import TEXTS, message_lists
from tests.summaries.ranges import COUNTER, RangeModel, numbered, numbers_in, services_with

BY_MODEL = "summary(writer='model', share=0.3, keep_user=0.0, low_water=0.8)"


def started(strategy: str, tokens: int, services: Services | None = None, prompt: str | None = None) -> RollingMemory:
    memory = parse_strategy(strategy).start(services or services_with(RangeModel()), "a", Budget(tokens, COUNTER))
    assert isinstance(memory, RollingMemory)
    memory.begin(ConversationInfo("c", system_prompt=prompt))
    return memory


def recalled(memory: RollingMemory, tokens: int) -> Context:
    context = memory.recall(Query("?"), Budget(tokens, COUNTER))
    assert context.recount() == context.tokens
    return context


def covered(memory: RollingMemory) -> list[str]:
    return list(memory.summary.covered) if memory.summary else []


def steps(strategy: str, tokens: int, messages: list[Message]) -> list[int]:
    """How many messages are covered after each one."""
    memory, found = started(strategy, tokens), []
    for message in messages:
        memory.observe([message])
        assert covered(memory) == [m.id for m in messages[: memory.first]]
        found.append(memory.first)
    return found


def test_what_is_folded_when() -> None:
    """Messages of 10 tokens and a room of 100; a summary of all so far takes 17 or 18, and may take 30.

    The 11th outgrows the high mark: 5 stay in 0.8 - 0.3 of the room, 6 are folded. With the summary 8 more than
    fill the rest, and the 15th goes over: with 17 known, 6 stay, and every third message goes over again. Down to
    1.0, 7 stay at first, then 8 and the next goes over. From 0.9 to 0.5, 2 stay, later 3.
    """
    messages = numbered(23)
    assert {COUNTER.message(m) for m in messages} == {10}
    full = "summary(writer='model', share=0.3, keep_user=0.0, low_water=1.0)"
    early = "summary(writer='model', share=0.3, keep_user=0.0, high_water=0.9, low_water=0.5)"
    assert steps(BY_MODEL, 100, messages) == [0] * 10 + [6] * 4 + [9] * 3 + [12] * 3 + [15] * 3
    assert steps(full, 100, messages[:16]) == [0] * 10 + [4] * 2 + [5, 6, 7, 8]
    assert steps(early, 100, messages[:16]) == [0] * 9 + [8] * 6 + [13]


def test_what_is_sent() -> None:
    memory = started(BY_MODEL, 100)
    memory.observe(numbered(13))
    context = recalled(memory, 100)
    front, *rest = context.messages()
    assert (front.role, front.content) == ("user", "[Summary of 6 earlier messages]\nw0-w5")
    assert rest == numbered(7, 6)
    assert [(s.message_id, s.spans, s.via) for s in context.pieces[0].sources] == [
        (f"m{i}", (), "summary") for i in range(6)
    ]
    assert context.losses == ()
    memory.observe(numbered(2, 13))
    assert recalled(memory, 100).messages()[0].content == "[Summary of 9 earlier messages]\nw0-w8"


def test_the_system_prompt_and_leading_system_messages_stay_in_front() -> None:
    rhyme = Message("system", "Answer in rhyme.", "s")
    memory = started(BY_MODEL, 120, prompt="You help.")
    memory.observe([rhyme, *numbered(30)])
    sent = recalled(memory, 120).messages()
    assert [m.content for m in sent[:2]] == ["You help.", "Answer in rhyme."]
    assert sent[2].text.startswith("[Summary of ") and "s" not in covered(memory)


def test_a_longer_system_prompt_in_a_later_conversation_folds_at_once() -> None:
    memory = started(BY_MODEL, 100)
    memory.observe(numbered(10))
    assert memory.first == 0
    memory.end()
    memory.begin(ConversationInfo("d", system_prompt="word " * 15))
    assert memory.first > 0 and recalled(memory, 100).tokens <= 100


def test_the_mark_is_in_the_conversations_language() -> None:
    memory = started("summary", 200)
    memory.observe([Message("user", f"今天我们讨论第{i}个部署方案，决定用 cust_ref_{i}。", f"m{i}") for i in range(20)])
    assert recalled(memory, 200).messages()[0].text.startswith(f"[前 {len(covered(memory))} 条消息的摘要]\n")


def test_the_beginning_of_the_prompt_stays_the_same_between_folds() -> None:
    memory, before, folds = started(BY_MODEL, 100), None, 0
    for message in numbered(40):
        first = memory.first
        memory.observe([message])
        now = recalled(memory, 100)
        if before is not None and memory.first == first:
            assert cached_prefix(before, now) == before.tokens
        folds += memory.first != first
        before = now
    assert folds == 10


def test_the_newest_user_messages_stand_word_for_word_beside_the_summary() -> None:
    memory = started("summary(writer='model', share=0.2, keep_user=0.4, low_water=0.8)", 150)
    memory.observe(numbered(31))
    context = recalled(memory, 150)
    front = context.messages()[0].text
    assert memory.first == 27 and context.messages()[1:] == numbered(4, 27)
    newest = [m for m in numbered(27) if m.role == "user"][-10:]
    assert front == "[Summary of 27 earlier messages]\nw0-w26\nuser: " + "… ".join(m.text for m in newest)
    whole = {m.id: ((0, len(m.text)),) for m in newest}
    assert {s.message_id: s.spans for s in context.pieces[0].sources if s.spans} == whole
    assert 90 - 8 < context.pieces[0].tokens <= 90, "an eleventh would take 7 more"


def test_the_lines_of_a_model_stay_lines() -> None:
    services = services_with(RangeModel(script={0: "Intent: w1\nDone: w2\nOpen: w3"}))
    memory = started("summary(writer='model', share=0.4, keep_user=0.2)", 200, services)
    memory.observe(numbered(21))
    front = recalled(memory, 200).messages()[0].text.split("\n")
    assert front[1:4] == ["Intent: w1", "Done: w2", "Open: w3"] and front[4].startswith("user: w")


def test_a_user_message_that_does_not_fit_is_cut_inside() -> None:
    long = Message("user", "start " + "word " * 300 + "end", "long")
    memory = started("summary(writer='model', share=0.2, keep_user=0.4)", 300)
    talk = [Message("assistant", f"w{i} " + "word " * 20, f"m{i}") for i in range(11, 31)]
    memory.observe([*numbered(9), long, *talk])
    context = recalled(memory, 300)
    source = next(s for s in context.sources if s.message_id == "long")
    front = context.pieces[0].text
    (a, b), (c, d) = source.spans
    assert a == 0 and d == len(long.text) and b < c
    assert long.text[a:b] in front and long.text[c:d] in front
    assert f"{long.text[a:b]}…{long.text[c:d]}" in front


def test_no_line_says_again_what_stands_in_full() -> None:
    memory = started("summary(share=0.3, keep_user=0.3)", 300)
    messages = [
        Message(("user", "assistant")[i % 2], f"Table t{i} has column cust_ref_{i}. Port is {5000 + i}.", f"m{i}")  # type: ignore[arg-type]
        for i in range(60)
    ]
    memory.observe(messages)
    text = "\n".join(m.text for m in recalled(memory, 300).messages())
    assert memory.first > 40
    for i in range(60):
        assert text.count(f"cust_ref_{i}.") <= 1
        assert text.count(f"Port is {5000 + i}.") <= 1


def test_a_goal_and_thirty_large_steps_are_all_summarised() -> None:
    """D2: no user message is near; the summariser is asked all the same, for every message, and the goal stays."""
    goal = Message("user", "w0 goal: migrate the orders table to UUIDs.", "m0")
    messages = [goal]
    for i in range(30):
        call = ToolCall(f"t{i}", "run", "{}")
        messages.append(Message("assistant", f"w{2 * i + 1} " + "word " * 300, f"a{i}", tool_calls=(call,)))
        messages.append(Message("tool", f"w{2 * i + 2} " + "word " * 300, f"r{i}", tool_call_id=f"t{i}"))
    model = RangeModel(4000, window=4000)
    memory = started("summary(writer='model')", 2000, services_with(model))
    memory.observe(messages)
    context = recalled(memory, 2000)
    assert covered(memory) == [m.id for m in messages[: memory.first]] and memory.first > 50
    assert numbers_in("\n".join(model.parts)) == list(range(memory.first))
    assert memory.summary and memory.summary.text == f"w0-w{memory.first - 1}"
    assert goal.text in context.text
    assert [m for m in validate_messages(context.messages()) if m.severity == "error"] == []


def test_a_pending_call_is_never_folded() -> None:
    """D5: nothing comes between a call and its results, however large they grow."""
    memory = started(BY_MODEL, 100)
    call = Message("assistant", "w9", "m9", tool_calls=(ToolCall("t9", "run"),))
    memory.observe([*numbered(9), call])
    assert covered(memory) == [f"m{i}" for i in range(6)] and recalled(memory, 100).messages()[-1] == call
    result = Message("tool", "w10 " + "word " * 200, "m10", tool_call_id="t9")
    memory.observe([result])
    assert covered(memory) == [f"m{i}" for i in range(9)]
    sent = recalled(memory, 100).messages()
    assert [m.role for m in sent[1:]] == ["assistant", "tool"] and "tokens…]" in sent[-1].text
    memory.observe([Message("user", "w11 go on", "m11")])
    assert covered(memory) == [f"m{i}" for i in range(11)]


def test_a_session_larger_than_every_window_is_compacted() -> None:
    """D9, D10: a summariser of 200 tokens takes over from one of 1,000 and is given 1,000 tokens at once."""
    large, small = RangeModel(1000, window=1000), RangeModel(200, window=200)
    memory = started("summary(writer='model')", 400, services_with(large))
    memory.observe(numbered(60))
    state = memory._state()
    heir = started("summary(writer='model')", 400, services_with(small))
    heir.history.extend(memory.history.messages)
    heir.load({"faults": [], "window": 1000, **state})
    heir.observe([Message("user", "w60" + " word" * 1000, "m60"), *numbered(1, 61)])
    assert heir.first == 61 and heir.summary and heir.summary.text == "w0-w60"
    assert small.refused == 0 and recalled(heir, 400).losses == ()


def test_the_summarisers_window_is_its_own() -> None:
    """D11: the reader has 100 tokens, the summariser 400: it is given all that the reader no longer sees."""
    model = RangeModel(400, window=400)
    memory = started(BY_MODEL, 100, services_with(model))
    memory.observe(numbered(3, words=150))
    assert model.refused == 0 and numbers_in("\n".join(model.parts)) == list(range(memory.first))
    assert max(map(COUNTER.count, model.asked)) > 100


def test_rejected_options_and_identifiers_survive_forty_turns() -> None:
    """D12: "which column?", and "why not A?", after 40 turns of talk."""
    decision = Message(
        "user", "Plan A fails because the lock is stale, so we use plan B; the column is cust_ref_2.", "d"
    )
    talk = [
        Message(role, text, f"f{i}-{role}")  # type: ignore[arg-type]
        for i in range(40)
        for role, text in (("user", "Could you say that again, please?"), ("assistant", "Of course, here it is again."))
    ]
    memory = started("summary", 400)
    memory.observe([*numbered(4), decision, *talk])
    text = recalled(memory, 400).text
    assert "d" in covered(memory)
    assert "cust_ref_2" in text and "Plan A fails because the lock is stale" in text


@pytest.mark.parametrize("keep_user", [0.0, 0.2, 0.6])
def test_many_user_messages_come_down_to_the_low_mark(keep_user: float) -> None:
    """D15: 190 user messages of 100 words do not keep a context from shrinking: right after a fold it is low."""
    memory = started(f"summary(share=0.2, keep_user={keep_user}, low_water=0.85)", 4000)
    folds = 0
    for i in range(190):
        first = memory.first
        memory.observe([Message("user", f"w{i} " + "word " * 99, f"m{i}")])
        if memory.first != first:
            folds += 1
            assert recalled(memory, 4000).tokens <= 0.85 * 4000
    assert folds > 10 and memory.dropped == 0


def test_what_was_observed_stays_what_it_was() -> None:
    """D16: the summary is a view; the messages themselves are untouched."""
    messages = [*numbered(50), Message("user", "word " * 500, "long")]
    memory = started("summary", 200)
    memory.observe(messages)
    recalled(memory, 200)
    assert memory.history.messages == messages


def test_a_dead_model_is_replaced_and_said() -> None:
    script = {i: Unavailable("503 from the server") for i in range(100)}
    services = services_with(RangeModel(script=script))
    memory = started(BY_MODEL, 200, services)
    memory.observe(numbered(60))
    context = recalled(memory, 200)
    said = [item for item in context.losses if item.code == "summary_fell_back"]
    usage = services.ledger.of("ranges", "summary")
    assert len(said) == usage.fell_back == usage.failed > 3
    assert "503 from the server" in said[0].sentence("en") and "503 from the server" in said[0].sentence("zh")
    assert covered(memory) == [f"m{i}" for i in range(memory.first)]
    assert any(s.spans and s.message_id in covered(memory) for s in context.sources), "an extract quotes"


def test_where_no_summary_can_be_written_messages_are_dropped_and_counted() -> None:
    memory = started("summary(note='en')", 40)
    memory.observe(numbered(12))
    context = recalled(memory, 40)
    assert memory.summary is None and memory.dropped == memory.first
    assert [(i.code, dict(i.values)["count"]) for i in context.losses] == [("left_out_to_fit", str(memory.dropped))]
    assert context.messages()[0].content == f"[{memory.dropped} messages omitted]"
    assert context.messages()[-1] == numbered(1, 11)[0]


@pytest.mark.parametrize("tokens", [0, 1, 7, 12])
@pytest.mark.parametrize("writer", ["extractive", "model"])
def test_budgets_too_small_for_anything(tokens: int, writer: str) -> None:
    memory = started(f"summary(writer='{writer}')", tokens)
    memory.observe(numbered(12))
    context = recalled(memory, tokens)
    assert context.tokens <= tokens and memory.summary is None


def test_a_smaller_budget_at_recall_still_holds() -> None:
    memory = started("summary", 400)
    memory.observe(numbered(100))
    for tokens in range(0, 420, 20):
        assert recalled(memory, tokens).tokens <= tokens


def test_a_restored_memory_asks_nothing_again(tmp_path: Path) -> None:
    model = RangeModel(300, window=800)
    memory = started(BY_MODEL, 200, services_with(model))
    memory.observe(numbered(60, words=30))
    memory.save(tmp_path)
    other = RangeModel(300, window=800, script=dict.fromkeys(range(9), Unavailable("asked")))
    again = parse_strategy(BY_MODEL).restore(tmp_path, services_with(other))
    assert isinstance(again, RollingMemory)
    assert recalled(again, 200) == recalled(memory, 200) and other.asked == []
    assert again._summariser.window == memory._summariser.window == 300  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ("share=0.0", "share=0.0"),
        ("share=0.7, keep_user=0.3", "keep_user=0.3"),
        ("keep_user=-0.1", "keep_user=-0.1"),
        ("high_water=1.1", "high_water=1.1"),
        ("low_water=0.9, high_water=0.8", "low_water=0.9"),
        ("low_water=0.0", "low_water=0.0"),
        ("writer='me'", "'me' is not one of 'extractive', 'model'"),
    ],
)
def test_bad_settings_are_named(settings: str, named: str) -> None:
    with pytest.raises(InvalidInput, match=named.replace("(", r"\(")):
        parse_strategy(f"summary({settings})")


def test_it_needs_a_budget_and_a_model_only_where_one_writes() -> None:
    with pytest.raises(InvalidInput, match="start it with a budget"):
        RollingSummary().start(services_with(), "a")
    assert RollingSummary().needs == frozenset() and RollingSummary("model").needs == {"language_model"}


@settings(max_examples=80, deadline=None)
@given(
    messages=message_lists(),
    tokens=st.integers(0, 5000) | st.integers(0, 200),
    writer=st.sampled_from(["extractive", "model"]),
    keep_user=st.sampled_from([0.0, 0.3]),
    low_water=st.sampled_from([0.5, 1.0]),
)
def test_at_every_step_what_is_covered_and_what_was_dropped_is_all_that_is_gone(
    messages: list[Message], tokens: int, writer: str, keep_user: float, low_water: float
) -> None:
    services = services_with(RangeModel(500, window=500))
    memory = started(
        f"summary(writer='{writer}', share=0.4, keep_user={keep_user}, low_water={low_water})", tokens, services
    )
    gone = 0
    for message in messages:
        dropped, before = memory.dropped, covered(memory)
        memory.observe([replace(message, timestamp=None)])
        new = [m.id for m in messages[gone : memory.first]]
        added = covered(memory)[len(before) :]
        assert covered(memory) == before + added and added == [i for i in new if i in added]
        assert memory.dropped - dropped == len(new) - len(added)
        gone = memory.first
        context = recalled(memory, tokens)
        assert context.tokens <= tokens
        assert {s.message_id for s in context.sources} <= {m.id for m in messages[gone:]} | set(covered(memory))


@settings(max_examples=100, deadline=None)
@given(
    messages=st.lists(MESSAGES | st.builds(Message, st.sampled_from(["system", "user", "tool"]), TEXTS), max_size=20),
    tokens=st.integers(0, 400),
    strategy=st.sampled_from(["summary(share=0.3, keep_user=0.4)", "summary_tree(leaf=40, node=20, fanout=2)"]),
)
def test_any_messages_at_all(messages: list[Message], tokens: int, strategy: str) -> None:
    """Orphaned results, null content, lone surrogates: quotations are true, in order, none twice; the budget holds."""
    observed = [replace(message, id=f"x{i}") for i, message in enumerate(messages)]
    memory = parse_strategy(strategy).start(services_with(), "a", Budget(tokens, COUNTER))
    memory.begin(ConversationInfo("c"))
    memory.observe(observed)
    context = memory.recall(Query("?"), Budget(tokens, COUNTER))
    head = sum(COUNTER.message(m) for m in takewhile(lambda m: m.role == "system", observed))
    assert context.recount() == context.tokens <= max(tokens, head)
    quoted = [(int(s.message_id[1:]), a, b, p.text) for p in context.pieces for s in p.sources for a, b in s.spans]
    assert all(observed[i].text[a:b] in text for i, a, b, text in quoted)
    places = [(i, a, b) for i, a, b, _ in quoted if a < b]
    assert all(one[0] < two[0] or (one[0] == two[0] and one[2] <= two[1]) for one, two in pairwise(places))
