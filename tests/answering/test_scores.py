"""Scores by value: against SQuAD's on English, by hand on Chinese, dates, numbers and lists."""

from __future__ import annotations

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.answering.scores import clean, contains_answer, exact_match, token_f1, words_of
from mnemo_lab.text.numbers import plain_numbers
from tests.answering import squad

WORDS = "the a an port staging database Morag Tullis don't 5433 7 blue cork $40 £9 12% cat's x.".split()
PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)


@given(PHRASES, PHRASES, st.sampled_from(["", "!", ", "]))
def test_english_equals_squad(said: str, gold: str, end: str) -> None:
    """On words, articles, apostrophes, signs and marks; ``£``, which SQuAD does not know, is shown to it as ``$``."""
    said, dollars = said + end, ("£", "$")
    if not squad.normalised(gold) or not squad.normalised(said):
        return
    assert token_f1(said, [gold]) == pytest.approx(squad.f1(said.replace(*dollars), gold.replace(*dollars)))
    assert exact_match(said, [gold]) == squad.exact(said.replace(*dollars), gold.replace(*dollars))


@pytest.mark.parametrize(
    ("said", "golds", "exact", "f1", "contains"),
    [
        ("5433", ["5433"], 1, 1, 1),
        ("The port is 5433.", ["5433"], 0, 2 / 4, 1),  # port is 5433: P 1/3, R 1
        ("Answer: “5433”", ["5433"], 1, 1, 1),
        ("<think>54 or 33?</think> **5433**", ["5433"], 1, 1, 1),
        ("15433", ["5433"], 0, 0, 0),
        ("48,211 rows", ["48211"], 0, 2 / 3, 1),
        ("three weeks", ["21 days", "3 weeks"], 1, 1, 1),
        ("twenty-one days", ["21 days"], 1, 1, 1),
        ("95cm", ["95 cm"], 1, 1, 1),
        ("742 pounds", ["£742"], 0, 2 / 3, 1),
        ("01:30", ["1:30"], 1, 1, 1),
        ("June 30th", ["30 June"], 1, 1, 1),
        ("30 June 2026", ["30 June"], 0, 2 / 3, 1),
        ("2026-06-30", ["30 June 2026"], 1, 1, 1),
        ("1 July", ["30 June"], 0, 0, 0),
        ("6月6日", ["六月六号"], 1, 1, 1),
        ("二〇二六年六月六日", ["2026-06-06"], 1, 1, 1),
        ("72万", ["七十二万"], 1, 1, 1),
        ("720,000", ["七十二万"], 1, 1, 1),
        ("预算是七十二万", ["72万"], 0, 2 / 5, 1),  # 预 算 是 720000
        ("云海酒店", ["云海大酒店"], 0, 8 / 9, 0),
        ("在云海酒店。", ["云海酒店"], 0, 8 / 9, 1),
        ("总额是86万。", ["86万"], 0, 2 / 5, 1),
        ("上线日是2026-06-08哦", ["6月8日"], 0, 2 / 8, 1),
        ("81天", ["81 天", "81"], 1, 1, 1),
        ("30", ["总价的 30%", "30%"], 1, 1, 1),
        ("百分之三十", ["30%"], 1, 1, 1),
        ("一条越权的和一条正常的", ["一条正常的；一条越权的"], 1, 20 / 21, 1),  # 和 is a word too many
        ("allergic to epoxy, FlexoGrout EP-2", ["FlexoGrout EP-2; allergic to epoxy"], 1, 1, 1),
        ("FlexoGrout EP-2", ["FlexoGrout EP-2; allergic to epoxy"], 0, 4 / 7, 0),
        ("ship, then test", ["test then ship"], 0, 1, 0),  # no list: order counts for exact
        ("A", ["A"], 1, 1, 1),
        ("B", ["A"], 0, 0, 0),
        ("", ["A"], 0, 0, 0),
        ("I don't know.", ["no"], 0, 0, 0),
    ],
)
def test_by_hand(said: str, golds: list[str], exact: float, f1: float, contains: float) -> None:
    assert exact_match(said, golds) == exact
    assert token_f1(said, golds) == pytest.approx(f1)
    assert contains_answer(said, golds) == contains


def test_without_a_gold_answer_nothing_is_defined() -> None:
    for golds in ([], ["?!"][:0], [""]):
        assert all(isnan(score("5433", golds)) for score in (exact_match, token_f1, contains_answer))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("seven hundred and forty-two pounds", "742 pounds"),
        ("one hundred twenty thousand and five", "120005"),
        ("two thousand five hundred", "2500"),
        ("a thousand", "1000"),
        ("1.5 million", "1500000"),
        ("sixteen, six", "16, 6"),
        ("nobody at noon", "nobody at noon"),
        ("三亿五千万", "350000000"),
        ("两千三百零五", "2305"),
        ("一万二", "12000"),
        ("一千零二", "1002"),
        ("十二和二十", "12和20"),
        ("1.5万", "15000"),
        ("3千", "3000"),
        ("二〇二六年", "2026年"),
    ],
)
def test_numbers_in_words(text: str, plain: str) -> None:
    assert plain_numbers(text) == plain


@given(st.integers(1, 99_999_999))
def test_chinese_numerals_of_any_number(number: int) -> None:
    assert plain_numbers(spelled(number)) == str(number)


def spelled(number: int) -> str:
    """A number as Chinese writes it: by fours, with one 零 for a gap."""
    high, low = divmod(number, 10_000)
    text = f"{_four(high)}万" if high else ""
    gap = "零" if high and 0 < low < 1000 else ""
    return text + gap + (_four(low) if low else "")


def _four(number: int) -> str:
    text, gap = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            text += ("零" if gap and text else "") + "零一二三四五六七八九"[digit] + name
            gap = False
        else:
            gap = True
    return text


def test_clean_and_words() -> None:
    assert clean("  **Answer:** 「5433」 ") == "5433"
    assert clean("答案：六月六号") == "六月六号"
    assert words_of("The cat's 12% — 01:30, 95cm!") == ["cats", "12", "1:30", "95", "cm"]
