"""Blocks of memory in a message are told from what is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemo_lab.extraction.recalled import CLOSE_MEMORY, OPEN_MEMORY, without_recalled


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<memory>\n- tea\n</memory>\nHello", "Hello"),
        ("你好<memories a='1'>我喝茶</memories>再见", "你好 再见"),
        ("<HISTORY>x</history> then", "then"),
        ("cut off <memory> never closed", "cut off"),
        ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
        ("<memory>1</memory>mid<context>2</context>", "mid"),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    found = without_recalled(text)
    assert " ".join(found.split()) == left and len(found) == len(text)


@given(st.text(), st.text(), st.text())
def test_every_other_character_stays_in_place(before: str, inside: str, after: str) -> None:
    before, after = before.replace("<", ""), after.replace("<", "")
    inside = inside.replace("<", "")
    text = f"{before}{OPEN_MEMORY}{inside}{CLOSE_MEMORY}{after}"
    found = without_recalled(text)
    assert len(found) == len(text) and found.startswith(before) and found.endswith(after)
    assert not found[len(before) : len(text) - len(after)].strip()


def test_many_tags_that_never_close_are_read_once() -> None:
    """Each is ordinary text; looking for its end from every one of them took minutes for a long message."""
    text = "<context> hello List<History> " * 20_000
    assert without_recalled(text) == text
    assert without_recalled("<memory>a <memory>b</memory> c") == " " * len("<memory>a <memory>b</memory>") + " c"
