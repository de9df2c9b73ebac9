"""Hand-worked sentences: every fact that is listed is found, and nothing where nothing is stated."""

from __future__ import annotations

import pytest

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.rules.extractor import RulesExtractor
from tests.extraction.rules.chinese.sentences import SILENT, STATED


def read(text: str, at: str = "2026-03-04T09:00:00+08:00") -> list[Fact]:
    return RulesExtractor().extract([Message("user", text, id="m1", timestamp=at)])


def plain(value: str) -> str:
    return value.replace(" ", "").lower()


@pytest.mark.parametrize("row", STATED, ids=lambda row: row[0])
def test_what_is_stated_is_found(row: tuple[str, ...]) -> None:
    text, *wanted = row
    found = read(text)
    for given in wanted:
        subject, value, *negative = given.split("|")
        polarity = "negative" if negative else "positive"
        hits = [
            fact
            for fact in found
            if (fact.subject == "user") == (subject == "user")
            and fact.polarity == polarity
            and plain(value) in plain(fact.value)
            and len(plain(fact.value)) <= len(plain(value)) + 4
        ]
        assert hits, [(f.subject, f.attribute, f.value, f.polarity) for f in found]


@pytest.mark.parametrize("text", SILENT)
def test_what_states_nothing_gives_nothing(text: str) -> None:
    assert read(text) == []
