"""``importance``: worth by hand, every signal in both languages, the order against a greedy one, what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Budget, Query
from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.truncation.importance import FLAGS, Importance, Worth
from mnemo_lab.truncation.signals import Signals, read
from tests.conversations import day, message_lists
from tests.truncation.cuts import COUNTER, SERVICES, cut, errors, history_of, said, tokens_of

PLAIN = Importance(**dict.fromkeys((*FLAGS, "length", "recent"), 0.0))  # type: ignore[arg-type]
"""Information alone: no signal, no length, no share for the newest."""


def users(*texts: str) -> list[Message]:
    return [Message("user", text, f"m{i}", day(i)) for i, text in enumerate(texts)]


def worth(strategy: Importance, messages: Sequence[Message], tokens: int = 10**6) -> Worth:
    history = history_of(messages)
    signals = Signals(SERVICES)
    signals.add(history, 0)
    choice = Choice(history, Budget(tokens, COUNTER), SERVICES, keep_newest=False)
    return Worth(strategy, signals.by_unit(history), choice)


def kept(strategy: Importance, messages: Sequence[Message], tokens: int) -> str:
    return said(cut(messages, tokens, str(strategy)))


def test_worth_is_information_by_signals_over_tokens() -> None:
    messages = users("alpha beta", "alpha", "gamma 17")
    information = [log(1 + 3 / 2) + log(4), log(1 + 3 / 2), 2 * log(4)]
    assert worth(PLAIN, messages).all() == pytest.approx(information)
    weighed = worth(replace(PLAIN, length=1.5, facts=0.6, newness=-0.3), messages).all()
    sizes = [COUNTER.message(message) for message in messages]
    signals = [exp(0.6 * facts - 0.3 * new) for facts, new in ((0, 0), (0, 0.5), (1 / 3, 1))]
    assert weighed == pytest.approx([i * s / n**1.5 for i, s, n in zip(information, signals, sizes, strict=True)])


ENGLISH = [
    Message("user", "Which quarry does Priya like?", "a", day(0)),
    Message("assistant", "Granite, as E-4417 says.", "b", day(1)),
    Message("user", "Then we decided on granite.\n```\nstone = 1\n```", "c", day(2)),
]
CHINESE = [
    Message("user", "王老师喜欢哪个采石场？", "a", day(0)),
    Message("assistant", "花岗岩，见 E-4417。", "b", day(1)),
    Message("user", "那我们决定用花岗岩。\n```\nstone = 1\n```", "c", day(2)),
]
HAVE = {
    "facts": ((1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 3, 1 / 3)),
    "decision": ((0, 0, 1), (0, 0, 1)),
    "question": ((1, 0, 0), (1, 0, 0)),
    "answers": ((0, 1, 0), (0, 1, 0)),
    "own": ((0, 0, 1), (0, 0, 1)),
    "code": ((0, 0, 1), (0, 0, 1)),
    "role": ((1, 0, 1), (1, 0, 1)),
    "newness": ((0, 0.5, 1), (0, 0.5, 1)),
}


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("language", [0, 1])
def test_every_signal_multiplies_and_a_weight_of_zero_switches_it_off(name: str, language: int) -> None:
    messages = (ENGLISH, CHINESE)[language]
    off = worth(PLAIN, messages).all()
    for weight in (-0.4, 0.7):
        on = worth(replace(PLAIN, **{name: weight}), messages).all()  # type: ignore[arg-type]
        assert on / off == pytest.approx([exp(weight * value) for value in HAVE[name][language]])


def test_length_prefers_short_units_the_more_the_higher_it_is() -> None:
    messages = users("alpha", "beta gamma delta epsilon zeta eta theta iota kappa lambda " + "so it is and " * 20)
    assert [list(worth(replace(PLAIN, length=length), messages).order()) for length in (0.0, 1.0)] == [[1, 0], [0, 1]]


def test_a_term_that_comes_back_counts_more() -> None:
    """alpha in units 0 and 2, beta in 1 alone: with a weight of 1 alpha counts double in 0, not in 2."""
    messages = users("alpha", "beta", "alpha")
    assert worth(replace(PLAIN, referred=1.0), messages).all() == pytest.approx([2 * log(2.5), log(4), log(2.5)])
    assert worth(replace(PLAIN, referred=-1.0), messages).all() == pytest.approx([0, log(4), log(2.5)])
    assert worth(replace(PLAIN, referred=1.0), messages[:2]).all() == pytest.approx([log(3), log(3)]), "not seen yet"
    chinese = users("花岗岩", "weather", "花岗岩")
    assert next(worth(replace(PLAIN, referred=1.0), chinese).order()) == 0


def test_novelty_by_hand() -> None:
    """After 'alpha beta', a second 'alpha beta' is worth nothing new, 'gamma' all of its own."""
    messages = users("gamma", "alpha beta", "alpha beta")
    assert list(worth(PLAIN, messages).order()) == [2, 1, 0]
    budget = 3 * COUNTER.message(messages[1])
    assert kept(replace(PLAIN, novelty=1.0), messages, 2 * budget // 3) == "gamma alpha beta"
    assert kept(PLAIN, messages, 2 * budget // 3) == "alpha beta alpha beta"


LINES = st.lists(
    st.lists(st.sampled_from("alpha beta gamma delta epsilon 花岗岩 采石场 E-4417".split()), min_size=1, max_size=6),
    min_size=1, max_size=9,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(lines=LINES, novelty=st.sampled_from([0.2, 0.5, 1.0]), tokens=st.integers(0, 160))
def test_every_unit_is_the_best_beside_those_kept_before(lines: list[list[str]], novelty: float, tokens: int) -> None:
    """Against sets and loops that weigh all afresh; what does not fit is passed over and fades nothing."""
    messages = users(*(" ".join(line) for line in lines))
    terms = [read(message.text).terms for message in messages]
    left, taken = set(range(len(messages))), list[int]()

    def value(index: int) -> float:
        known = {term: sum(term in terms[one] for one in taken) for term in terms[index]}
        rare = {term: log(1 + len(terms) / sum(term in other for other in terms)) for term in terms[index]}
        new = sum(rare[term] * (1 - novelty) ** known[term] for term in terms[index])
        return new / COUNTER.message(messages[index])

    history, signals = history_of(messages), Signals(SERVICES)
    signals.add(history, 0)
    choice = Choice(history, Budget(tokens, COUNTER), SERVICES, keep_newest=False)
    strategy = replace(PLAIN, length=1.0, novelty=novelty)
    for index in Worth(strategy, signals.by_unit(history), choice).fading_order():
        assert value(index) == pytest.approx(max(map(value, left)))
        left.remove(index)
        if choice.add(index):
            taken.append(index)
    assert not left


TALK = [
    Message("user", "Hey! How are you? It has been such a long while, hasn't it?", "t0", day(0)),
    Message("assistant", "I am great, thank you so much for asking me that! What is new with you today?", "t1", day(1)),
    Message("user", "We chose the Corvana tiles, code CV-7420-B, 27.50 a box.", "t2", day(2)),
    Message("assistant", "That is a lovely choice, and it will look really great, I am sure of it.", "t3", day(3)),
    Message("user", "哈哈，谢谢！", "t4", day(4)),
    Message("user", "我们决定5月30号开工，联系人是王老师。", "t5", day(5)),
    Message("assistant", "好的，收到。", "t6", day(6)),
]


def test_a_small_conversation() -> None:
    """What states facts is kept, in both languages; small talk and generic answers are not."""
    two = tokens_of([TALK[2], TALK[5]])
    assert kept(Importance(recent=0.0), TALK, two) == f"{TALK[2].text} {TALK[5].text}"


def test_the_share_for_the_newest_units() -> None:
    """Half of the room for the newest, without a hole; the rest by worth."""
    newest = tokens_of(TALK[5:])
    found = kept(Importance(recent=0.5), TALK, 2 * newest)
    assert found == " ".join(TALK[i].text for i in (2, 5, 6))
    assert kept(Importance(recent=1.0), TALK, newest) == f"{TALK[5].text} {TALK[6].text}"


def test_a_finished_answer_is_cut_to_the_share_and_a_question_is_not() -> None:
    fact = Message("user", "The port is 5433, on dabai-01.", "f", day(0))
    long = Message("assistant", "word " * 300, "l", day(1))
    sent = cut([fact, long], 100, "importance(recent=0.5)")
    assert [piece.elided is None for piece in sent.pieces] == [True, False]
    assert sent.pieces[1].tokens <= 50
    assert said(cut([fact, long], 100, "importance(recent=0.0)")) == fact.text
    asked = Message("user", "word " * 300, "l", day(1))
    sent = cut([fact, asked], 100, "importance(recent=0.1)")
    assert [piece.sources[0].message_id for piece in sent.pieces] == ["l"] and sent.pieces[0].tokens > 90


def test_a_step_that_waits_for_the_assistant_is_kept() -> None:
    step = [
        Message("assistant", "", "c", day(2), tool_calls=(ToolCall("t", "run", "{}"),)),
        Message("tool", "of the to and", "d", day(3), "run", tool_call_id="t"),
    ]
    facts = users("The port is 5433, on dabai-01.")
    for messages in (step, step[:1]):
        sent = cut([*facts, *messages], tokens_of(messages), "importance(recent=0.0)")
        assert [piece.message for piece in sent.pieces] == messages


@settings(max_examples=40, deadline=None)
@given(messages=message_lists(), tokens=st.integers(0, 200), recent=st.sampled_from([0.0, 0.3, 1.0]))
def test_what_waits_is_there_and_the_budget_holds(messages: list[Message], tokens: int, recent: float) -> None:
    context = cut(messages, tokens, f"importance(recent={recent}, note='en')")
    assert context.tokens <= tokens and errors(context) == []
    if messages[-1].role == "user" and tokens_of(messages[-1:]) <= tokens:
        assert context.pieces[-1].message == messages[-1]
    fits = [tokens_of([messages[p] for p in unit.positions]) <= tokens for unit in history_of(messages).units]
    assert context.pieces or not any(fits)


@pytest.mark.parametrize(
    ("setting", "allowed"),
    [
        ("recent=1.5", "a share from 0 to 1"), ("novelty=-0.1", "a share from 0 to 1"), ("length=-1.0", "0 to 20"),
        ("referred=-2.0", "-1 to 20"), ("role=99.0", "-20 to 20"),
    ],
)  # fmt: skip
def test_wrong_settings_name_the_value_and_what_is_allowed(setting: str, allowed: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        cut([], 10, f"importance({setting})")
    assert f"importance({setting})" in str(refused.value) and allowed in str(refused.value)


def test_no_loop_over_pairs_of_messages() -> None:
    """A hang guard: 4,000 messages that all share their words, with novelty, in seconds."""
    messages = users(*(f"alpha beta gamma delta {i % 50} epsilon zeta" for i in range(4000)))
    started = perf_counter()
    cut(messages, 2000, "importance(novelty=0.5)")
    assert perf_counter() - started < 20


def test_the_query_plays_no_part() -> None:
    history = history_of(TALK)
    budget = Budget(60, COUNTER)
    pieces = [Importance().keep(history, Query(text), budget, SERVICES) for text in ("", "tiles?", "哪天开工？")]
    assert pieces[0] == pieces[1] == pieces[2] and not Importance.uses_query
