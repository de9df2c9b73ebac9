"""Fit a conversation into a token budget by any strategy; what is kept are its own messages, in whole units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from mnemo_lab.context import Budget, Candidates, Context, Piece, Query
from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.cut_report import CutReport, cut_report
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.language_models.opening import chosen_cassette, chosen_language_model, open_language_model
from mnemo_lab.language_models.remote import Remote
from mnemo_lab.ledger import Ledger
from mnemo_lab.losses import Loss, loss
from mnemo_lab.packing.pack import close_context, protected_tokens
from mnemo_lab.services import Services, ServicesSpec
from mnemo_lab.strategy import Strategy
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.text.language import language_of
from mnemo_lab.tokens.counter import TokenCounter, counter_for_model, open_counter
from mnemo_lab.tokens.models import find_model, known_models
from mnemo_lab.units import parse_units

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Embedder
    from mnemo_lab.language_models.base import LanguageModel

DEFAULT_STRATEGY: Final = "recent()"
DEFAULT_ENCODING: Final = "o200k_base"
PLACE: Final = "/messages/"
CLOSING: Final = frozenset({"over_budget", "nothing_fits", "elided", "cleared", "image_tokens_unknown"})
"""Losses that closing a context finds by itself, and one that does not hold once a question follows."""


class Fitted(NamedTuple):
    """What fits, what was lost for it, its tokens, and the report of the context it is. ``names``: what the report
    calls each message that is kept; empty for what a strategy added."""

    conversation: Conversation
    losses: tuple[Loss, ...]
    tokens: int
    report: CutReport
    names: tuple[str, ...] = ()


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

    def check(self) -> None:
        """Raise where the language model cannot be opened that the strategy asks: it will fail for every conversation.
        With a cassette that is seen only where an answer is not in it."""
        if "language_model" not in self.strategy.needs:
            return
        model = open_language_model(chosen_language_model(), chosen_cassette())
        _ = model.fingerprint
        if isinstance(model, Remote):
            model.check()

    def fit(self, conversation: Conversation, ledger: Ledger | None = None) -> Fitted:
        """The conversation cut to the budget; the query is its last user message. ``ledger`` is charged and reported,
        with what already stands in it."""
        return _Fitting(self, conversation, ledger or Ledger()).run()

    def count(self, conversation: Conversation) -> int:
        """Tokens of a conversation as a request: its system prompt and messages."""
        head = [Message("system", conversation.system_prompt)] if conversation.system_prompt else []
        return sum(map(self.counter.message, (*head, *conversation.messages)))


def window_of(model: str | None) -> int:
    """The context window of a model; raises ``InvalidInput`` where it is not in the table."""
    card = find_model(model) if model else None
    if card is None:
        why = f"model {model!r} is not in the model table" if model else "no target model is named"
        raise InvalidInput(f"{why}, so give --max-tokens, or --target-model with one of {', '.join(known_models())}")
    return card.window


class _Fitting:
    """One conversation. Messages whose id is absent or stands twice are named by where they stand."""

    def __init__(self, fit: Fit, conversation: Conversation, ledger: Ledger) -> None:
        self.fit, self.whole = fit, conversation
        self.messages = conversation.messages
        language = language_of(message.text for message in self.messages[:50])
        spec = ServicesSpec(
            fit.counter.encoding, language_model=chosen_language_model(), cassette=chosen_cassette()
        ).for_language(language)
        self.services: Services = _Sharing(spec)
        self.services.ledger = ledger
        self.services.counter = fit.counter  # the same encoding, but images cost what the model's vendor says
        self.history = History(self.services)
        self.history.begin(conversation.info)
        self.history.extend(_named(self.messages))
        users = [index for index, message in enumerate(self.messages) if message.role == "user"]
        self.asked = users[-1] if users else len(self.messages)

    def run(self) -> Fitted:
        """A conversation that fits is cut only by a strategy that would drop more than to fit (``keep_last_n``)."""
        everything = [self.history.chat(position) for position in range(len(self.history))]
        whole = self._close(everything, self.whole.system_prompt)
        if not whole.over_budget and self.fit.strategy.uses_query:
            return self._fitted(whole)
        cut = self._cut(whole)
        fitted = self._fitted(cut)
        lost = {item.code for item in fitted.report.lost}
        drops = lost - {"orphan_left_out"} or cut.system_prompt != whole.system_prompt
        return fitted if whole.over_budget or drops else self._fitted(whole)

    def _fitted(self, context: Context) -> Fitted:
        report = cut_report(self.history, context, self.services.ledger)
        losses = [self._own_place(item) for item in context.losses]
        if report.lost and not any(item.code == "left_out_to_fit" for item in losses):
            count, total = len(report.lost), len(self.messages)
            losses.append(loss("left_out_to_fit", count=count, total=total, budget=self.fit.tokens))
        if self.whole.system_prompt and not context.system_prompt:
            losses.append(loss("system_dropped"))
        kept = tuple(self._own(piece.message) for piece in context.pieces if piece.message is not None)
        conversation = replace(self.whole, messages=kept, system_prompt=context.system_prompt)
        place = self.history.position_of
        names = tuple(p.message.id if p.message.id in place else "" for p in context.pieces if p.message is not None)
        return Fitted(conversation, tuple(losses), context.tokens, report, names)

    def _cut(self, whole: Context) -> Context:
        """What the strategy keeps. Where it goes by a question, that is the last user message: it stays, with all that
        follows it, and the strategy chooses among what came before, unless these alone do not fit."""
        stop, end = len(self.history), len(self.history)
        if self.fit.strategy.uses_query and self._room(range(self.asked, end)) >= 0:
            stop = self.asked
        tail = [self.history.chat(position) for position in range(stop, end)]
        found = self._recall(stop, self.fit.tokens - sum(piece.tokens for piece in tail))
        native = found.rendering == "chat"
        if native and not tail:
            return found
        if not whole.over_budget:
            return whole
        pieces = found.pieces if native else self._units(found, stop, self._room(range(stop, end)))
        prompt = found.system_prompt if native else self.whole.system_prompt
        kept = [item for item in found.losses if native and item.code not in CLOSING]
        return replace(self._close([*pieces, *tail], prompt, found.candidates, kept), drop_code=found.drop_code)

    def _recall(self, stop: int, tokens: int) -> Context:
        query, budget = Query(""), Budget(tokens, self.fit.counter)
        if self.asked < len(self.messages):
            question = self.messages[self.asked]
            query = Query(question.text, question.timestamp, question.name)
        memory = self.fit.strategy.start(self.services, "conversion", budget)
        try:
            memory.begin(self.whole.info)
            memory.observe(self.history.messages[:stop])
            return memory.recall(query, budget)
        finally:
            memory.close()

    def _units(self, found: Context, stop: int, room: int) -> list[Piece]:
        """Whole units in place of single lines: those ranked best, as many as fit, in time order. Leading system
        messages always stay; where the question does not fit with all that follows it, it stays alone, and the
        newest unit comes first."""
        units = parse_units(self.history.messages[:stop])
        unit_at = {position: index for index, unit in enumerate(units) for position in unit.positions}
        order = self._ranked(found, unit_at)
        kept = set(range(sum(1 for _ in takewhile(lambda unit: unit.kind == "system", units))))
        if self.asked < stop:
            kept.add(unit_at[self.asked])
            order.insert(0, len(units) - 1)
        room -= sum(self._cost(units[index].positions) for index in kept)
        for index in order:
            cost = self._cost(units[index].positions)
            if index not in kept and units[index].kind != "orphan" and cost <= room:
                kept.add(index)
                room -= cost
        return [self.history.chat(position) for index in sorted(kept) for position in units[index].positions]

    def _ranked(self, found: Context, unit_at: Mapping[int, int]) -> list[int]:
        """Units, the closest first; without scores those that the context draws on, the newest first."""
        if found.candidates is not None:
            return [unit_at[int(position)] for position in found.candidates.ranking]
        place = self.history.position_of
        return [unit_at[place[source.message_id]] for source in found.sources][::-1]

    def _cost(self, positions: Iterable[int]) -> int:
        return sum(self.history.chat(position).tokens for position in positions)

    def _room(self, positions: Iterable[int]) -> int:
        """Tokens that the system prompt and these messages leave."""
        return self.fit.tokens - protected_tokens(self.whole.system_prompt, self.services) - self._cost(positions)

    def _close(
        self,
        pieces: Sequence[Piece],
        prompt: str | None,
        candidates: Candidates | None = None,
        losses: Sequence[Loss] = (),
    ) -> Context:
        budget = Budget(self.fit.tokens, self.fit.counter)
        return close_context(pieces, "chat", prompt, budget, self.services, candidates, losses)

    def _own(self, message: Message) -> Message:
        """A message with its own id again; what a strategy added has none."""
        position = self.history.position_of.get(message.id)
        if position is None:
            return replace(message, id="")
        if message is self.history.messages[position]:
            return self.messages[position]
        return replace(message, id=self.messages[position].id)

    def _own_place(self, item: Loss) -> Loss:
        """A loss with the message's own id, or with its place where that is none."""
        position = self.history.position_of.get(item.message_id or "")
        if position is None:
            return item
        return replace(item, message_id=self.messages[position].id or None, pointer=f"/messages/{position}")


class _Sharing(Services):
    """Services of one conversation; the models are loaded once for all of them."""

    @cached_property
    def embedder(self) -> Embedder:
        return _opened(self.spec).embedder

    @cached_property
    def language_model(self) -> LanguageModel:
        return _opened(self.spec).language_model


@cache
def _opened(spec: ServicesSpec) -> Services:
    return spec.open()


def _named(messages: Sequence[Message]) -> list[Message]:
    """The messages with ids that tell them apart: their own, else ``/messages/7``."""
    counts = Counter(message.id for message in messages)
    return [
        message
        if message.id and counts[message.id] == 1 and not message.id.startswith(PLACE)
        else replace(message, id=f"{PLACE}{index}")
        for index, message in enumerate(messages)
    ]
