"""Fit a conversation into a token budget by any strategy; what is kept are its own messages, in whole units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from mnemo_lab.context import Budget, Context, Piece, Query
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.losses import Loss, loss
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.text.language import language_of
from mnemo_lab.tokens.counter import TokenCounter, counter_for_model, open_counter
from mnemo_lab.tokens.models import find_model, known_models
from mnemo_lab.units import Unit, parse_units

DEFAULT_STRATEGY: Final = "recent()"
DEFAULT_ENCODING: Final = "o200k_base"


class Fitted(NamedTuple):
    """What fits, what was lost for it, and its tokens."""

    conversation: Conversation
    losses: tuple[Loss, ...]
    tokens: int


@dataclass(frozen=True)
class Fit:
    """A strategy at a budget; ``model`` says whose tokens are counted. Services are opened by ``fit``."""

    strategy: Strategy
    tokens: int
    counter: TokenCounter

    @classmethod
    def of(cls, strategy: str | None, tokens: int | None, model: str | None) -> Fit | None:
        """From what a user said; ``None`` where neither strategy nor budget was given.

        Without ``tokens`` the model's window is the budget. Raises ``InvalidInput`` where that is not known.
        """
        if strategy is None and tokens is None:
            return None
        if tokens is not None and tokens < 1:
            raise InvalidInput(f"max tokens {tokens} must be 1 or more")
        counter = counter_for_model(model) if model else open_counter(DEFAULT_ENCODING)
        room = window_of(model) if tokens is None else tokens
        return cls(parse_strategy(strategy or DEFAULT_STRATEGY), room, counter)

    def fit(self, conversation: Conversation) -> Fitted:
        """The conversation cut to the budget; the query is its last user message."""
        return _Fitting(self, conversation).run()


def window_of(model: str | None) -> int:
    """The context window of a model; raises ``InvalidInput`` where it is not in the table."""
    card = find_model(model) if model else None
    if card is None:
        why = f"model {model!r} is not in the model table" if model else "no target model is named"
        raise InvalidInput(f"{why}, so give --max-tokens, or --target-model with one of {', '.join(known_models())}")
    return card.window


class _Fitting:
    """One conversation; its messages get ids by position, because their own may be absent or stand twice."""

    def __init__(self, fit: Fit, conversation: Conversation) -> None:
        self.fit, self.whole = fit, conversation
        self.messages = conversation.messages
        self.named = tuple(replace(message, id=str(index)) for index, message in enumerate(self.messages))
        language = language_of(message.text for message in self.messages[:50])
        self.services: Services = ServicesSpec(counter=fit.counter.encoding).for_language(language).open()
        self.services.counter = fit.counter  # the same encoding, but images cost what the model's vendor says
        users = [index for index, message in enumerate(self.messages) if message.role == "user"]
        self.asked = users[-1] if users else len(self.messages)

    def run(self) -> Fitted:
        if self.cost(self.messages, self.whole.system_prompt) <= self.fit.tokens:
            return Fitted(self.whole, (), self.cost(self.messages, self.whole.system_prompt))
        if self.fit.strategy.uses_query:
            return self._retrieve()
        context = self._recall(self.named, self.fit.tokens)
        return self._close([self._native(piece) for piece in context.pieces], context)

    def cost(self, messages: Iterable[Message], prompt: str | None) -> int:
        head = [Message("system", prompt)] if prompt else []
        return sum(self.services.message_tokens(message) for message in (*head, *messages))

    def _recall(self, seen: Sequence[Message], tokens: int) -> Context:
        query = Query("")
        if self.asked < len(self.messages):
            question = self.messages[self.asked]
            query = Query(question.text, question.timestamp, question.name)
        memory = self.fit.strategy.start(self.services, "conversion", Budget(tokens, self.fit.counter))
        try:
            memory.begin(self.whole.info)
            memory.observe(seen)
            return memory.recall(query, Budget(tokens, self.fit.counter))
        finally:
            memory.close()

    def _native(self, piece: Piece) -> Message:
        verbatim = [source for source in piece.sources if source.via == "verbatim" and source.message_id.isdigit()]
        if len(verbatim) != 1 or piece.message is None:  # a summary and the like: a message of its own
            return replace(piece.message or Message("user", piece.text), id="")
        original = self.messages[int(verbatim[0].message_id)]
        return replace(original, content=piece.message.content) if piece.elided else original

    def _retrieve(self) -> Fitted:
        """The question and what follows it, then the best units before it, as many as fit."""
        tail = self.messages[self.asked :]
        prompt = self.whole.system_prompt
        room = self.fit.tokens - self.cost(tail, prompt)
        units = parse_units(self.messages[: self.asked])
        head = _leading_systems(units)
        room -= self.cost(self._of(head), None)
        context = self._recall(self.named[: self.asked], max(room, 0))
        kept = set(head)
        for unit in self._ranked(context, units):
            cost = self.cost(self._of([unit]), None)
            if unit not in kept and cost <= room:
                kept.add(unit)
                room -= cost
        chosen = [message for unit in units if unit in kept for message in self._of([unit])]
        return self._close([*chosen, *tail], None)

    def _of(self, units: Iterable[Unit]) -> list[Message]:
        return [self.messages[position] for unit in units for position in unit.positions]

    def _ranked(self, context: Context, units: Sequence[Unit]) -> list[Unit]:
        unit_at = {position: unit for unit in units for position in unit.positions}
        if context.candidates is not None:
            order = [int(position) for position in context.candidates.ranking]
        else:
            order = [int(source.message_id) for source in context.sources if source.message_id.isdigit()][::-1]
        return [unit_at[position] for position in order if position in unit_at]

    def _close(self, kept: Sequence[Message], context: Context | None) -> Fitted:
        prompt = self.whole.system_prompt if context is None else context.system_prompt
        tokens = self.cost(kept, prompt)
        losses = [self._renamed(item) for item in (context.losses if context else ())]
        count = len(self.messages) - len(kept)
        if count > 0:
            losses.append(loss("left_out_to_fit", count=count, total=len(self.messages), budget=self.fit.tokens))
        if self.whole.system_prompt and not prompt:
            losses.append(loss("system_dropped"))
        if tokens > self.fit.tokens and not any(item.code == "over_budget" for item in losses):
            losses.append(loss("over_budget", tokens=tokens, budget=self.fit.tokens))
        return Fitted(replace(self.whole, messages=tuple(kept), system_prompt=prompt), tuple(losses), tokens)

    def _renamed(self, item: Loss) -> Loss:
        """A loss with the message's own id instead of its position."""
        if item.message_id is None or not item.message_id.isdigit():
            return item
        return replace(item, message_id=self.messages[int(item.message_id)].id or None)


def _leading_systems(units: Sequence[Unit]) -> list[Unit]:
    head: list[Unit] = []
    for unit in units:
        if unit.kind != "system":
            break
        head.append(unit)
    return head
