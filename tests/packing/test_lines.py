"""Transcript lines: how they read, and that joined lines recount to the sum of their tokens."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mnemo_lab.context import CLOSE_QUOTE, OPEN_QUOTE, quote
from mnemo_lab.conversation import MISSING, Message, ToolCall
from mnemo_lab.packing.lines import speaker_of, transcript_line
from mnemo_lab.tokens import ENCODINGS, open_counter
from tests.base.messages import MESSAGES

AWKWARD = st.text(
    st.sampled_from([*" \t\n\r\u00a0\u3000\u2028\x85\u200b\u200d\ufeff/\\:[]()!.'sStTaA1部署️👩🇫e\u0301\ud800"]),
    max_size=12,
)
LINES: st.SearchStrategy[Message] = MESSAGES | st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool"]),
    AWKWARD | st.none() | st.just(MISSING),
    timestamp=st.none() | AWKWARD | st.just("2026-03-02T00:00:00Z"),
    name=st.none() | AWKWARD,
    tool_calls=st.lists(st.builds(ToolCall, st.just("c"), AWKWARD, AWKWARD), max_size=2).map(tuple),
)


def test_reads_as_a_dated_line() -> None:
    assert (
        transcript_line(Message("user", "Hi.", timestamp="2026-03-02T08:00:00Z", name="Ann"))
        == "[2026-03-02] Ann: Hi.\n"
    )
    assert transcript_line(Message("assistant", None)) == "assistant: \n"
    calls = (ToolCall("c", "run", '{"q": 1}'), ToolCall("d", "stop"))
    assert (
        transcript_line(Message("assistant", "Wait", tool_calls=calls))
        == 'assistant: Wait [call run({"q": 1})] [call stop({})]\n'
    )


@pytest.mark.parametrize(
    ("name", "spoken"),
    [("Ann", "Ann"), (" Ann\n Lee ", "Ann Lee"), ("", "user"), ("  ", "user"), (None, "user"), ("/bot", "bot"),
     ("/ /", "user"), ("a/b", "a/b"), ("林晓", "林晓")],
)  # fmt: skip
def test_speaker(name: str | None, spoken: str) -> None:
    assert speaker_of(Message("user", name=name)) == spoken


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=5), st.sampled_from(ENCODINGS))
@example([Message("user", "wow!"), Message("user", "x", name="/help")], "o200k_base")
@example([Message("user", "\n\n\n"), Message("user", "\r"), Message("user", "  ")], "cl100k_base")
@example([Message("user", "=/"), Message("user", "x", name="//")], "o200k_base")
def test_joined_lines_recount_to_their_sum(messages: list[Message], encoding: str) -> None:
    counter = open_counter(encoding)
    lines = [transcript_line(message) for message in messages]
    apart = sum(map(counter.count, lines))
    assert counter.count("".join(lines)) == apart
    assert counter.count(quote("".join(lines))) == counter.count(f"{OPEN_QUOTE}{CLOSE_QUOTE}") + apart


@settings(max_examples=200, deadline=None)
@given(LINES)
def test_a_line_carries_its_content_verbatim(message: Message) -> None:
    line = transcript_line(message)
    assert message.text in line
    assert line.endswith("\n") and not line[0].isspace() and line[0] != "/"


def test_lines_cut_where_the_encodings_split() -> None:
    """Why a slash may not begin a line: o200k takes punctuation, newline and slashes as one stretch."""
    counter = open_counter("o200k_base")
    assert counter.count("!\n") + counter.count("/: \n") != counter.count("!\n/: \n")
    assert open_counter("cl100k_base").count("!\n/: \n") == 3
