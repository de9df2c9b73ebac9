from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.text.key_terms import key_terms, shaped_terms, stands_in


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The port is 5433 and Alice met New York friends. Then they left.", {"5433", "alice", "new york"}),
        ("cust_ref_2 camelCase v2.1.3 E-4417 HTTP I", {"cust_ref_2", "camelcase", "v2.1.3", "e-4417", "http"}),
        ("错误码E-4417在cust_ref_2列，见/etc/hosts", {"e-4417", "cust_ref_2", "/etc/hosts"}),
        ("Nothing here at all.", set()), ("", set()), ("今天讨论了部署方案", set()),
        ("Ask ann@example.com about 3.5 or 2026-03-02", {"ann@example.com", "3.5", "2026-03-02"}),
    ],
)  # fmt: skip
def test_terms(text: str, terms: set[str]) -> None:
    assert key_terms(text) == terms


@given(st.text(max_size=60))
def test_terms_stand_in_the_text(text: str) -> None:
    assert all(term and term in text.casefold() for term in key_terms(text))
    terms = list(shaped_terms(text))
    assert all(a.end <= b.start for a, b in pairwise(terms)), "no character belongs to two"


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("snake_case, camelCase, a::b, ann@example.com, app.js", "snake_case camelcase a::b ann@example.com app.js"),
        ("/etc/hosts ~/x.toml src/main.rs a/b/c/d", "/etc/hosts ~/x.toml src/main.rs a/b/c/d"),
        ("M12, 2F1, PS-41902, 26/00731/WARR, 590x520, 5A1F", "m12 2f1 ps-41902 26/00731/warr 590x520 5a1f"),
        ("主键换 NanoID，迁移 0005_nanoid_pk", "nanoid 0005_nanoid_pk"),
        ("and/or, e.g. this, well-known, his/her/their dB Hello WORLD", ""),
        ("3rd 60cm 15:52 5-minute 260/day 2026-03-02", ""),
        ("localhost:8080 postgres:17.2", ""),
    ],
)
def test_identifiers(text: str, identifiers: str) -> None:
    assert [term.key for term in shaped_terms(text) if term.kind == "identifier"] == identifiers.split()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("34,000 and 1,234.5 and 34000", "34000 1234.5 34000"), ("60cm is 60 cm", "60 60"), ("£27.50, 30%", "27.50 30"),
        ("20 June, June 20th and 2026-06-20", "m6d20 m6d20 m6d20"), ("6 月 20 号，十二月三日", "m6d20 m12d3"),
        ("at 15:52 on 3 March 15:53", "15:52 m3d3 15:53"), ("postgres:17.2 port localhost:8080", "17.2 8080"),
        ("1. milk 2\n2) eggs\n3、面 4", "2 4"), ("3.05 m", "3.05"), ("86_400_000 ms", "86400000"),
        ("40  a = 1\n41\n42  b = 7\n", "1 7"), ("40 a\n43 b\n44 c", "40 43 44"), ("no digits", ""),
    ],
)  # fmt: skip
def test_numbers(text: str, numbers: str) -> None:
    """By value; neither the marks of a list nor the line numbers of a listing."""
    assert [term.key for term in shaped_terms(text) if term.kind == "number"] == numbers.split()


def test_a_term_stands_as_a_whole() -> None:
    assert stands_in("端口543号", "543") and stands_in("port 543.", "543")
    assert not stands_in("port 5433", "543") and not stands_in("x543", "543")
