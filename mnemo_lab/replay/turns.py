"""Turns: a recording walked as a chat application does it, one request per user message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from mnemo_lab.context import Budget, Context, Piece, Query
from mnemo_lab.conversation import Message
from mnemo_lab.cut_report import cached_prefix
from mnemo_lab.ledger import Ledger
from mnemo_lab.packing.pack import protected_tokens
from mnemo_lab.replay.loop import Feeder
from mnemo_lab.replay.view import RecordingView
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy


class Turn(NamedTuple):
    """One request: the context and the user's message. ``cached`` of the ``sent`` tokens are the unchanged beginning
    of the request before. The rest is what models read, wrote and were paid on either path from the start until this
    request; dollars are NaN where a model's price is not known."""

    sent: int
    cached: int
    write_tokens: int = 0
    read_tokens: int = 0
    write_dollars: float = 0.0
    read_dollars: float = 0.0

    @property
    def fresh(self) -> int:
        return self.sent - self.cached


def walk(view: RecordingView, strategy: Strategy, budget: Budget, services: Services) -> Iterator[Turn]:
    """Every user message with the strategy's context for it; what came before has been observed, nothing later has.

    Requests that continue a step (an assistant that waits for its tools) are not made. What is written after the
    last request is on no turn's bill. Raises whatever the strategy raises.
    """
    services.ledger = ledger = Ledger()
    feeder = Feeder(view, strategy.start(services, view.namespace, budget if strategy.budget_bound else None), services)
    before: Context | None = None
    for position in asked_at(view):
        feeder.reach(position)
        message = view.shown(position)
        ledger.path = "read"
        context = feeder.memory.recall(Query(message.text, message.timestamp, message.name), budget)
        request = _request(context, message, services)
        cached = cached_prefix(before, request) if before else 0
        sent = context.tokens + services.message_tokens(message)
        yield Turn(sent, cached, *map(ledger.total, ("write", "read")), *map(ledger.dollars, ("write", "read")))
        before = request
    feeder.finish()
    feeder.memory.close()


def walk_full(view: RecordingView, services: Services) -> Iterator[Turn]:
    """What ``walk`` gives for ``full``, from running sums: every request begins with the whole one before."""
    asked, history, before, prompt_before = set(asked_at(view)), 0, 0, None
    position = 0
    for conversation in view.recording.conversations:
        prompt = conversation.system_prompt or None
        for message in conversation.messages:
            history += services.message_tokens(message)
            if position in asked:
                sent = protected_tokens(prompt, services) + history
                yield Turn(sent, before if prompt == prompt_before else 0)
                before, prompt_before = sent, prompt
            position += 1


def asked_at(view: RecordingView) -> list[int]:
    """Positions of the messages that a user sent."""
    return [position for position, message in enumerate(view.messages) if message.role == "user"]


def _request(context: Context, message: Message, services: Services) -> Context:
    """The context with the user's message at its end, where that may begin the next request: a message in a list.
    Behind a transcript's quoted block it never stands in the same place again."""
    if context.rendering == "transcript":
        return context
    asked = Piece(message.text, services.message_tokens(message), (), message)
    return replace(context, pieces=(*context.pieces, asked), tokens=context.tokens + asked.tokens)
