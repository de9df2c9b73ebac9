"""The loop: one recording through one strategy, every probe at every budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mnemo_lab.context import Budget, Context, Query
from mnemo_lab.ledger import Ledger
from mnemo_lab.recording import Probe
from mnemo_lab.replay.outcome import Costs, Outcome
from mnemo_lab.replay.view import Kept, RecordingView, kept_of
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory

SHORTLIST = 200
"""Candidates kept per probe, and the length of the ranking that metrics see."""


class Ask(NamedTuple):
    """A probe and how many messages have been seen when it is asked."""

    probe: Probe
    horizon: int


def replay(
    view: RecordingView, strategy: Strategy, label: str, budgets: Sequence[int], services: Services
) -> Iterator[Outcome]:
    """Outcomes of one recording under one strategy, probes in the order they are asked, budgets inside.

    Raises whatever the strategy raises; the runner turns that into error rows.
    """
    groups = [[tokens] for tokens in budgets] if strategy.budget_bound else [list(budgets)]
    for group in groups:
        limits = [Budget(tokens, services.counter) for tokens in group]
        services.ledger = Ledger()
        bound = limits[0] if strategy.budget_bound else None
        feeder = Feeder(view, strategy.start(services, view.namespace, bound), services)
        for ask in asks(view):
            yield from _answer_one(feeder, ask, limits, label)
        feeder.finish()
        feeder.memory.close()


def asks(view: RecordingView) -> list[Ask]:
    """Probes in the order they are asked; those at the very end come last."""
    found = [Ask(probe, view.horizon(probe)) for probe in view.recording.probes]
    return sorted(found, key=lambda ask: (ask.probe.after is None, ask.horizon))


class Feeder:
    """Feeds a working memory up to a position, conversation by conversation."""

    def __init__(self, view: RecordingView, memory: WorkingMemory, services: Services) -> None:
        self.view, self.memory, self.services = view, memory, services
        self._ends = _conversation_ends(view)
        self._next = 0
        self._open: int | None = None

    def feed(self, horizon: int) -> None:
        """Observe everything before position ``horizon``."""
        self.services.ledger.path = "write"
        while self._next < horizon:
            here = self._conversation(self._next)
            if here != self._open:
                self._turn_to(here)
            stop = min(horizon, self._ends[here])
            self.memory.observe([self.view.shown(p) for p in range(self._next, stop)])
            self._next = stop

    def reach(self, position: int) -> None:
        """Observe everything before a message and begin its conversation: what is known while it is written."""
        self.feed(position)
        here = self._conversation(position)
        if here != self._open:
            self._turn_to(here)

    def finish(self) -> None:
        """Observe the rest and end the last conversation."""
        self.feed(len(self.view.messages))
        self.services.ledger.path = "write"
        if self._open is not None:
            self.memory.end()
            self._open = None

    def _turn_to(self, conversation: int) -> None:
        if self._open is not None:
            self.memory.end()
        self.memory.begin(self.view.shown_info(conversation))
        self._open = conversation

    def _conversation(self, position: int) -> int:
        return next(i for i, end in enumerate(self._ends) if position < end)


def _conversation_ends(view: RecordingView) -> list[int]:
    ends, total = [], 0
    for conversation in view.recording.conversations:
        total += len(conversation.messages)
        ends.append(total)
    return ends


def _answer_one(feeder: Feeder, ask: Ask, limits: Sequence[Budget], label: str) -> Iterator[Outcome]:
    view, probe = feeder.view, ask.probe
    if probe.after is None:
        feeder.finish()
    else:
        feeder.feed(ask.horizon)
    query = Query(probe.question, probe.asked_at or _last_time(view, ask.horizon))
    ledger = feeder.services.ledger
    share = max(len(view.recording.probes), 1)
    written, paid = ledger.total("write") / share, ledger.dollars("write") / share
    ledger.path = "read"
    for budget in limits:
        before, spent = ledger.total("read"), ledger.dollars("read")
        context = feeder.memory.recall(query, budget)
        costs = Costs(written, ledger.total("read") - before, paid, ledger.dollars("read") - spent)
        yield outcome_of(view, ask, label, budget.tokens, context, costs)


def outcome_of(view: RecordingView, ask: Ask, label: str, tokens: int, context: Context, costs: Costs) -> Outcome:
    """Bind a context to its probe: real positions in place of the ids the strategy saw."""
    kept = kept_of(context, view.position_of_opaque)
    late = [p for p in kept.verbatim.keys() | kept.represented if p >= ask.horizon]
    if late:
        raise ValueError(f"{label} used message {min(late)}, which was not yet observed at {ask.horizon}")
    found = context.candidates
    if found is not None and bool((found.positions >= ask.horizon).any()):
        raise ValueError(f"{label} ranked message {max(found.positions)}, which was not yet observed at {ask.horizon}")
    ranking = tuple(found.ranking[:SHORTLIST].tolist()) if found is not None else ()
    return Outcome(view, ask.probe, view.gold(ask.probe), label, tokens, context, kept, ranking, costs)


def failed_outcome(view: RecordingView, probe: Probe, label: str, tokens: int, error: str) -> Outcome:
    """An outcome that says why there is no context."""
    nothing = Kept({}, (), frozenset())
    return Outcome(view, probe, view.gold(probe), label, tokens, None, nothing, error=error)


def _last_time(view: RecordingView, horizon: int) -> str | None:
    """When the last seen message was written: "now" is never the wall clock."""
    return view.messages[horizon - 1].timestamp if horizon else None
