"""Folding with its rules: every message covered once, never longer than its source; and summaries as plain rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from mnemo_lab.context import Source
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.services import Services
from mnemo_lab.summaries.base import Summariser, Summary, SummaryLine
from mnemo_lab.summaries.extractive import ExtractiveSummariser
from mnemo_lab.summaries.model_written import ModelSummariser

Writer = Literal["extractive", "model"]


def open_summariser(writer: Writer, services: Services) -> Summariser:
    """``extractive``: sentences of the messages themselves; ``model``: what ``services.language_model`` writes."""
    return ModelSummariser(services) if writer == "model" else ExtractiveSummariser(services.counter)


def fold(
    summariser: Summariser, earlier: Summary | None, messages: Sequence[Message], max_tokens: int, services: Services
) -> Summary | None:
    """One summary for what ``earlier`` covers and for ``messages``; ``None`` where none is shorter than these are.

    Raises ``InvalidInput`` for a summariser that covers other messages than it was given.
    """
    source = sum(map(services.message_tokens, messages)) + (services.counter.count(earlier.text) if earlier else 0)
    allowed = min(max_tokens, source - 1)
    if allowed < 1:
        return None
    made = summariser.fold(earlier, messages, allowed)
    if made.covered != (earlier.covered if earlier else ()) + tuple(message.id for message in messages):
        raise InvalidInput(f"summariser {made.writer!r} must cover each message it was given exactly once, in order")
    return made if made.text.strip() and services.counter.count(made.text) <= allowed else None


def to_row(summary: Summary) -> dict[str, Any]:
    """A summary as JSON values; ``from_row`` reads them."""
    lines = [[line.text, [[s.message_id, s.spans, s.via] for s in line.sources]] for line in summary.lines]
    return {"lines": lines, "covered": summary.covered, "writer": summary.writer, "fell_back": summary.fell_back}


def from_row(row: dict[str, Any]) -> Summary:
    lines = tuple(
        SummaryLine(text, tuple(Source(name, tuple((a, b) for a, b in spans), via) for name, spans, via in sources))
        for text, sources in row["lines"]
    )
    return Summary(lines, tuple(row["covered"]), row["writer"], row["fell_back"])
