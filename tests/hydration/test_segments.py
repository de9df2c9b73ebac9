"""Segments: online, whatever the chunking; delays, ends, several conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import thread_time
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemo_lab.conversation import ConversationInfo, Message, ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.hydration.segments import MARK, Segmenter, words_in
from mnemo_lab.hydration.triggers.base import Trigger, Turns
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.hydration.triggers.cue import Cue
from mnemo_lab.hydration.triggers.every import Every
from mnemo_lab.hydration.triggers.gap import Gap
from mnemo_lab.hydration.triggers.mark import Mark
from mnemo_lab.hydration.triggers.topic_shift import Drift, TopicShift
from tests.base.messages import new_services
from tests.conversations import message_lists, office_recording
from tests.hydration.talks import cut, history_of, segmenter_of, users

EXPRESSIONS = (
    "every(n=2)",
    "topic_shift(sigmas=0.5)",
    "topic_shift(window=3, ahead=2, sigmas=0.5, measure='depth', speakers=1.0)",
    "every(n=2) and topic_shift(sigmas=0.3) or cue() or every(n=4)",
    "drift(threshold=0.3) or gap(hours=0.5) or mark()",
)


@dataclass(frozen=True)
class Spy(Trigger):
    """Fires at given turns and notes how many turns there were when it was asked."""

    name: ClassVar[str] = "spy"
    at: tuple[int, ...] = ()

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        turns.seen.setdefault("asked", []).append(at * 100 + len(turns))
        return 0.5 if at in self.at else None


def test_every_cuts_before_the_turn_that_switches() -> None:
    segments = cut(users(*"abcdefgh"), Every(3))
    assert [(s.start, s.stop, s.fired.at, s.fired.trigger) for s in segments] == [
        (0, 3, 3, "every(n=3)"),
        (3, 6, 6, "every(n=3)"),
        (6, 8, 8, "end"),
    ]


def test_a_turn_is_a_user_message_and_what_follows() -> None:
    messages = [
        Message("system", "be brief", "s"),
        Message("user", "run it", "u0"),
        Message("assistant", "", "a0", tool_calls=(ToolCall("c", "run"),)),
        Message("tool", "done", "t0", tool_call_id="c"),
        Message("assistant", "It ran.", "a1"),
        Message("user", "thanks", "u1"),
    ]
    segmenter = segmenter_of(Every(1))
    closed = segmenter.observe(history_of(messages), 0)
    assert [(t.start, t.stop) for t in segmenter.turns] == [(0, 1), (1, 5), (5, 6)]
    assert segmenter.turns[1].texts == ["run it", "", "done", "It ran."] and segmenter.turns[1].opening == "run it"
    assert [(s.start, s.stop) for s in closed] == [(0, 5)], "a system prompt is no segment of its own"


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_a_decision_is_made_delay_turns_later(delay: int) -> None:
    segmenter = segmenter_of(Spy(at=(2,)), delay)
    history = history_of(users(*"abcdef"))
    closed_at = [position for position in range(6) if segmenter.observe(history, position, position + 1)]
    assert closed_at == [2 + delay]
    assert segmenter.turns.seen["asked"] == [at * 100 + at + 1 + delay for at in range(1, 6 - delay)]
    ended = segmenter.end()
    assert [(s.start, s.stop) for s in ended] == [(2, 6)]
    assert segmenter.turns.seen["asked"][-delay:] == [at * 100 + 6 for at in range(6 - delay, 6)] or not delay


def test_open_decisions_are_made_at_the_end() -> None:
    segments = cut(users(*"abcd"), Spy(at=(3,)), delay=5)
    assert [(s.start, s.stop) for s in segments] == [(0, 3), (3, 4)]


def test_conversations_end_and_begin() -> None:
    """The first turn of a conversation is asked of no trigger, and a second end changes nothing."""
    segmenter, history = segmenter_of(Spy(at=(2, 4)), 1), History(new_services())
    closed = []
    for texts in ("ab", "cdef", ""):
        history.begin(ConversationInfo(texts))
        first = len(history)
        history.extend([Message("user", text, f"{texts}{text}") for text in texts])
        closed += segmenter.observe(history, first)
        closed += segmenter.end()
        assert segmenter.end() == []
    assert [(s.start, s.stop) for s in closed] == [(0, 2), (2, 4), (4, 6)]
    assert [asked // 100 for asked in segmenter.turns.seen["asked"]] == [1, 3, 4, 5]
    assert segmenter.starts == [0, 2, 4, 6] and segmenter.turns.first == 6


def test_nothing_observed_nothing_ends() -> None:
    assert segmenter_of(Every(1)).end() == []
    assert segmenter_of(Every(1)).observe(history_of([]), 0) == []


def test_the_cause_is_the_part_that_fired() -> None:
    segments = cut(users("a", "by the way, b", "c", "d"), parse_trigger("every(n=3) or cue() or every(n=9)"))
    assert [s.fired.trigger for s in segments] == ["cue(begins=True, ends=True)", "end"]
    both = cut(users("a", "b", "by the way, c"), parse_trigger("every(n=2) and cue(ends=False)"))
    assert both[0].fired.trigger == "every(n=2) and cue(begins=True, ends=False)" and both[0].fired.score == 1.0


def test_marks_and_gaps() -> None:
    marked = [*users("a", "b"), Message("user", "c", "m2", extensions={MARK: True}), *users("d")]
    assert [(s.start, s.stop) for s in cut(marked, Mark())] == [(0, 3), (3, 4)]
    assert len(cut([Message("user", "a", extensions={MARK: "false"}), *users("b")], Mark())) == 1
    times = ["2026-03-01T10:00:00Z", None, "2026-03-01T15:59:00Z", "2026-03-01T22:00:00Z", None]
    timed = [Message("user", "x", f"m{n}", time) for n, time in enumerate(times)]
    assert [(s.start, s.stop) for s in cut(timed, Gap(6.0))] == [(0, 3), (3, 5)]
    answered = [timed[0], Message("assistant", "later", "a", "2026-03-01T16:30:00Z"), timed[3]]
    assert len(cut(answered, Gap(6.0))) == 1, "the gap counts from the last message of the turn before"


def test_vectors_of_a_turn_are_the_mean_of_its_messages() -> None:
    vectors = [(1, 0), (0, 1), (0, 1)]
    messages = [Message("user", "a", "0"), Message("assistant", "b", "1"), Message("assistant", "c", "2")]
    segmenter = segmenter_of(Drift(), 0, vectors)
    segmenter.observe(history_of(messages), 0)
    turn = segmenter.turns[0]
    assert turn.vector == pytest.approx(np.array([1, 2]) / 5**0.5) and turn.opening_vector == pytest.approx((1, 0))
    assert segmenter_of(Every(1), 0, vectors).turns == []


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="delay=-1"):
        segmenter_of(Every(1), -1)
    with pytest.raises(InvalidInput, match=r"drift\(threshold=0.7\) compares vectors of messages, and none are made"):
        segmenter_of(Drift())


def test_words() -> None:
    assert words_in("Two words, e.g. 3.5!") == 6 and words_in("两个字 ok") == 2.5 and words_in("") == 0


def boundaries(
    trigger: str, messages: Sequence[Message], delay: int, chunks: Sequence[int]
) -> list[tuple[int, int, str]]:
    """Observe in chunks of these sizes; vectors are hashed words."""
    services = new_services()
    history = History(services)
    history.begin(ConversationInfo("c"))
    segmenter = Segmenter(
        parse_trigger(trigger), services, delay, lambda at: services.embedder.encode([history.messages[at].text])[0]
    )
    found, left, sizes = [], list(messages), list(chunks)
    while left:
        size = sizes.pop(0) if sizes else len(left)
        first = len(history)
        history.extend(left[:size])
        left = left[size:]
        found += segmenter.observe(history, first)
    return [(s.start, s.stop, str(s.fired)) for s in [*found, *segmenter.end()]]


@settings(max_examples=40, deadline=None)
@given(st.data(), message_lists(max_units=14), st.sampled_from(EXPRESSIONS), st.integers(0, 3))
def test_any_chunking_gives_the_same(data: st.DataObject, messages: list[Message], trigger: str, delay: int) -> None:
    chunks = data.draw(st.lists(st.integers(1, 5), max_size=len(messages)))
    assert boundaries(trigger, messages, delay, chunks) == boundaries(trigger, messages, delay, [1] * len(messages))


@settings(max_examples=40, deadline=None)
@given(message_lists(max_units=14), st.integers(1, 10), st.sampled_from(EXPRESSIONS), st.integers(0, 3))
def test_nothing_later_changes_an_earlier_decision(
    messages: list[Message], more: int, trigger: str, delay: int
) -> None:
    """What was closed before a conversation went on stays closed; segments cover every message once."""
    stop = max(len(messages) - more, 1)
    services = new_services()
    vectors = services.embedder.encode([m.text for m in messages])

    def closed(upto: int) -> list[str]:
        segmenter = Segmenter(parse_trigger(trigger), services, delay, vectors.__getitem__)
        return [str(s) for s in segmenter.observe(history_of(messages[:upto], services), 0)]

    assert closed(len(messages))[: len(closed(stop))] == closed(stop)
    whole = boundaries(trigger, messages, delay, [])
    assert [start for start, *_ in whole] == [0, *(end for _, end, _ in whole[:-1])] and whole[-1][1] == len(messages)


def test_the_office_recording() -> None:
    """``We agreed that …`` ends a segment, ``by the way`` begins one; a change of date is neither."""
    first, second = (list(conversation.messages) for conversation in office_recording().conversations)
    assert [(s.start, s.stop) for s in cut(first, Cue())] == [(0, 2), (2, 8), (8, 10)]
    assert [(s.start, s.stop) for s in cut(first, Cue(ends=False))] == [(0, 8), (8, 10)]
    assert [(s.start, s.stop) for s in cut(second, Cue())] == [(0, 8)]


def test_cost_is_linear_in_one_long_turn() -> None:
    """A turn of an agent that takes a thousand steps is no dearer by the step than a short one."""

    def seconds(steps: int) -> float:
        messages = [*users("go"), *(Message("assistant", "x" * 400, f"a{n}") for n in range(steps))]
        history, vectors = history_of(messages), np.ones((steps + 1, 64), dtype=np.float32)
        _ = history.times
        segmenter = Segmenter(TopicShift(), new_services(), 0, vectors.__getitem__)
        start = thread_time()
        segmenter.observe(history, 0)
        return thread_time() - start

    few, many = min(seconds(500) for _ in range(3)), min(seconds(4000) for _ in range(3))
    assert many < 32 * few, "8 times as many steps; quadratic would be 64 times"
