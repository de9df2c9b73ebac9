"""Reference rows: what gold knowledge could reach with the same packer. Not strategies: they see the gold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mnemo_lab.context import Budget, Candidates
from mnemo_lab.history import History
from mnemo_lab.packing.pack import pack_lines
from mnemo_lab.replay.loop import asks, outcome_of
from mnemo_lab.replay.outcome import Costs, Outcome
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services

ORACLE: Final = "oracle"


def replay_oracle(view: RecordingView, budgets: Sequence[int], services: Services) -> Iterator[Outcome]:
    """The evidence itself, cheapest message first, through the same transcript packer and frame."""
    import numpy as np

    history, seen = History(services), 0
    for ask in asks(view):
        if ask.horizon != seen:
            history, seen = _history_until(view, ask.horizon, services), ask.horizon
        gold = view.gold(ask.probe)
        order = sorted(gold.evidence, key=lambda p: (history.line(p).tokens, p))
        scores = np.arange(len(order), 0, -1, dtype=np.float64)
        candidates = Candidates(np.array(order, dtype=np.int64), {"gold": scores}, scores)
        for tokens in budgets:
            context = pack_lines(order, history, Budget(tokens, services.counter), services, candidates)
            yield outcome_of(view, ask, ORACLE, tokens, context, Costs())


def _history_until(view: RecordingView, horizon: int, services: Services) -> History:
    """The observed prefix."""
    history, start = History(services), 0
    for number, conversation in enumerate(view.recording.conversations):
        stop = min(start + len(conversation.messages), horizon)
        if start < stop:
            history.begin(view.shown_info(number))
            history.extend([view.shown(p) for p in range(start, stop)])
        start = stop
    return history
