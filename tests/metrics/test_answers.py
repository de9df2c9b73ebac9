"""``answer_in_context`` by hand: lists, aliases, dates, Chinese, and what is undefined."""

from __future__ import annotations

from math import nan

import pytest

from mnemo_lab.metrics.answers import answer_in_context
from tests.metrics.outcomes import Keep, ask, outcome_of


def answered(
    texts: list[str], keep: list[Keep], answer: str | None, question: str = "What?", **fields: object
) -> float:
    derived = str(fields.pop("derived", ""))
    return answer_in_context(outcome_of(texts, ask(question, answer, **fields), keep, derived))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The port is 5433.", "5433"),
        ("It costs 3,900 euros", "3900 euros"),
        ("It costs 3900 euros", "3,900"),
        ("We met on May 7th, 2023.", "7 May 2023"),
        ("2023-05-07: we met", "May 7, 2023"),
        ("on the 7th of May", "7 May"),
        ("on 7 May 2023", "May 7"),
        ("2023年5月7日见面", "2023-05-07"),
        ("改到5月7号", "5月7日"),
        ("we met on May 7", "5月7日"),
        ("发布会改到六月六号。", "六月六号"),
        ("ＡＢＣ１２３", "abc123"),
        ('She said: "Café de Flore"!', "the café de flore"),
        ("locked by cust_ref_2", "cust_ref_2"),
        ("ping 10.0.0.1 now", "10.0.0.1"),
    ],
)
def test_written_differently(text: str, answer: str) -> None:
    assert answered([text, "nothing"], ["m0"], answer) == 1
    assert answered([text, "nothing"], ["m1"], answer) == 0
    assert answered([text, "nothing"], [], answer) == 0


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("port 54330", "5433"),
        ("7 May 2022", "7 May 2023"),
        ("7 May", "7 May 2023"),
        ("17 May", "7 May"),
        ("teapot", "tea"),
        ("costs 1,390", "390"),
        ("version 10.0.0.12", "10.0.0.1"),
        ("六月六号", "六月七号"),
        ("yesterday", "7 May 2023"),
    ],
)
def test_unreachable_is_undefined(text: str, answer: str) -> None:
    """Where not even the full text contains the answer, no strategy could: NaN, not 0."""
    assert answered([text], ["m0"], answer) == pytest.approx(nan, nan_ok=True)


LIST = ["Anna came.", "Bob came too.", "Bob and Anna left.", "Carl stayed."]


@pytest.mark.parametrize(
    ("keep", "expected"),
    [(["m0"], 0), (["m1"], 0), (["m0", "m1"], 1), (["m2"], 1), (["m3"], 0), ([], 0), (["m0", "m1", "m2", "m3"], 1)],
)
@pytest.mark.parametrize("answer", ["Anna; Bob", "Bob, Anna", "Anna；Bob", "Anna、Bob", "Anna; Anna; Bob;"])
def test_every_part_of_a_list(keep: list[Keep], expected: float, answer: str) -> None:
    assert answered(LIST, keep, answer) == expected


def test_a_list_with_an_unreachable_part_is_undefined() -> None:
    assert answered(LIST, ["m0"], "Anna; Dora") == pytest.approx(nan, nan_ok=True)
    assert answered(LIST, ["m0"], "Anna; Dora", aliases=("Anna",)) == 1


def test_aliases_are_alternatives() -> None:
    texts = ["It is NYC.", "New York it is.", "Paris."]
    for keep, expected in ((["m0"], 1), (["m1"], 1), (["m2"], 0)):
        assert answered(texts, keep, "New York", aliases=("NYC", "Big Apple")) == expected  # type: ignore[arg-type]
    assert answered(texts, ["m0"], None, aliases=("NYC",)) == 1


def test_what_the_question_says_is_no_answer() -> None:
    assert answered(["Tea it is."], ["m0"], "tea", "Tea or coffee?") == pytest.approx(nan, nan_ok=True)
    texts = ["Tea it is.", "And cake."]
    assert answered(texts, ["m1"], "tea; cake", "Tea and what else?") == 1
    assert answered(texts, ["m0"], "tea; cake", "Tea and what else?") == 0
    assert answered(["喝茶。"], ["m0"], "茶", "茶还是咖啡？") == pytest.approx(nan, nan_ok=True)
    assert answered(["Tea it is."], ["m0"], "tea", "Which team?") == 1


@pytest.mark.parametrize(
    "fields", [{"answer": None}, {"answer": ""}, {"answer": "5433", "answerable": False}, {"answer": "?!"}]
)
def test_nothing_to_find_is_undefined(fields: dict[str, object]) -> None:
    assert answered(["port 5433"], ["m0"], **fields) == pytest.approx(nan, nan_ok=True)  # type: ignore[arg-type]


def test_spans_must_hold_the_answer() -> None:
    text = "The staging port is 5433 since May."
    assert answered([text], [("m0", ((16, 24),))], "5433") == 1
    assert answered([text], [("m0", ((0, 22),))], "5433") == 0
    assert answered([text], [("m0", ((0, 11), (20, 35)))], "staging port is") == 0
    assert answered([text], [("m0", ((0, 12),)), ("m0", ((12, 24),))], "staging port is") == 1


def test_derived_text_can_answer() -> None:
    texts = ["We met on May 7.", "The port is 5433."]
    assert answered(texts, [], "7 May; 5433", derived="Met 5月7日; port 5433") == 1
    assert answered(texts, ["m1"], "7 May; 5433", derived="Met on 7 May") == 1
    assert answered(texts, [], "7 May; 5433", derived="Met on 7 May") == 0


def test_only_what_was_seen_is_reachable() -> None:
    """An answer that is said after the question is asked is unreachable."""
    texts = ["Which port?", "5433."]
    assert answered(texts, ["m0"], "5433", after="m0") == pytest.approx(nan, nan_ok=True)
    assert answered(texts, ["m0", "m1"], "5433", after="m1") == 1
