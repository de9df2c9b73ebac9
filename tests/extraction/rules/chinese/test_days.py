"""Dates told from the day they are said on: Wednesday, 4 March 2026; worked with a calendar."""

from __future__ import annotations

from datetime import date

import pytest

from mnemo_lab.extraction.rules.chinese.days import day_of
from mnemo_lab.extraction.rules.chinese.spells import absolute, spell

SAID = date(2026, 3, 4)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("明天", "2026-03-05"), ("后天", "2026-03-06"), ("大后天", "2026-03-07"), ("昨天", "2026-03-03"),
        ("下周一", "2026-03-09"), ("这周五", "2026-03-06"), ("上周日", "2026-03-01"), ("下下周三", "2026-03-18"),
        ("下个月", "2026-04-01"), ("上个月底", "2026-02-28"), ("下月15号", "2026-04-15"), ("月底", "2026-03-31"),
        ("三天后", "2026-03-07"), ("两周前", "2026-02-18"), ("三个月后", "2026-06-04"), ("2024年底", "2024-12-31"),
        ("2022年3月", "2022-03-01"), ("去年10月", "2025-10-01"), ("明年春天", "2027-03-01"),
        ("十二月五号", "2026-12-05"),
        ("6月30日", "2026-06-30"), ("2026-05-08", "2026-05-08"), ("国庆", "2026-10-01"), ("五一", "2026-05-01"),
    ],
)  # fmt: skip
def test_a_date_is_told_from_the_day_it_is_said(text: str, day: str) -> None:
    assert day_of(text, SAID) == date.fromisoformat(day)


@pytest.mark.parametrize("text", ["中秋", "2月30日", "某天"])
def test_what_has_no_clear_day_has_none(text: str) -> None:
    assert day_of(text, SAID) is None


def test_a_relative_date_becomes_its_day_and_any_other_value_stays() -> None:
    assert absolute("下周一", SAID) == "2026-03-09"
    assert [absolute(value, SAID) for value in ("每周一", "周一", "6月30日", "Redis")] == [
        "每周一", "周一", "6月30日", "Redis",
    ]  # fmt: skip
    assert absolute("下周一", None) == "下周一"


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("从下个月起我在深圳上班", "2026-04-01", None),
        ("上周一刚搬到苏州", "2026-02-23", None),
        ("2022年3月到2024年底我在旷视", "2022-03-01", "2024-12-31"),
        ("从今天起都用中文", "2026-03-04", None),
        ("我住在苏州", None, None),
    ],
)
def test_from_when_to_when(text: str, start: str | None, end: str | None) -> None:
    told = spell(text, text, SAID)
    assert (told.start, told.end) == (start, end)
