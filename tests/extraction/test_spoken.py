"""What a person said, without what is only quoted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.extraction.spoken import spoken


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Look:\n```py\nI live in Rome\n```\nI live in Lyon", "Look: I live in Lyon"),
        ("~~~\n我住在北京\n~~~\n我住在杭州", "我住在杭州"),
        ("```\nnever closed", ""),
        ("> I hate tea\nI like tea", "I like tea"),
        ("  > 引用\n正文", "正文"),
        ("see https://example.org/i-am-here now", "see now"),
        ("<memory>I am old</memory>I am new", "I am new"),
        ("a > b holds", "a > b holds"),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    assert " ".join(spoken(text).split()) == left


@given(st.text(alphabet="a我 \n`~<>:/memory"))
def test_lines_and_places_stay(text: str) -> None:
    found = spoken(text)
    assert len(found) == len(text) and found.count("\n") == text.count("\n")
    assert all(new in (old, " ") for new, old in zip(found, text, strict=True))
