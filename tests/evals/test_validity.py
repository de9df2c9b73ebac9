"""The validity evaluation: its conversations are valid, its counts find planted faults, and ours have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from evals.validity.chosen import truncations, variants
from evals.validity.counting import FAULTS, REFERENCES, Part
from evals.validity.generate import Generator
from evals.validity.measure import BUDGETS, generated, with_probes
from evals.validity.report import render
from mnemo_lab.context import Budget, Piece, Query
from mnemo_lab.conversation import Conversation, Message, ToolCall
from mnemo_lab.history import History
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from mnemo_lab.truncation.base import Truncation
from mnemo_lab.units import validate_messages

SPEC = ServicesSpec(embedder="hashing", cache="")


def test_conversations_are_valid_and_hold_what_is_promised() -> None:
    lists = [list(recording.messages()) for recording in Generator(1).recordings(400)]
    assert [item.code for messages in lists for item in validate_messages(messages)] == []
    every = [message for messages in lists for message in messages]
    assert {message.role for message in every} == {"system", "user", "assistant", "tool"}
    assert max(len(message.tool_calls) for message in every) == 4
    assert any(message.content is None for message in every)
    assert any("发布会" in message.text for message in every)
    assert any(message.attachments for message in every)
    assert any(messages[-1].tool_calls for messages in lists), "a pending call"
    assert any(messages[1].role == "system" for messages in lists if len(messages) > 1)


def test_the_same_seed_gives_the_same_conversations() -> None:
    assert [list(r.messages()) for r in Generator(3).recordings(5)] == [
        list(r.messages()) for r in Generator(3).recordings(5)
    ]


@dataclass(frozen=True)
class Broken(Truncation):
    """Breaks the rule it is told to break."""

    name: ClassVar[str] = "broken"
    rule: str = ""

    def system_prompt(self, history: History) -> str | None:
        return None if self.rule == "unprotected" else history.system_prompt

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        if self.rule == "failed":
            raise ZeroDivisionError("on purpose")
        if self.rule == "empty":
            return []
        pieces = [history.chat(position) for position in range(len(history))]
        if self.rule == "invalid":
            return [piece for piece in pieces if piece.message and piece.message.role != "tool"]
        if self.rule == "miscounted":
            return [Piece(pieces[0].text, 1, pieces[0].sources, pieces[0].message), *pieces[1:]]
        return pieces


TALK = Conversation(
    (
        Message("user", "How many?", "m0"),
        Message("assistant", "", "m1", tool_calls=(ToolCall("c", "count"),)),
        Message("tool", "48211 " * 40, "m2", tool_call_id="c"),
        Message("assistant", "48,211.", "m3"),
        Message("user", "And how many of these are new since Monday?", "m4"),
    )
)
WITH_POLICY = Conversation((Message("system", "Be brief."), *TALK.messages))


def faults_of(strategy: Strategy, tokens: int) -> dict[str, int]:
    services = SPEC.open()
    part = Part("by hand", "", [strategy])
    recording = with_probes(WITH_POLICY, 0, within_steps=False)
    part.walk(RecordingView(recording, services), [tokens], services)
    return dict(part.tallies[strategy].faults)


@pytest.mark.parametrize(
    ("rule", "tokens", "expected"),
    [
        ("", 1000, {}),
        ("", 60, {"overrun": 2}),  # of three places where a model is asked, two come after the long result
        ("invalid", 1000, {"invalid": 2}),
        ("miscounted", 1000, {"miscounted": 3}),
        ("unprotected", 1000, {"unprotected": 3}),
        ("empty", 1000, {"empty": 3}),
        ("failed", 1000, {"failed": 1}),
    ],
)
def test_planted_faults_are_counted(rule: str, tokens: int, expected: dict[str, int]) -> None:
    assert faults_of(Broken(rule), tokens) == expected


def test_an_overrun_that_is_not_flagged_is_told_from_one_that_is() -> None:
    """The claim says it fits, the recount says it does not."""
    services = SPEC.open()
    size = sum(map(services.message_tokens, WITH_POLICY.messages))
    assert faults_of(Broken("miscounted"), size - 1) == {"miscounted": 3, "unflagged": 1}


def test_two_hundred_conversations_through_everything_of_ours() -> None:
    ours = truncations()
    more = variants(ours)
    assert len(more) > len(ours)
    for part in (generated("Ours", ours, 200, SPEC), generated("Ours, changed", more, 20, SPEC)):
        found = {
            str(strategy): [tally.examples[f] for f in tally.faults if f not in REFERENCES.get(strategy.name, set())]
            for strategy, tally in part.tallies.items()
        }
        assert {strategy: cases for strategy, cases in found.items() if cases} == {}
        assert not part.broken


def test_the_report_shows_counts_and_cases() -> None:
    services = SPEC.open()
    part = Part("Peers", "one", [Broken("empty")])
    part.walk(RecordingView(with_probes(WITH_POLICY, 0, within_steps=True), services), [1000], services)
    text = render([part], BUDGETS)
    assert "| `broken(rule='empty')` | 5 | 0 | 0 | 0 | 0 | 0 | 5 | 0 |" in text
    assert "- empty: trajectory-0" in text
    assert all(f"**{fault}**" in text for fault in FAULTS)
