"""Violations and silent emptiness, by hand-made lists of which it is known what an API would reject."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import pytest

from mnemo_lab.context import Budget, Context, Piece, Rendering, Source
from mnemo_lab.conversation import Conversation, Message, ToolCall
from mnemo_lab.metrics import measure
from mnemo_lab.metrics.validity import silent_empty, violations
from mnemo_lab.recording import Probe, Recording
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.view import RecordingView, kept_of
from tests.metrics.outcomes import SERVICES, ask

CALLS = (ToolCall("a", "run"), ToolCall("b", "run"))
STEP = (
    Message("user", "Count both.", "m0"),
    Message("assistant", "", "m1", tool_calls=CALLS),
    Message("tool", "1", "m2", tool_call_id="a"),
    Message("tool", "2", "m3", tool_call_id="b"),
    Message("assistant", "One and two.", "m4"),
)
LAST = SERVICES.message_tokens(STEP[4])
BROKEN = (Message("user", "Hi.", "m0"), Message("tool", "lost", "m1", tool_call_id="x"), Message("user", "So?", "m2"))


def outcome(
    messages: Sequence[Message], keep: Sequence[int], budget: int = 1000, rendering: Rendering = "chat",
    probe: Probe | None = None, extra: Sequence[Message] = (), prompt: str | None = None,
) -> Outcome:  # fmt: skip
    """The outcome of a context that sends these messages, by position, and before them what stands for none."""
    view = RecordingView(Recording("r", (Conversation(tuple(messages), system_prompt=prompt),), ()), SERVICES)
    pieces = [Piece(m.text, SERVICES.message_tokens(m), (), m) for m in extra]
    for position in keep:
        shown = view.shown(position)
        source = Source(shown.id, ((0, len(shown.text)),))
        pieces.append(Piece(shown.text, SERVICES.message_tokens(shown), (source,), shown))
    tokens = sum(piece.tokens for piece in pieces)
    context = Context(tuple(pieces), rendering, tokens, Budget(budget, SERVICES.counter), prompt)
    kept = kept_of(context, view.position_of_opaque)
    asked = probe or ask("?")
    return Outcome(view, asked, view.gold(asked), "by hand", budget, context, kept)


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ([0, 1, 2, 3, 4], 0),
        ([4], 0),
        ([], 0),
        ([2, 3, 4], 2),  # two results without their calls
        ([0, 1, 2, 4], 1),  # b is never answered
        ([0, 1, 4], 2),
        ([0, 1, 4, 2, 3], 4),  # both unanswered where they must be, both late
        ([0, 1, 2], 1),  # nor is it here, where the question follows
    ],
)
def test_violations_are_what_an_api_would_reject(keep: list[int], expected: int) -> None:
    assert violations(outcome(STEP, keep)) == expected


def test_what_was_broken_before_is_not_counted_but_what_is_broken_anew_is() -> None:
    assert violations(outcome(BROKEN, [0, 1, 2])) == 0
    assert violations(outcome(BROKEN, [1, 2])) == 0
    both = (*BROKEN, *(Message(m.role, m.content, f"n{i}", tool_calls=m.tool_calls, tool_call_id=m.tool_call_id)
                       for i, m in enumerate(STEP)))  # fmt: skip
    assert violations(outcome(both, [1, 5, 7])) == 1  # the orphan is old, the first result's call is gone
    assert violations(outcome(both, [1, 3, 4, 5])) == 1  # b is never answered
    late = (STEP[0], STEP[1], Message("user", "Well?", "u"), STEP[2], STEP[3])
    assert violations(outcome(late, range(5))) == 0
    assert violations(outcome(late, [3, 4])) == 2, "late results have become orphans"


def test_only_what_was_seen_when_asked_excuses() -> None:
    probe = ask("?", after="m0")
    assert violations(outcome(BROKEN, [0, 1], probe=probe)) == 1


def test_a_call_that_was_still_open_may_stay_open() -> None:
    assert violations(outcome(STEP[:2], [0, 1])) == 0
    assert violations(outcome(STEP[:3], [0, 1])) == 1, "b was open, a was not"


def test_a_transcript_is_bound_by_no_pairing_rule() -> None:
    assert isnan(violations(outcome(STEP, [2], rendering="transcript")))


@pytest.mark.parametrize(
    ("keep", "budget", "expected"),
    [([4], 1000, 0), ([], 1000, 1), ([], LAST, 1), ([], LAST - 1, 0)],
)
def test_an_empty_context_is_silent_where_the_newest_unit_would_fit(
    keep: list[int], budget: int, expected: float
) -> None:
    assert silent_empty(outcome(STEP, keep, budget)) == expected
    assert silent_empty(outcome(STEP, keep, budget, rendering="transcript")) == expected


def test_a_unit_is_needed_whole_and_the_system_prompt_beside_it() -> None:
    step, prompt = STEP[:4], "Answer in rhyme."
    whole = sum(map(SERVICES.message_tokens, step[1:]))
    assert silent_empty(outcome(step, [], whole)) == 1
    assert silent_empty(outcome(step, [], whole - 1)) == 0
    beside = whole + SERVICES.message_tokens(Message("system", prompt))
    assert silent_empty(outcome(step, [], beside, prompt=prompt)) == 1
    assert silent_empty(outcome(step, [], beside - 1, prompt=prompt)) == 0


def test_a_note_alone_is_as_empty_as_nothing_and_orphans_are_no_units() -> None:
    note = Message("user", "[5 messages omitted]")
    assert silent_empty(outcome(STEP, [], extra=[note])) == 1
    assert silent_empty(outcome(BROKEN[1:2], [])) == 0
    assert silent_empty(outcome(BROKEN[:2], [])) == 1, "the user message before the orphan would fit"


def test_nothing_observed_is_rightly_empty() -> None:
    assert silent_empty(outcome((), [])) == 0
    assert violations(outcome((), [])) == 0


def test_both_are_measured() -> None:
    row = measure(outcome(STEP, [2, 4]))
    assert (row["violations"], row["silent_empty"]) == (1, 0)
