from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mnemo_lab.text.language import CJK
from mnemo_lab.text.passages import PASSAGE_SIZE, passages

PROSE = st.lists(
    st.sampled_from(
        ["word ", "今天", "。", ". ", "，", "\n", "\n\n", "x" * 40, " ", "部署方案", "! ", "\n \n", "e\u0301"]
    ),
    max_size=80,
).map("".join)


def weight(text: str) -> int:
    """One per character, three per Chinese one: counted here on its own."""
    return sum(3 if re.match(f"[{CJK}]", c) else 1 for c in text)


@given(PROSE | st.text(max_size=200), st.integers(3, 200))
@example("部署" * 200, 300)
@example("。。。。", 3)
@example("ab部", 3)
def test_passages_are_the_whole_text_within_the_size(text: str, size: int) -> None:
    cut = passages(text, size)
    assert "".join(cut) == text
    assert all(weight(part) <= size for part in cut)
    assert all(cut) or cut == [""]
    if weight(text) <= size:
        assert cut == [text]


@given(PROSE)
def test_a_size_too_small_for_a_character_still_ends(text: str) -> None:
    assert "".join(passages(text, 1)) == text


@given(st.integers(1, 400))
def test_passages_are_at_least_half_full(sentences: int) -> None:
    cut = passages("The deployment went well today. " * sentences)
    assert all(weight(part) >= PASSAGE_SIZE // 2 for part in cut[:-1])


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One two three. Four five six seven. Eight nine ten eleven twelve", "One two three. Four five six seven. "),
        ("One two three four five\nsix seven. Eight nine ten", "One two three four five\n"),
        ("One two three four five\n\nsix\nseven. Eight nine ten", "One two three four five\n\n"),
        ("One two three four five six seven eight nine ten", "One two three four five six seven eight "),
        ("x" * 60, "x" * 40),
        ("今天讨论了。部署方案，下周再说明天", "今天讨论了。部署方案，"),
        ("今天讨论了部署方案。下周再说明天吧", "今天讨论了部署方案。"),
    ],
)
def test_cuts_at_the_best_end_in_the_second_half(text: str, first: str) -> None:
    assert passages(text, 40)[0] == first


def test_default_size_is_900() -> None:
    assert PASSAGE_SIZE == 900
    assert passages("a" * 900) == ["a" * 900]
    assert passages("部" * 300) == ["部" * 300]
    assert [len(part) for part in passages("部" * 301)] == [300, 1]
