"""What can be wrong with a context, counted per strategy over many replays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from mnemo_lab.metrics.validity import silent_empty, violations
from mnemo_lab.packing.pack import protected_tokens
from mnemo_lab.replay.loop import replay
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy

FAULTS: Final = {
    "invalid": "errors by the validator that the observed list does not have itself",
    "miscounted": "the joined rendering recounts to another number than is claimed",
    "unflagged": "recounts to more than the budget and does not say so",
    "overrun": "more than the budget, flagged, though what is protected alone would fit",
    "unprotected": "the system prompt or a leading system message is not sent whole at the head",
    "empty": "nothing of the conversation is sent though its newest unit would fit",
    "failed": "an exception instead of a context",
}
REFERENCES: Final = {"full": {"overrun"}, "random": {"unprotected", "empty"}}
"""What the ends of a comparison are for: everything whatever the budget, and chance, which protects nothing."""


@dataclass
class Tally:
    """Counts of one strategy; ``examples`` holds the first case of every fault."""

    contexts: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, found: Iterable[str], case: str) -> None:
        self.contexts += 1
        for fault in found:
            self.faults[fault] += 1
            self.examples.setdefault(fault, case)


class Part:
    """The tallies of some strategies over some recordings; ``how`` says what was run."""

    def __init__(self, name: str, how: str, strategies: Sequence[Strategy]) -> None:
        self.name, self.how, self.seconds = name, how, 0.0
        self.tallies = {strategy: Tally() for strategy in strategies}

    @property
    def contexts(self) -> int:
        return sum(tally.contexts for tally in self.tallies.values())

    @property
    def broken(self) -> bool:
        """Whether a strategy breaks a rule that binds it: ``full`` and ``random`` are references, bound by few."""
        return any(not REFERENCES.get(strategy.name, set()) >= set(t.faults) for strategy, t in self.tallies.items())

    def walk(self, view: RecordingView, budgets: Sequence[int], services: Services) -> None:
        """Replay a recording through every strategy and add what is wrong with its contexts."""
        for strategy, tally in self.tallies.items():
            case = f"{view.recording.id}: `{strategy}`"
            try:
                for outcome in replay(view, strategy, str(strategy), budgets, services):
                    tally.add(faults_of(outcome), f"{case}, `{outcome.probe.id}` at {outcome.budget_tokens}")
            except Exception as error:  # a strategy that raises must not end the run
                tally.add(["failed"], f"{case} at {budgets}: {type(error).__name__}: {error}")


def faults_of(outcome: Outcome) -> Iterator[str]:
    context = outcome.context
    assert context is not None
    if violations(outcome) > 0:
        yield "invalid"
    recounted, flagged = context.recount(), any(item.code == "over_budget" for item in context.losses)
    if recounted != context.tokens:
        yield "miscounted"
    if recounted > context.budget.tokens and not flagged:
        yield "unflagged"
    if recounted > context.budget.tokens and flagged and _protected(outcome) <= context.budget.tokens:
        yield "overrun"
    if not _head_stands(outcome):
        yield "unprotected"
    if silent_empty(outcome) > 0:
        yield "empty"


def _leading(outcome: Outcome) -> int:
    """How many system messages the observed list starts with."""
    seen = outcome.view.messages[: outcome.gold.horizon]
    return next((i for i, message in enumerate(seen) if message.role != "system"), len(seen))


def _prompt(outcome: Outcome) -> str | None:
    """The system prompt of the conversation that is going on."""
    last = max(outcome.gold.horizon - 1, 0)
    for conversation in outcome.view.recording.conversations:
        if last < len(conversation.messages):
            return conversation.system_prompt
        last -= len(conversation.messages)
    return None


def _protected(outcome: Outcome) -> int:
    view = outcome.view
    head = sum(view.services.message_tokens(message) for message in view.messages[: _leading(outcome)])
    return head + protected_tokens(_prompt(outcome), view.services)


def _head_stands(outcome: Outcome) -> bool:
    context, view, prompt = outcome.context, outcome.view, _prompt(outcome)
    assert context is not None
    if context.rendering != "chat":
        return context.system_prompt == prompt
    wanted = [prompt] if prompt else []
    wanted += [message.text for message in view.messages[: _leading(outcome)]]
    sent = context.messages()[: len(wanted)]
    return [message.text for message in sent] == wanted and all(message.role == "system" for message in sent)
