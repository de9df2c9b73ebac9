"""Whether a context could be sent as it is: what our validator finds in it, and emptiness that need not be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import nan
from typing import Final

from mnemo_lab.conversation import Message
from mnemo_lab.losses import Loss
from mnemo_lab.replay.outcome import Outcome
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.units import parse_units, validate_messages

QUESTION: Final = Message("user", "?")


def violations(outcome: Outcome) -> float:
    """Errors of the message list that is sent (orphaned results, unanswered calls, …) which the observed list did not
    have itself. NaN for a transcript: it is one quoted block, which no pairing rule binds."""
    context = outcome.context
    if context is None or context.rendering != "chat":
        return nan
    found = _errors(context.messages())
    return float(len(found - _own(outcome.view, outcome.gold.horizon))) if found else 0.0


def silent_empty(outcome: Outcome) -> float:
    """1 where nothing of what was observed is sent though the newest unit would fit beside the system prompt, else 0.

    Orphaned tool results are no units anybody may send. NaN where there is no context.
    """
    context = outcome.context
    if context is None:
        return nan
    if any(piece.sources for piece in context.pieces):
        return 0.0
    unit = _newest_unit(outcome.view.messages[: outcome.gold.horizon])
    if not unit:
        return 0.0
    head = [Message("system", context.system_prompt)] if context.system_prompt else []
    needed = sum(map(outcome.view.services.message_tokens, [*head, *unit]))
    return float(needed <= context.budget.tokens)


def _errors(messages: Iterable[Message]) -> frozenset[Loss]:
    """By message and call, wherever they stand. A question follows: a call still open at the end is unanswered."""
    found = validate_messages([*messages, QUESTION])
    return frozenset(replace(item, pointer=None) for item in found if item.severity == "error")


@lru_cache(maxsize=1)
def _own(view: RecordingView, horizon: int) -> frozenset[Loss]:
    """The errors the observed list has itself; asked for only where a context has any."""
    return _errors(view.shown(position) for position in range(horizon))


def _newest_unit(messages: Sequence[Message]) -> Sequence[Message]:
    units = (unit for unit in reversed(parse_units(messages)) if unit.kind != "orphan")
    return next((messages[unit.start : unit.stop] for unit in units), ())
