"""What the extractive summariser promises: true quotations, in time, in time order, within its tokens, each id once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.context import Source
from mnemo_lab.conversation import Message
from mnemo_lab.corpora.base import load
from mnemo_lab.summaries import ExtractiveSummariser, Summary, SummaryLine, summarise_text
from mnemo_lab.summaries.pieces import without
from mnemo_lab.summaries.quality import Facts
from mnemo_lab.tokens import open_counter
from tests.conversations import message_lists

COUNTER = open_counter("o200k_base")
SUMMARISER = ExtractiveSummariser(COUNTER)
ENGLISH = [
    ("user", "Hello there! The staging database listens on port 5433, and the password rotates every Monday."),
    ("assistant", "Noted. Anything else that I should know about, by the way, before we go on with this?"),
    ("user", "We tried MySQL, it failed twice. We're going with Postgres 17.2 because MySQL lost rows in cust_ref_2."),
    ("assistant", "Sounds good, happy to help with that whenever you like, just let me know how it all goes."),
    ("user", "TODO: ask Oksana about invoice PS-41902."),
]
CHINESE = [
    ("user", "你好呀，预发布库的端口是 5433，密码每周一换一次。"),
    ("assistant", "好的，收到，还有什么需要我知道的吗？随时都可以告诉我的。"),
    ("user", "MySQL 试过了，挂了两次。改用 Postgres 17.2，因为 MySQL 在 cust_ref_2 上丢过数据。"),
    ("assistant", "听起来不错，很高兴能帮上忙，之后有什么进展都可以跟我说一声哦。"),
    ("user", "还要问一下老邓发票 PS-41902 的事。"),
]
KEPT = ("5433", "17.2", "cust_ref_2", "PS-41902")


def said(lines: Sequence[tuple[str, str]], day: str | None = "2026-03-02T10:00:00Z") -> list[Message]:
    return [Message(role, text, f"m{i}", day) for i, (role, text) in enumerate(lines)]  # type: ignore[arg-type]


def tokens(messages: Sequence[Message]) -> int:
    return sum(COUNTER.count(message.text) for message in messages)


def check(summary: Summary, messages: Sequence[Message], limit: int) -> None:
    """The laws of a summary that quotes."""
    assert summary.covered == tuple(message.id for message in messages)
    assert COUNTER.count(summary.text) <= limit
    text = {message.id: message.text for message in messages}
    order = {message.id: place for place, message in enumerate(messages)}
    spans = [(line, source, *span) for line in summary.lines for source in line.sources for span in source.spans]
    for line, source, start, end in spans:
        assert start < end and text[source.message_id][start:end] in line.text
        assert source.via == "verbatim"
    places = [(order[source.message_id], start, end) for _, source, start, end in spans]
    assert all(a[0] < b[0] or (a[0] == b[0] and a[2] <= b[1]) for a, b in pairwise(places)), "in order, nothing twice"
    assert all(line.text and "\n" not in line.text and line.sources for line in summary.lines)


def windows(messages: Sequence[Message], size: int, limit: int) -> Summary:
    summary = None
    for start in range(0, len(messages), size):
        summary = SUMMARISER.fold(summary, messages[start : start + size], limit)
    assert summary
    return summary


@pytest.mark.parametrize("lines", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_what_nobody_can_guess_is_kept_and_chatter_is_not(lines: list[tuple[str, str]]) -> None:
    messages = said(lines)
    summary = SUMMARISER.fold(None, messages, tokens(messages) // 2)
    check(summary, messages, tokens(messages) // 2)
    assert all(term in summary.text for term in KEPT)
    assert all(word not in summary.text for word in ("Sounds good", "Noted", "听起来不错", "收到"))


@pytest.mark.parametrize(
    ("lines", "decision"),
    [
        (ENGLISH, "We're going with Postgres 17.2 because MySQL lost rows in cust_ref_2."),
        (CHINESE, "改用 Postgres 17.2，因为 MySQL 在 cust_ref_2 上丢过数据。"),
    ],
    ids=["en", "zh"],
)
def test_a_decision_keeps_its_reason(lines: list[tuple[str, str]], decision: str) -> None:
    assert decision in SUMMARISER.fold(None, said(lines), tokens(said(lines)) // 3).text


def test_day_and_speaker_are_said_where_they_change() -> None:
    messages = [
        *said([("user", "Port 5433 is taken."), ("user", "Host is db7.")]),
        replace(Message("assistant", "改用 9200。", "a"), timestamp="2026-03-03T08:00:00Z"),
        replace(Message("tool", "exit code 137", "t", name="run"), timestamp="2027-01-01T00:00:00Z"),
        Message("user", "Undated 77.", "u"),
    ]
    summary = SUMMARISER.fold(None, messages, 500)
    assert [line.text for line in summary.lines] == [
        "2026-03-02 user: Port 5433 is taken. Host is db7.",
        "03-03 assistant：改用 9200。",
        "2027-01-01 tool: exit code 137",
        "user: Undated 77.",
    ]
    assert summary.lines[0].sources == (Source("m0", ((0, 19),)), Source("m1", ((0, 12),)))
    assert summary.writer == "extractive" and summary.fell_back is None


def test_a_dear_clause_leaves_its_numbers_behind() -> None:
    long = "the lengthy and rather winding story of how they all came to be sitting there with nothing to do whatsoever"
    messages = said([("user", f"She told us {long} for £1,250 and 60 kg until 20 June")])
    summary = SUMMARISER.fold(None, messages, 22)
    check(summary, messages, 22)
    assert summary.text == "2026-03-02 user: £1,250…60 kg…20 June"


@settings(deadline=None, max_examples=60)
@given(message_lists(), st.sampled_from([0, 5, 20, 60, 200, 10_000]), st.sampled_from([1, 3, 100]))
def test_laws_hold_for_anything(messages: list[Message], limit: int, size: int) -> None:
    if messages:
        check(windows(messages, size, limit), messages, limit)


@settings(deadline=None, max_examples=60)
@given(message_lists())
def test_a_fold_reads_back_what_it_wrote(messages: list[Message]) -> None:
    """Line for line; and folding nothing more loses no identifier or number."""
    once = SUMMARISER.fold(None, messages, 100_000)
    assert without(once.lines, ()) == list(once.lines)
    again = SUMMARISER.fold(once, [], 100_000)
    facts = Facts.of([message.text for message in messages])
    assert facts.survival(again.text)["numbers"] == facts.survival(once.text)["numbers"]
    assert facts.survival(again.text)["identifiers"] == facts.survival(once.text)["identifiers"]


def test_folding_in_windows_keeps_what_folding_at_once_keeps() -> None:
    """The development recordings, at a quarter of their tokens: at most 5 points of identifiers and numbers less."""
    for recording in load("bilingual").select(split="dev"):
        messages = list(recording.messages())
        limit = tokens(messages) // 4
        facts = Facts.of([message.text for message in messages])
        at_once = facts.survival(SUMMARISER.fold(None, messages, limit).text)
        rolled = windows(messages, 20, limit)
        check(rolled, messages, limit)
        for kind in ("identifiers", "numbers"):
            assert facts.survival(rolled.text)[kind].share >= at_once[kind].share - 0.05  # type: ignore[index]
            assert at_once[kind].share >= 0.85, "guards what was measured on these when the weights were chosen"  # type: ignore[index]


def test_lines_of_others_are_kept_as_they_are() -> None:
    """A model's lines quote nothing; they are represented, and so are quotations that are not ours to read."""
    about = tuple(Source(name, (), "summary") for name in "ab")
    lines = (
        SummaryLine("They chose port 5433. They like tea.", about),
        SummaryLine("“改用 Postgres”，他说", (Source("c", ((0, 11),)),)),
        SummaryLine("## Open items"),
    )
    written = Summary(lines, ("a", "b", "c"), "local:x")
    summary = SUMMARISER.fold(written, said([("user", "Invoice PS-41902 is open.")]), 1_000)
    assert summary.covered == ("a", "b", "c", "m0") and summary.writer == "extractive"
    assert summary.lines[0] == SummaryLine("They chose port 5433. They like tea.", about)
    assert summary.lines[1] == SummaryLine("“改用 Postgres”，他说", (Source("c", (), "summary"),))
    assert summary.lines[-1].text == "2026-03-02 user: Invoice PS-41902 is open."
    short = SUMMARISER.fold(written, [], 8)
    assert short.text == "They chose port 5433." and short.lines[0].sources == about


def test_without_what_stands_in_full() -> None:
    messages = said([("user", "Port 5433."), ("user", "Host db7."), ("assistant", "Noted: db7 at 5433.")])
    lines = SUMMARISER.fold(None, messages, 500).lines
    left = without(lines, {"m0"})
    assert left[0] == SummaryLine("2026-03-02 user: Host db7.", (Source("m1", ((0, 9),)),))
    assert without(lines, {"m0", "m1", "m2"}) == []


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_where_nothing_fits_nothing_is_said(limit: int) -> None:
    messages = said(ENGLISH)
    summary = SUMMARISER.fold(None, messages, limit)
    assert summary.lines == () and summary.covered == tuple(m.id for m in messages)
    assert SUMMARISER.fold(None, [], limit) == Summary((), (), "extractive")


@pytest.mark.parametrize("lines", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_a_bare_text(lines: list[tuple[str, str]]) -> None:
    text = "\n".join(said for _, said in lines)
    short = summarise_text(text, COUNTER.count(text) // 2, COUNTER)
    assert 0 < COUNTER.count(short) <= COUNTER.count(text) // 2
    assert all(term in short for term in KEPT)
    assert all(part in text for line in short.splitlines() for part in line.split("… ")[0].split("…"))
    assert summarise_text(text, 0, COUNTER) == summarise_text("", 50, COUNTER) == ""


def test_the_same_again() -> None:
    messages = said(ENGLISH)
    assert SUMMARISER.fold(None, messages, 60) == ExtractiveSummariser(COUNTER).fold(None, messages, 60)


def many(count: int) -> Iterator[Message]:
    source = [m for r in load("bilingual").select(split="dev") for m in r.messages()]
    for i in range(count):
        yield replace(source[i % len(source)], id=f"x{i}")


def test_two_thousand_messages_take_no_minute() -> None:
    """A guard against quadratic loops, not a measurement: about a second on one idle core."""
    messages = list(many(2_000))
    began = time.process_time()
    summary = SUMMARISER.fold(None, messages, 10_000)
    assert time.process_time() - began < 20
    check(summary, messages, 10_000)
