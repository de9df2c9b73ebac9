"""One form for answers and contexts."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.text.answers import contains
from mnemo_lab.text.dates import MONTH_NAMES
from mnemo_lab.text.normalise import normalise


@given(st.dates(dt.date(1000, 1, 1), dt.date(9999, 12, 31)))
def test_every_written_form_of_a_date_is_one(day: dt.date) -> None:
    y, m, d, name = day.year, day.month, day.day, MONTH_NAMES[day.month - 1]
    ordinal = f"{d}{'th' if 10 < d < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(d % 10, 'th')}"
    forms = [
        day.isoformat(), f"{y}-{m}-{d}", f"{y}/{m:02}/{d:02}", f"{y}/{m}/{d}", f"{y}.{m}.{d}", f"{y:04}-{m:02}-{d:02}.",
        f"{d} {name} {y}", f"{d} {name}, {y}", f"{d:02} {name[:3].upper()} {y}", f"{ordinal} of {name} {y}",
        f"the {ordinal} of {name}, {y}", f"{name} {d}, {y}", f"{name} {d},{y}", f"{name} {ordinal}, {y}",
        f"{name} {d} {y}",
        f"{name[:3]}. {d}, {y}", f"{d}-{name[:3]}-{y}", f"{y}年{m}月{d}日", f"{y} 年 {m} 月 {d} 号",
        f"({name.lower()} {d}, {y})",
        "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in f"{y}年{m}月{d}日"),
    ]  # fmt: skip
    assert {normalise(form) for form in forms} == {f"y{y} m{m}d{d}"}
    for form in (f"{d} {name}", f"{name} {ordinal}", f"{m}月{d}日"):
        assert normalise(form) == f"m{m}d{d}"
        assert contains(normalise(f"It was on {forms[0]}, in the evening."), normalise(form))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("May 2023", "may 2023"), ("5月2023", "5 月 2023"), ("2023年5月100天", "2023 年 5 月 100 天"),
        ("Sept 8", "m9d8"),
        ("是2026-06-08到2026/6/9。", "是 y2026 m6d8 到 y2026 m6d9"), ("改到May 8,2026了", "改 到 y2026 m5d8 了"),
        ("定在8 May 2026上午", "定 在 y2026 m5d8 上 午"),
        ("2023-05-08T10:30:00Z", "y2023 m5d8 10:30:00z"), ("10.0.2023.1", "10.0.2023.1"),
        ("1.2023.5.8.9", "1.2023.5.8.9"),
        ("He may go", "he may go"), ("3 marches", "3 marches"), ("5 decks", "5 decks"), ("8 mayors", "8 mayors"),
    ],
)  # fmt: skip
def test_what_is_and_is_not_a_date(text: str, form: str) -> None:
    assert normalise(text) == form


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("3,900 euros", "3900 euros"), ("1,234,567.89", "1234567.89"), ("５，０００", "5000"), ("1,2345", "1 2345"),
        ("1, 234", "1 234"),
        ("12,34", "12 34"),
        ("The cat, an owl and A dog.", "cat owl and dog"), ("U.S.A.", "u.s.a"), ("the a-team", "a-team"),
        ("Athens", "athens"),
        ("ＡＢＣ", "abc"), ("cafe\u0301", "café"), ("STRASSE straße", "strasse strasse"),
        ("“Tea it is!”", "tea it is"), ("end.", "end"), ("3.5", "3.5"), ("at 12:30: go", "at 12:30 go"),
        ("a_b_", "a_b"),
        ("E-4417", "e-4417"), ("cust_ref_2", "cust_ref_2"), ("v2.1.3.", "v2.1.3"), ("$72 72% C++", "$72 72% c++"),
        ("部署方案", "部 署 方 案"), ("𠮷𠮷", "𠮷 𠮷"), ("人々", "人 々"), ("用API部署", "用 api 部 署"),
        ("六月六号，好。", "m6d6 好"),
        ("七十二万", "七 十 二 万"), ("二〇二六年三月", "二 〇 二 六 年 三 月"), ("", ""), (" \n\t ", ""), ("the", ""),
    ],
)  # fmt: skip
def test_normal_forms(text: str, form: str) -> None:
    assert normalise(text) == form


@given(st.text(max_size=60))
def test_normal_forms_are_words_between_single_spaces(text: str) -> None:
    form = normalise(text)
    assert form == " ".join(form.split())
    assert form == form.casefold()
    assert normalise(f"  {text} \n") == form


@given(st.integers(0, 10**15))
def test_thousands_separators_do_not_matter(number: int) -> None:
    assert normalise(f"{number:,} items") == f"{number} items"


@pytest.mark.parametrize(
    ("written", "same"),
    [("五月三十号", "5月30日"), ("十二月二十一日", "12月21号"), ("十月十号", "10月10日"), ("一月三日", "1月3日")],
)
def test_dates_in_chinese_numerals_are_dates(written: str, same: str) -> None:
    assert normalise(written) == normalise(same)


@pytest.mark.parametrize("text", ["五五十月三日", "一月一百号", "二十一", "十十月十十日"])
def test_what_is_no_date_in_chinese_numerals_stays(text: str) -> None:
    assert "m" not in normalise(text)
