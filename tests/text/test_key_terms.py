from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.text.key_terms import key_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The port is 5433 and Alice met New York friends. Then they left.", {"5433", "alice", "new york"}),
        ("cust_ref_2 camelCase v2.1.3 E-4417 HTTP I", {"cust_ref_2", "camelcase", "v2.1.3", "e-4417", "http"}),
        ("错误码E-4417在cust_ref_2列，见/etc/hosts", {"e-4417", "cust_ref_2", "etc/hosts"}),
        ("Nothing here at all.", set()), ("", set()), ("今天讨论了部署方案", set()),
        ("Ask ann@example.com about 3.5 or 2026-03-02", {"ann@example.com", "3.5", "2026-03-02"}),
    ],
)  # fmt: skip
def test_terms(text: str, terms: set[str]) -> None:
    assert key_terms(text) == terms


@given(st.text(max_size=60))
def test_terms_stand_in_the_text(text: str) -> None:
    assert all(term and term in text.casefold() for term in key_terms(text))
