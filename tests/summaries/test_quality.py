"""Survival worked by hand, in both languages."""

from __future__ import annotations

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.summaries.quality import KINDS, Facts, per_100_tokens

ENGLISH = [
    "The port is 5433, not 8080. Please ask Oksana about cust_ref_2.",
    "We decided to use Postgres because Redis lost data. It cost £1,200 on 3 March.",
]
"""Numbers 5433, 8080, 1200, m3d3; identifier cust_ref_2; names Oksana, Postgres, Redis; one decision of seven words."""
CHINESE = ["我叫贺一舟，端口是5433。", "Redis 不用了，改用 pg_notify，因为 4 月 18 号丢过数据。"]
"""Numbers 5433, m4d18; identifier pg_notify; names 贺一舟, 一舟; one decision. Redis opens its line."""


def kept(texts: list[str], summary: str) -> tuple[tuple[int, int], ...]:
    found = Facts.of(texts).survival(summary)
    return tuple(tuple(found[kind]) for kind in KINDS)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("summary", "survived"),
    [
        ("", ((0, 1), (0, 4), (0, 3), (0, 1))),
        ("Port 5433; see CUST_REF_2.", ((1, 1), (1, 4), (0, 3), (0, 1))),
        ("54331 cust_ref_20", ((0, 1), (0, 4), (0, 3), (0, 1))),
        ("1200 on March 3rd, says oksana", ((0, 1), (2, 4), (1, 3), (0, 1))),
        ("Decided: Postgres, since Redis lost data", ((0, 1), (0, 4), (2, 3), (1, 1))),
        ("They decided… on Postgres… Redis… lost… data", ((0, 1), (0, 4), (2, 3), (0, 1))),
        ("\n".join(ENGLISH), ((1, 1), (4, 4), (3, 3), (1, 1))),
    ],
)
def test_english(summary: str, survived: tuple[tuple[int, int], ...]) -> None:
    assert kept(ENGLISH, summary) == survived


@pytest.mark.parametrize(
    ("summary", "survived"),
    [
        ("贺一舟：端口5433", ((0, 1), (1, 2), (2, 2), (0, 1))),
        ("改用 pg_notify", ((1, 1), (0, 2), (0, 2), (0, 1))),
        ("Redis 不用了，改用 pg_notify，丢过数据", ((1, 1), (0, 2), (0, 2), (1, 1))),
        ("四月十八日 数据", ((0, 1), (1, 2), (0, 2), (0, 1))),
        ("\n".join(CHINESE), ((1, 1), (2, 2), (2, 2), (1, 1))),
    ],
)
def test_chinese(summary: str, survived: tuple[tuple[int, int], ...]) -> None:
    assert kept(CHINESE, summary) == survived


def test_shares_and_where_there_is_nothing() -> None:
    found = Facts.of(ENGLISH).survival("5433")
    assert found["numbers"].share == 0.25 and found["identifiers"].share == 0.0
    nothing = Facts.of(["so be it", ""]).survival("anything 5433")
    assert all(isnan(nothing[kind].share) for kind in KINDS)
    assert per_100_tokens(3, 4, 50) == 6.0 and per_100_tokens(0, 4, 50) == 0.0
    assert isnan(per_100_tokens(0, 0, 50)) and isnan(per_100_tokens(0, 4, 0))


@given(st.lists(st.one_of(st.sampled_from(ENGLISH + CHINESE), st.text(max_size=40)), max_size=5))
def test_in_the_whole_text_all_survives(texts: list[str]) -> None:
    found = Facts.of(texts).survival("\n".join(texts))
    assert all(found[kind].kept == found[kind].total for kind in KINDS)
