"""Keys of slots and sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.memory.keys import content_key, names_rules, normal, slot_key


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  The   Quick-Fox!", "the quick fox"),
        ("ＡＢＣ１２３", "abc123"),
        ("我住在杭州。", "我住在杭州"),
        ("snake_case", "snake case"),
        ("Straße", "strasse"),
        ("?!", "?!"),
        ("C++, C# 和 Ｃ＋＋", "c++ c# 和 c++"),
        ("# a + b", "a b"),
        ("", ""),
    ],
)
def test_normal(text: str, expected: str) -> None:
    assert normal(text) == expected


def test_a_slot_has_many_spellings() -> None:
    assert slot_key("The Billing Service", "Data-base") == slot_key("billing service", "the data base")
    assert slot_key("user", "职位") == slot_key("ＵＳＥＲ", "职位 ")
    assert slot_key("a", "b c") != slot_key("a b", "c"), "subject and attribute stay apart"
    assert slot_key("theatre", "x") != slot_key("atre", "x")


@pytest.mark.parametrize(
    "attribute",
    ["rule", "Masking rules", "rules for logs", "coding conventions", "standing instructions", "masking",
     "脱敏规则", "代码规范", "约定", "长期要求", "禁用词", "團隊规矩"],
)  # fmt: skip
def test_rules_add_up(attribute: str) -> None:
    assert names_rules(attribute)


@pytest.mark.parametrize(
    "attribute",
    ["naming convention", "answer format", "answer length", "language rule", "rule engine", "refund policy", "ruler",
     "回答语言", "回答长度", "提交规范", "分支命名规则", "规则引擎", "字数要求", "住址", ""],
)  # fmt: skip
def test_a_choice_is_no_rule(attribute: str) -> None:
    assert not names_rules(attribute)


@given(st.text())
def test_keys_are_stable(text: str) -> None:
    assert content_key(content_key(text)) == content_key(text)
    assert bool(normal(text)) == bool(text.strip())
