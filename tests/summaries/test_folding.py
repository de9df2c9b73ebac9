"""What a fold may not do: cover other messages than it was given, or be no shorter than they are."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from mnemo_lab.context import Source
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.summaries.base import Summary, SummaryLine
from mnemo_lab.summaries.extractive import ExtractiveSummariser
from mnemo_lab.summaries.folding import fold, from_row, open_summariser, to_row
from mnemo_lab.summaries.model_written import ModelSummariser
from tests.summaries.ranges import COUNTER, RangeModel, numbered, services_with

SERVICES = services_with(RangeModel())


class Says:
    """A summariser that says what it is told to and notes how many tokens it was given."""

    def __init__(self, text: str, covers: Sequence[str] | None = None) -> None:
        self.text, self.covers, self.allowed = text, covers, 0

    def fold(self, earlier: Summary | None, messages: Sequence[Message], max_tokens: int) -> Summary:
        self.allowed = max_tokens
        ids = (earlier.covered if earlier else ()) + tuple(m.id for m in messages)
        return Summary((SummaryLine(self.text),), tuple(ids if self.covers is None else self.covers), "says")


def test_a_summary_must_be_shorter_than_its_source() -> None:
    messages = numbered(3)  # 10 tokens each
    says = Says("word " * 27)
    assert COUNTER.count(says.text) == 28
    made = fold(says, None, messages, 500, SERVICES)
    assert made and says.allowed == 29
    assert fold(Says("word " * 40), None, messages, 500, SERVICES) is None
    assert fold(Says("word " * 27), None, messages, 27, SERVICES) is None, "nor longer than it may be"
    assert fold(Says(" \n"), None, messages, 500, SERVICES) is None
    later = numbered(1, 3)
    assert fold(Says("word " * 36), made, later, 500, SERVICES), "the earlier one is its source too"
    assert fold(Says("word " * 38), made, later, 500, SERVICES) is None


@pytest.mark.parametrize("covers", [("m0",), ("m0", "m1", "m1"), ("m1", "m0"), ("m0", "m1", "m2")])
def test_each_message_is_covered_exactly_once(covers: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match="summariser 'says' must cover each message it was given exactly once"):
        fold(Says("short", covers), None, numbered(2), 10, SERVICES)


def test_a_summary_comes_back_from_its_row() -> None:
    lines = (
        SummaryLine("user: 今天 \ud800", (Source("a", ((3, 5), (7, 9))),)),
        SummaryLine("Open: none", (Source("b", (), "summary"),)),
        SummaryLine(""),
    )
    for reason in (None, "down"):
        summary = Summary(lines, ("a", "b"), "openai:x", reason)
        text = json.dumps(to_row(summary), ensure_ascii=False).encode("utf-8", "surrogatepass")
        assert from_row(json.loads(text.decode("utf-8", "surrogatepass"))) == summary


def test_who_writes() -> None:
    assert isinstance(open_summariser("extractive", SERVICES), ExtractiveSummariser)
    assert isinstance(open_summariser("model", SERVICES), ModelSummariser)
