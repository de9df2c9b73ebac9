"""Whether two values or sentences say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.memory.same import decides, mentions, names_differ, other_number, overlap, same_value, word_f1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Helix", "helix.", True),
        ("４ spaces", "4 Spaces", True),
        ("the blue mountain roast coffee", "blue mountain roast coffee", True),  # F1 8/9
        ("green tea", "black tea", False),  # F1 1/2
        ("5 May at the main office hall", "6 May at the main office hall", False),
        ("every Monday in the big room", "every Friday in the big room", False),
        ("tabs in all of the code", "no tabs in all of the code", False),
        ("深色主题", "深色的主题", True),  # 8/9
        ("深色主题", "浅色主题", False),  # 6/8
        ("每周三个晚上去跑步锻炼", "每周五个晚上去跑步锻炼", False),
        ("phone numbers must be masked", "phone numbers should be masked", True),  # F1 4/5, and the rest says little
        ("phone numbers must be masked", "ID numbers must be masked", False),  # F1 4/5, one word for another
        ("reports go to Anna every week", "reports go to Ben every week", False),  # 5/6
        ("日志里所有的手机号必须脱敏", "日志里所有的邮箱号必须脱敏", False),  # 11/13
        ("C", "C++", False),
        ("we write all of it in C++ now", "we write all of it in C now", False),
        ("", "", False),
    ],
)
def test_same_value(one: str, other: str, same: bool) -> None:
    assert same_value(one, other) is same is same_value(other, one)


def test_what_decides() -> None:
    assert decides("3 May, 10:30, twice") == ({"3": 1, "10:30": 1, "may": 1, "twice": 1}, False)
    assert decides("周三下午开会")[0] == {"周三": 1, "下午": 1}
    for denied in ("I never eat fish", "don't", "no longer there", "我不吃鱼", "没有", "别用"):
        assert decides(denied)[1], denied
    for plain in ("I eat fish", "not never", "特别好", "区别", "别的", "另"):
        assert not decides(plain)[1], plain


def test_counts_by_hand() -> None:
    assert word_f1("a b c", "b c d") == pytest.approx(2 / 3)
    assert word_f1("深色", "深蓝") == 0.5 and word_f1("", "x") == 0
    assert overlap("deploys on Friday", "deploy at Friday") == 1, "stems, without stop words"
    assert overlap("red tea", "green tea") == pytest.approx(1 / 3) and overlap("", "") == 0


@pytest.mark.parametrize(
    ("text", "value", "there"),
    [
        ("we used JWT, then", "jwt", True),
        ("JWTs", "JWT", False),
        ("started", "art", False),
        ("以前用京东云存储", "京东云", True),
        ("用 Redis 做缓存", "redis", True),
        ("from C++ to Rust", "C", False),
        ("from C++ to Rust", "c++", True),
        ("摄影社副社长", "社长", False),
        ("摄影社社长", "社长", True),
        ("vice president of sales", "president", False),
        ("anything", "", False),
    ],
)
def test_mentions(text: str, value: str, there: bool) -> None:
    assert mentions(text, value) is there


@pytest.mark.parametrize(
    ("one", "other", "number"),
    [
        ("30 days", "14 days", True),
        ("at most three tries", "at most five tries", True),
        ("最多三次", "最多五次", True),
        ("周五不上线", "周四不上线", True),
        ("30 days", "30 days", False),
        ("30 days", "14 hours", False),
        ("手机号要脱敏", "邮箱要脱敏", False),
    ],
)
def test_one_measure_with_another_number(one: str, other: str, number: bool) -> None:
    assert other_number(one, other) is number is other_number(other, one)


def test_names() -> None:
    assert names_differ("the sister Anna sings", "the sister Berta sings")
    assert not names_differ("the sister Anna sings", "the sister sings") and not names_differ("One is", "Two is")


@given(st.text(), st.text())
def test_it_does_not_matter_which_comes_first(one: str, other: str) -> None:
    assert same_value(one, other) == same_value(other, one)
    assert overlap(one, other) == overlap(other, one) and 0 <= word_f1(one, other) <= 1
