"""Cutting inside a text: the budget holds, spans are true, no grapheme is split, and 1 MB takes no minute."""

from __future__ import annotations

import re
import time

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mnemo_lab.packing.elide import elide
from mnemo_lab.tokens import ENCODINGS, open_counter

COUNTER = open_counter("o200k_base")
MARKER = re.compile(r" \[…(\d+)/(\d+) tokens…\] ")
CLUSTERS = st.sampled_from(
    ["👩‍👩‍👧‍👦", "🇫🇷", "e\u0301", "👍🏽", "क्षि", "ก็", "กำ", "각", "한", "☎️", "1️⃣",
     "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\r\n",
     "部", "a", " ", "Word ", "z\u0300\u0301\u0302", "\u0600\u0661", "ｶﾞ", "\n"]
)  # fmt: skip
GRAPHEMES = st.lists(CLUSTERS, min_size=20, max_size=150).map("".join)


def boundaries(text: str) -> set[int]:
    return {0, len(text), *(found.start() for found in regex.finditer(r"\X", text))}


@settings(max_examples=200, deadline=None)
@given(GRAPHEMES, st.integers(0, 120), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.sampled_from(ENCODINGS))
def test_budget_spans_and_graphemes(text: str, tokens: int, share: float, encoding: str) -> None:
    counter = open_counter(encoding)
    short = elide(text, tokens, counter, share)
    assume(short is not None)
    assert short is not None
    assert counter.count(short.text) <= tokens
    assert short.total == counter.count(text)
    if short.dropped == 0:
        assert (short.text, short.spans) == (text, ((0, len(text)),))
        return
    kept = [text[start:end] for start, end in short.spans]
    found = MARKER.findall(short.text)
    assert found == [(str(short.dropped), str(short.total))]
    assert MARKER.sub("", short.text) == "".join(kept) != ""
    assert short.dropped == short.total - sum(map(counter.count, kept))
    assert all(start < end for start, end in short.spans)
    assert list(short.spans) == sorted(short.spans)
    for start, end in short.spans:
        assert {start, end} <= boundaries(text)
    ends = {place for span in short.spans for place in span}
    assert ends & {0, len(text)}, "what is kept is a beginning, an end or both"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.integers(-3, 200))
def test_any_text_keeps_its_budget(text: str, tokens: int) -> None:
    short = elide(text, tokens, COUNTER)
    if short is None:
        assert COUNTER.count(text) > tokens
    else:
        assert COUNTER.count(short.text) <= tokens
        for start, end in short.spans:
            assert text[start:end] in short.text


def test_by_hand() -> None:
    text = " ".join(str(n) for n in range(1000, 1100))
    assert elide(text, 400, COUNTER) == (text, ((0, len(text)),), 0, COUNTER.count(text))
    short = elide(text, 60, COUNTER)
    assert short is not None
    assert short.text.startswith("1000 1001 ") and short.text.endswith(" 1098 1099")
    assert 55 <= COUNTER.count(short.text) <= 60, "the room is used"
    head, tail = (COUNTER.count(text[a:b]) for a, b in short.spans)
    assert abs(head - tail) <= 4, "half and half"


@pytest.mark.parametrize(("share", "spans"), [(1.0, "head"), (0.0, "tail")])
def test_one_end_only(share: float, spans: str) -> None:
    text = "word " * 200
    short = elide(text, 40, COUNTER, share)
    assert short is not None
    ends = short.spans[0][0] == 0, short.spans[-1][1] == len(text)
    assert ends[0 if spans == "head" else 1]
    assert max(b - a for a, b in short.spans) >= 20 * 5


def test_nothing_fits() -> None:
    text = "word " * 200
    smallest = next(n for n in range(60) if elide(text, n, COUNTER) is not None)
    marker = COUNTER.count(" […199/201 tokens…] ")
    assert marker <= smallest <= marker + 3
    assert all(elide(text, n, COUNTER) is None for n in range(-2, smallest))
    assert elide("", 0, COUNTER) == ("", ((0, 0),), 0, 0)
    family = "👩‍👩‍👧‍👦" * 9
    assert elide(family, marker + 3, COUNTER) is None, "no part of an emoji is better than none"


def seconds(text: str, size: int) -> float:
    long = text * (size // len(text))
    begun = time.perf_counter()
    short = elide(long, 2000, COUNTER)
    taken = time.perf_counter() - begun
    assert short is not None and COUNTER.count(short.text) <= 2000
    return taken


@pytest.mark.parametrize("text", ["部", "🇫🇷", "e\u0301", "👩‍👩‍👧‍👦", "x", " "])
def test_four_times_the_text_takes_about_four_times_as_long(text: str) -> None:
    small = min(seconds(text, 30_000) for _ in range(3))
    assert seconds(text, 120_000) < 10 * small + 0.3


def test_a_megabyte_takes_seconds() -> None:
    assert seconds("The port is 5433. 今天讨论了部署方案。\n", 1_000_000) < 8
