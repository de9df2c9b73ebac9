"""Which rules read which sentence, and who is a person."""

from __future__ import annotations

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.rules.extractor import RulesExtractor, by_language, is_person


def test_a_message_in_one_language_stays_whole() -> None:
    assert by_language("I like tea. And you?") == [("en", "I like tea. And you?")]
    assert by_language("我用 VS Code 写代码。OK.") == [("zh", "我用 VS Code 写代码。OK.")]


def test_sentences_go_to_their_own_language_at_their_place() -> None:
    text = "I'm allergic to peanuts. 我对花生过敏。"
    (first, english), (second, chinese) = sorted(by_language(text))
    assert (first, second) == ("en", "zh")
    assert english.rstrip() == "I'm allergic to peanuts." and len(english) == len(text)
    assert chinese.strip() == "我对花生过敏。" and chinese.index("我") == text.index("我")


def test_both_languages_of_a_message_are_read() -> None:
    said = Message("user", "I'm allergic to shellfish. 我对花生过敏。", "m1", "2026-03-02T09:00:00+00:00")
    assert sorted(fact.value for fact in RulesExtractor().extract([said])) == ["shellfish", "花生"]


@pytest.mark.parametrize(
    ("message", "person"),
    [
        (Message("user", "hi"), True),
        (Message("assistant", "hi"), False),
        (Message("assistant", "hi", name="Melanie"), True),
        (Message("tool", "hi", name="search"), False),
        (Message("system", "hi", name="x"), False),
    ],
)
def test_who_is_a_person(message: Message, person: bool) -> None:
    assert is_person(message) is person


def test_a_name_is_the_subject_in_place_of_the_user() -> None:
    said = Message("assistant", "I'm allergic to shellfish.", "m1", "2026-03-02T09:00:00+00:00", name="Melanie")
    (fact,) = RulesExtractor().extract([said])
    assert (fact.subject, fact.value) == ("Melanie", "shellfish")
