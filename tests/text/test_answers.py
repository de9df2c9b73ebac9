from __future__ import annotations

import pytest

from mnemo_lab.recording import Probe
from mnemo_lab.text.answers import answer_alternatives, contains
from mnemo_lab.text.normalise import normalise


def alternatives(answer: str | None, *aliases: str, question: str = "?") -> list[tuple[str, ...]]:
    return answer_alternatives(Probe("q", question, "c", answer=answer, aliases=aliases))


def test_one_alternative_per_answer_and_alias() -> None:
    assert alternatives("5433", "port 5,433", "5433.") == [("5433",), ("port 5433",)]
    assert alternatives(None) == [] == alternatives("")
    assert alternatives("the") == [], "nothing is left to look for"


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("tea; coffee", ("tea", "coffee")), ("tea, coffee", ("tea", "coffee")),
        ("茶、咖啡，水；酒", ("茶", "咖 啡", "水", "酒")),
        ("8 May, 2023", ("y2023 m5d8",)), ("3,900 euros", ("3900 euros",)), ("tea, Tea", ("tea",)),
        ("May 8, 2023, Paris", ("y2023 m5d8", "paris")),
    ],
)  # fmt: skip
def test_lists_are_split_and_dates_and_numbers_are_not(answer: str, parts: tuple[str, ...]) -> None:
    assert alternatives(answer) == [parts]


def test_what_the_question_says_is_left_out() -> None:
    assert alternatives("tea, coffee", question="Is it Tea or what?") == [("coffee",)]
    assert alternatives("tea", "green", question="Which tea?") == [("green",)]
    assert alternatives("tea", question="Which teapot?") == [("tea",)]
    assert alternatives("海酒店", question="云海酒店在哪") == []


def test_contains_whole_words_only() -> None:
    text = normalise("The port is 5433, on 云海酒店.")
    assert contains(text, "5433") and contains(text, normalise("海酒店")) and contains(text, "port is")
    assert not contains(text, "543") and not contains(text, "ort is") and not contains(text, normalise("海店"))
