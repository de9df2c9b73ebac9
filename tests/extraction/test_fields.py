"""Facts from a model's JSON: whether a value was said, and fields of a wrong form."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import Message
from mnemo_lab.extraction.base import Fact
from mnemo_lab.extraction.fields import Said, Shown, facts_of, items_of
from mnemo_lab.language_models.errors import BrokenAnswer


def one(said: str, **given: Any) -> list[Fact]:
    """What comes of one fact in one message."""
    fact = {"message": 1, "category": "preference", "subject": "user", "attribute": "x", "value": said, **given}
    return facts_of([fact], [Shown(Message("user", said, "a", "2026-03-02"), said)], Said([said]))[0]


@pytest.mark.parametrize(
    ("text", "value", "stands"),
    [
        ("Phones, ID cards and e-mails are masked.", "phones, id cards, e-mails", True),
        ("手机号、身份证、邮箱都要脱敏。", "手机号、身份证和邮箱", True),
        ("手机号、身份证都要脱敏。", "手机号、邮箱", False),
        ("Responses are {code, data, message}.", "{ code, data, message }", True),
        ("It's due next Friday.", "2026-03-06", True),
        ("It's due next Friday.", "Friday 2026-03-06", True),
        ("It's due next Friday.", "Monday 2026-03-06", False),
        ("We use ＰｏｓｔｇｒｅＳＱＬ。", "postgresql", True),
        ("Postgres/Redis it is", "Redis", True),
        ("The port is 54331.", "5433", False),
        ("The budget is 12,000 euros.", "12000 euros", True),
        ("anything", "…", False),
    ],
)
def test_whether_a_value_was_said(text: str, value: str, stands: bool) -> None:
    assert Said([text]).has(value) is stands


@pytest.mark.parametrize(
    ("wrong", "field", "value"),
    [
        ({"importance": "5 (health)"}, "importance", 5),
        ({"importance": 99}, "importance", 5),
        ({"importance": None}, "importance", 3),
        ({"confidence": "90%"}, "confidence", 0.9),
        ({"confidence": -1}, "confidence", 0.0),
        ({"polarity": "Negative"}, "polarity", "negative"),
        ({"polarity": 7}, "polarity", "positive"),
        ({"additive": "yes"}, "additive", True),
        ({"past": []}, "past", False),
        ({"valid_from": "2026-02-30"}, "valid_from", None),
        ({"valid_from": "2026-02-03T00:00:00Z"}, "valid_from", "2026-02-03"),
        ({"valid_to": "next week"}, "valid_to", None),
        ({"category": "偏好"}, "category", "preference"),
        ({"category": "User Info"}, "category", "user_info"),
        ({"category": "nonsense"}, "category", "user_info"),
        ({"subject": "我"}, "subject", "user"),
        ({"subject": None}, "subject", "user"),
        ({"attribute": "Morning_Drink"}, "attribute", "morning drink"),
        ({"attribute": {}}, "attribute", "fact"),
        ({"content": "The user has 99 teas."}, "content", "dark tea"),
        ({"content": "用户喝茶。"}, "content", "dark tea"),
        ({"content": "x" * 301}, "content", "dark tea"),
        ({"content": ["The user", "drinks it"]}, "content", "The user, drinks it"),
    ],
)
def test_fields_of_a_wrong_form_are_read_or_left(wrong: dict[str, Any], field: str, value: Any) -> None:
    [fact] = one("dark tea", **wrong)
    assert getattr(fact, field) == value


def test_bare_objects_that_are_no_facts() -> None:
    with pytest.raises(BrokenAnswer):
        items_of('{"a": 1} {"b": 2}')


KEYS = "message category subject attribute value content polarity valid_from former importance".split()
WORDS = ("tea", "user", "1", "2026-03-02", "茶")
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), ANY) | ANY, max_size=4))
def test_whatever_a_model_lists_gives_facts_that_were_said_or_is_broken(items: list[Any]) -> None:
    text = "I drink tea, 茶, 1 cup."
    with suppress(BrokenAnswer):
        read = items_of(json.dumps({"facts": items}))
        facts, dropped = facts_of(read, [Shown(Message("user", text, "a"), text)], Said([text]))
        assert len(facts) + dropped.total() <= len(items)
        for fact in facts:
            assert 1 <= fact.importance <= 5 and 0 <= fact.confidence <= 1 and fact.message == "a" and fact.content
            assert Said([text]).has(fact.value)
