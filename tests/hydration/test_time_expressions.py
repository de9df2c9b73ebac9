"""Worked out by hand from a calendar: 18 November 2026 is a Wednesday."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.hydration.time_expressions import days_named

WEDNESDAY = "2026-11-18T10:00:00Z"


def ranges(text: str, asked_at: str | None = WEDNESDAY) -> list[str]:
    """``2026-11-17`` for one day, ``2026-11-09/2026-11-15`` for several."""
    return [str(d.first) if d.first == d.last else f"{d.first}/{d.last}" for d in days_named(text, asked_at)]


CASES = {
    "What did I say yesterday?": "2026-11-17",
    "and last night?": "2026-11-17",
    "the day before yesterday": "2026-11-16",
    "this morning": "2026-11-18",
    "What did we agree on last Tuesday?": "2026-11-17",
    "last Wednesday": "2026-11-11",
    "on Wednesday": "2026-11-11",
    "Tuesday's call": "2026-11-17",
    "on Friday": "2026-11-13",
    "this Monday": "2026-11-16",
    "last week": "2026-11-09/2026-11-15",
    "the week before last": "2026-11-02/2026-11-08",
    "this week": "2026-11-16/2026-11-22",
    "last weekend": "2026-11-14/2026-11-15",
    "the weekend": "2026-11-14/2026-11-15",
    "last month": "2026-10-01/2026-10-31",
    "last year": "2025-01-01/2025-12-31",
    "two days ago": "2026-11-16",
    "twenty days ago": "2026-10-29",
    "a couple of days ago": "2026-11-15/2026-11-17",
    "a few days ago": "2026-11-11/2026-11-16",
    "the other day": "2026-11-11/2026-11-16",
    "3 weeks ago": "2026-10-25/2026-10-31",
    "a month ago": "2026-10-01/2026-10-31",
    "half a year ago": "2026-05-01/2026-05-31",
    "two years ago": "2024-01-01/2024-12-31",
    "in the last three weeks": "2026-10-28/2026-11-18",
    "the past month": "2026-10-18/2026-11-18",
    "over the last 24 hours": "2026-11-17/2026-11-18",
    "in May": "2026-05-01/2026-05-31",
    "in December": "2025-12-01/2025-12-31",
    "in November": "2026-11-01/2026-11-30",
    "in May 2024": "2024-05-01/2024-05-31",
    "May 2024": "2024-05-01/2024-05-31",
    "8 May": "2026-05-08",
    "May 8th, 2023": "2023-05-08",
    "the 8th of May 2023": "2023-05-08",
    "on Dec. 1": "2025-12-01",
    "Sept 3": "2026-09-03",
    "on the 5th": "2026-11-05",
    "on the 25th": "2026-10-25",
    "on 2023-05-08": "2023-05-08",
    "2023/5/8": "2023-05-08",
    "in 2024": "2024-01-01/2024-12-31",
    "since March": "2026-03-01/2026-11-18",
    "since 8 May": "2026-05-08/2026-11-18",
    "from 3 to 7 May": "2026-05-03/2026-05-07",
    "from May 3 to May 7": "2026-05-03/2026-05-07",
    "between May 3 and June 7": "2026-05-03/2026-06-07",
    "昨天我说了什么？": "2026-11-17",
    "昨晚": "2026-11-17",
    "前天": "2026-11-16",
    "大前天": "2026-11-15",
    "今早": "2026-11-18",
    "上周二": "2026-11-10",
    "上上周二": "2026-11-03",
    "上个星期天": "2026-11-15",
    "周二": "2026-11-17",
    "礼拜三": "2026-11-11",
    "这周一": "2026-11-16",
    "上周": "2026-11-09/2026-11-15",
    "上上个星期": "2026-11-02/2026-11-08",
    "本周": "2026-11-16/2026-11-22",
    "上周末": "2026-11-14/2026-11-15",
    "周末": "2026-11-14/2026-11-15",
    "上个月": "2026-10-01/2026-10-31",
    "上上个月": "2026-09-01/2026-09-30",
    "这个月": "2026-11-01/2026-11-30",
    "去年": "2025-01-01/2025-12-31",
    "前年三月": "2024-03-01/2024-03-31",
    "今年三月": "2026-03-01/2026-03-31",
    "去年12月": "2025-12-01/2025-12-31",
    "两天前": "2026-11-16",
    "二十三天前": "2026-10-26",
    "几天前": "2026-11-11/2026-11-16",
    "前几天": "2026-11-11/2026-11-16",
    "三周之前": "2026-10-25/2026-10-31",
    "一个月以前": "2026-10-01/2026-10-31",
    "半年前": "2026-05-01/2026-05-31",
    "两年前": "2024-01-01/2024-12-31",
    "最近三周": "2026-10-28/2026-11-18",
    "过去一个月": "2026-10-18/2026-11-18",
    "近半年": "2026-05-18/2026-11-18",
    "最近24小时": "2026-11-17/2026-11-18",
    "五月": "2026-05-01/2026-05-31",
    "十二月": "2025-12-01/2025-12-31",
    "2024年5月": "2024-05-01/2024-05-31",
    "5月8日": "2026-05-08",
    "五月八号": "2026-05-08",
    "十一月十八日": "2026-11-18",
    "2023年5月8日": "2023-05-08",
    "2024年": "2024-01-01/2024-12-31",
    "三月以来": "2026-03-01/2026-11-18",
    "5月3日到5月7日": "2026-05-03/2026-05-07",
}


@pytest.mark.parametrize(("text", "expected"), CASES.items())
def test_by_hand(text: str, expected: str) -> None:
    assert ranges(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "next Friday",
        "next May",
        "this Friday",
        "by Friday",
        "every Tuesday",
        "on Tuesdays",
        "this weekend",
        "May I ask?",
        "decide in marching order",
        "31 June",
        "February 30",
        "two days before the launch",
        "version 1.2024.11",
        "call 555-2024-33-12345",
        "in three days",
        "明天",
        "下周三",
        "下个月",
        "明年三月",
        "本周五",
        "每周二",
        "六月三十一日",
        "十五个人",
    ],
)
def test_nothing_said_then(text: str) -> None:
    """What lies ahead, what recurs, what does not exist, what is no time at all."""
    assert ranges(text) == []


def test_several_in_the_order_of_the_text_and_none_twice() -> None:
    assert ranges("Was it in May or last week, or yesterday?") == [
        "2026-05-01/2026-05-31",
        "2026-11-09/2026-11-15",
        "2026-11-17",
    ]
    assert ranges("是上周二还是前天？") == ["2026-11-10", "2026-11-16"]
    (found,) = days_named("on the 8th of May 2023, was it?", WEDNESDAY)
    assert found.words == "8th of May 2023"


def test_seen_from_other_days() -> None:
    assert ranges("last week", "2026-01-01") == ["2025-12-22/2025-12-28"]
    assert ranges("last month", "2026-01-31") == ["2025-12-01/2025-12-31"]
    assert ranges("the past month", "2026-03-31") == ["2026-02-28/2026-03-31"]
    assert ranges("周末", "2026-11-15") == ["2026-11-14/2026-11-15"], "a Sunday: the one that is going on"
    assert ranges("last weekend", "2026-11-15") == ["2026-11-07/2026-11-08"]
    assert ranges("29 February", "2024-03-01") == ["2024-02-29"] and ranges("29 February", "2026-03-01") == []
    assert ranges("yesterday", "2026-11-18T00:30:00+08:00") == ["2026-11-17"], "the asker's own clock"


@pytest.mark.parametrize("asked_at", [None, "", "soon", "2026-13-01"])
def test_without_a_time_nothing_is_named(asked_at: str | None) -> None:
    assert ranges("yesterday", asked_at) == []


def test_the_edge_of_the_calendar() -> None:
    assert ranges("999 years ago", "0500-01-01") == [] and ranges("the day before yesterday", "0001-01-01") == []


@given(st.text(max_size=60), st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_any_text(text: str, today: date) -> None:
    """Never an error, never upside down, never wholly ahead; the words are the text's own."""
    for found in days_named(text, today.isoformat()):
        assert found.first <= found.last and found.first <= today and found.words in text


@given(st.sampled_from(sorted(CASES)), st.dates(date(2000, 3, 1), date(2100, 1, 1)))
def test_weeks_are_whole_and_days_lie_back(text: str, today: date) -> None:
    for found in days_named(text, today.isoformat()):
        if "week" in text and "end" not in text and "ago" not in text and "three" not in text:
            assert found.first.weekday() == 0 and found.last == found.first + timedelta(6)
