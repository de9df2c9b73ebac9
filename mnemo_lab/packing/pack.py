"""Fill a budget: from an order of positions to a context, or from ready pieces to a context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mnemo_lab.context import CLOSE_QUOTE, OPEN_QUOTE, Budget, Candidates, Context, Piece, Rendering
from mnemo_lab.conversation import Message
from mnemo_lab.errors import BudgetTooSmall
from mnemo_lab.history import History
from mnemo_lab.losses import Loss, loss
from mnemo_lab.services import Services
from mnemo_lab.tokens.images import uncounted

MIN_LINE: Final = 2
"""No transcript line is shorter (a colon and the newline are two tokens): with less room left, filling can stop."""


def protected_tokens(system_prompt: str | None, services: Services) -> int:
    """Tokens of what is always sent: the system prompt."""
    return services.message_tokens(Message("system", system_prompt)) if system_prompt else 0


def frame_tokens(services: Services) -> int:
    """Tokens of the empty quoted block that transcript lines are sent in."""
    return services.message_tokens(Message("user", f"{OPEN_QUOTE}{CLOSE_QUOTE}"))


def pack_lines(
    order: Iterable[int],
    history: History,
    budget: Budget,
    services: Services,
    candidates: Candidates | None = None,
    stop_at_first: bool = False,
) -> Context:
    """Take positions in the given order while their lines fit; show them oldest first.

    A line that does not fit is skipped (``stop_at_first``: ends the filling). Positions may repeat.
    """
    room = budget.tokens - protected_tokens(history.system_prompt, services) - frame_tokens(services)
    taken: set[int] = set()
    for position in order:
        if room < MIN_LINE:
            break
        if position in taken:
            continue
        cost = history.line(position).tokens
        if cost <= room:
            taken.add(position)
            room -= cost
        elif stop_at_first:
            break
    pieces = [history.line(position) for position in sorted(taken)]
    return close_context(pieces, "transcript", history.system_prompt, budget, services, candidates=candidates)


def close_context(
    pieces: Sequence[Piece],
    rendering: Rendering,
    system_prompt: str | None,
    budget: Budget,
    services: Services,
    candidates: Candidates | None = None,
    losses: Sequence[Loss] = (),
) -> Context:
    """Add up what pieces cost once rendered and flag (or, if asked, refuse) what does not fit."""
    tokens = protected_tokens(system_prompt, services) + sum(piece.tokens for piece in pieces)
    if rendering == "transcript" and pieces:
        tokens += frame_tokens(services)
    if tokens > budget.tokens:
        if budget.on_overflow == "error":
            raise BudgetTooSmall(
                f"what must be kept takes {tokens} tokens, over the budget of {budget.tokens}; "
                "raise the budget or choose a strategy that protects less"
            )
        losses = [*losses, loss("over_budget", tokens=tokens, budget=budget.tokens)]
    sent = (piece.message for piece in pieces if piece.message is not None and piece.message.attachments)
    losses = [*losses, *(_elision(piece) for piece in pieces if piece.elided), *uncounted(sent, budget.counter.vendor)]
    return Context(tuple(pieces), rendering, tokens, budget, system_prompt, candidates, tuple(losses))


def _elision(piece: Piece) -> Loss:
    dropped, total = piece.elided or (0, 0)
    if not piece.sources[0].spans:
        return loss("cleared", message_id=piece.sources[0].message_id, total=total)
    return loss("elided", message_id=piece.sources[0].message_id, dropped=dropped, total=total)
