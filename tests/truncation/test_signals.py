"""Signals by hand, in both languages."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.truncation.signals import MANY_FACTS, Signals, UnitSignals, by_person, read
from tests.base.messages import new_services
from tests.conversations import day
from tests.truncation.cuts import SERVICES, history_of


def signals(*messages: Message) -> UnitSignals:
    history = history_of(messages)
    found = Signals(SERVICES)
    found.add(history, 0)
    return found.by_unit(history)


def users(*texts: str) -> list[Message]:
    return [Message("user", text, f"m{i}", day(i)) for i, text in enumerate(texts)]


def test_terms_are_search_words_once_each_without_single_chinese_characters() -> None:
    assert read("The ports, the PORT and E-4417").terms == ("port", "e-4417", "e", "4417")
    assert read("端口是 5433，端口").terms == ("端口", "口是", "5433")
    assert read("嗯").terms == read("").terms == ()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("That sounds wonderful, thank you!", 0),
        ("The port is 5433.", 1),
        ("We told Priya that cust_ref_2 is the column.", 2),
        ("On 8 May 2023 Priya paid 3,900 euros for E-4417 at Corvana.", MANY_FACTS),
        ("好的，谢谢！", 0),
        ("端口是5433。", 1),
        ("改到6月6号，列名 cust_ref_2。", 2),
        ("王老师说预算很高。", 1),
        ("王老师说预算 72000，主机 dabai-01。", MANY_FACTS),
    ],
)
def test_facts_are_numbers_identifiers_and_names(text: str, facts: int) -> None:
    assert min(read(text).facts, MANY_FACTS) == facts


def test_facts_beyond_the_beginning_are_found_where_it_holds_too_few() -> None:
    assert read("well " * 400 + "the port is 5433").facts == 1
    assert read("1 and 22 and 333, " + "well " * 400 + "then 4444").facts == 3, "there are enough already"


@pytest.mark.parametrize(
    "text", ["We decided against quartz.", "Let's keep the smaller one.", "主键改成 NanoID。", "算了"]
)
def test_a_decision(text: str) -> None:
    assert read(text).decides


@pytest.mark.parametrize("text", ["Quartz is a stone.", "The shop opens at nine.", "石头是石头。", "今天下雨"])
def test_no_decision(text: str) -> None:
    assert not read(text).decides


@pytest.mark.parametrize(
    "text", ["Which port? I forgot.", 'He asked "why?"', "哪个端口？我忘了", "真的?我不信", "你吃了吗", "真的？）"]
)
def test_a_question(text: str) -> None:
    assert read(text).asks


@pytest.mark.parametrize(
    "text", ["See https://a.example/x?b=c for more.", "int x = a ?b :c", "这里是答案。", "妈妈来了"]
)
def test_no_question(text: str) -> None:
    assert not read(text).asks


@pytest.mark.parametrize(
    "text", ["I'm allergic.", "so we went", "Our budget", "that one is mine", "我过敏", "咱们走吧"]
)
def test_it_speaks_of_its_author(text: str) -> None:
    assert read(text).own


@pytest.mark.parametrize("text", ["Iris is here.", "You did it, Will.", "i-beam; hours", "你过敏吗", "他们走了"])
def test_it_speaks_of_others(text: str) -> None:
    assert not read(text).own


def test_code_is_a_fenced_block() -> None:
    assert read("Try this:\n```py\nx = 1\n```").code
    assert not read("Try `x = 1`.").code


def test_who_is_a_person() -> None:
    assert by_person(Message("user", "a")) and by_person(Message("system", "a"))
    assert by_person(Message("assistant", "a", name="Melanie")), "people who talk to each other"
    assert not by_person(Message("assistant", "a")) and not by_person(Message("tool", "a", name="run_sql"))


def test_information_is_worth_more_where_fewer_units_have_the_term() -> None:
    """Three units; alpha stands in two of them, beta and gamma in one."""
    found = signals(*users("alpha beta", "alpha alpha", "gamma"))
    assert found.starts.tolist() == [0, 2, 3, 4]
    assert found.owner.tolist() == [0, 0, 1, 2]
    assert found.information() == pytest.approx([log(1 + 3 / 2), log(4), log(1 + 3 / 2), log(4)])


def test_what_comes_back_is_what_a_later_unit_has() -> None:
    found = signals(*users("港口 E-4417", "weather", "E-4417 again", "weather"))
    terms = {"港口": 0, "e-4417": 1, "e": 1, "4417": 1}
    assert found.comes_back().tolist() == [*terms.values(), 1, 0, 0, 0, 0, 0]


def test_flags_by_unit() -> None:
    messages = [
        Message("user", "Which port does Priya use?", "a", day(0)),
        Message("assistant", "It is 5433.", "b", day(1)),
        Message("assistant", "", "c", day(2), tool_calls=(ToolCall("t", "run_sql", '{"sql": "select 17"}'),)),
        Message("tool", "48211 rows of 99", "d", day(3), "run_sql", tool_call_id="t"),
        Message("user", "我们决定用 dabai-01", "e", day(4)),
    ]
    flags = signals(*messages).flags
    assert {name: column.tolist() for name, column in flags.items()} == {
        "facts": pytest.approx([1 / 3, 1 / 3, 1, 1 / 3]),  # the step: run_sql, 17, 48211, 99
        "decision": [0, 0, 0, 1],
        "question": [1, 0, 0, 0],
        "answers": [0, 1, 0, 0],
        "own": [0, 0, 0, 1],
        "code": [0, 0, 0, 0],
        "role": [1, 0, 0, 1],
        "newness": [0, 0.25, 0.5, 1],
    }


def test_a_step_that_grows_is_read_again_and_every_text_once() -> None:
    services = new_services()
    history, found = history_of([]), Signals(services)
    call = Message("assistant", "", "c", day(2), tool_calls=(ToolCall("t", "run", "{}"),))
    history.extend([call])
    found.add(history, 0)
    assert len(found.by_unit(history)) == 1
    result = Message("tool", "cust_ref_2 and cust_ref_3", "d", day(3), "run", tool_call_id="t")
    history.extend([result, replace(result, id="e")])
    found.add(history, 1)
    grown = found.by_unit(history)
    assert len(grown) == 1 and grown.flags["facts"].tolist() == [1]
    assert grown.frequency.tolist() == [1] * len(grown.terms), "a term counts once in a unit"
    assert len(services.memo("readings")) == 2


def test_nothing_observed() -> None:
    found = signals()
    assert len(found) == 0 and found.information().shape == (0,)
    assert all(np.array_equal(column, []) for column in found.flags.values())
