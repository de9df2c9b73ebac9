"""``budgeted``: the budget in shares, each filled by an order of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from mnemo_lab.context import Query
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.truncation.by_score import ByScore, Scorer, check_shares, fill_newest
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.truncation.importance import Importance
from mnemo_lab.truncation.notes import Note
from mnemo_lab.truncation.similarity import SimilarityScorer, texts_to_embed

SHARES: Final = ("recent", "head", "similar", "important")
LEFTOVER: Final = ("similar", "important", "recent", "head")
ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Budgeted(ByScore):
    """Fill shares of the room (the budget less the system prompt and leading system messages), each by its own order.

    ``recent``: the newest units without a hole, the newest cut inside where it does not fit the share; ``head``: the
    first units without a hole; ``similar``: the units closest to the question, as ``similarity`` has them;
    ``important``: those worth most before any question is known, as ``importance`` has them. They are filled in this
    order, and a unit that one has taken costs the next nothing. What is left then, also where the shares do not add up
    to 1, is filled by ``similar``, ``important``, ``recent`` and ``head``, in that order, those with a share. What
    waits for an answer is kept in any case. ``note``: say at every gap how many messages were omitted, in English or
    Chinese.
    """

    name: ClassVar[str] = "budgeted"
    uses_query: ClassVar[bool] = True
    drop_code: ClassVar[str] = "left_out"
    head: float = 0.1
    recent: float = 0.4
    similar: float = 0.5
    important: float = 0.0
    note: Note = "off"

    def __post_init__(self) -> None:
        check_shares(self, *SHARES)
        shares = [getattr(self, name) for name in SHARES]
        written = ", ".join(f"{name}={value}" for name, value in zip(SHARES, shares, strict=True))
        if not any(shares):
            raise InvalidInput(f"budgeted({written}): every share is 0; give at least one of them more")
        if sum(shares) > 1 + ROUNDING:
            raise InvalidInput(f"budgeted({written}): the shares add up to {sum(shares):g}; at most 1 can be given")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"} if self.similar else ())

    def texts_to_embed(self, messages: Sequence[Message]) -> list[str]:
        """What the write path will embed, so that a replay can embed a recording in one batch."""
        return texts_to_embed(messages) if self.similar else []

    def open_scorer(self, services: Services) -> Scorers:
        found: dict[str, Scorer] = {}
        if self.similar:
            found["similar"] = SimilarityScorer(services)
        if self.important:
            found["important"] = Importance().open_scorer(services)
        return Scorers(found)

    def fill(self, choice: Choice, scorer: Scorers, query: Query) -> None:
        units = range(choice.head, len(choice.units))
        orders: dict[str, Callable[[], Iterator[int]]] = {
            "recent": lambda: iter(reversed(units)),
            "head": lambda: iter(units),
            "similar": lambda: scorer.order("similar", choice, query),
            "important": lambda: scorer.order("important", choice, query),
        }
        fill_newest(choice, self.recent)
        for name in SHARES[1:]:
            limit = int(choice.whole * getattr(self, name))
            if limit:
                choice.fill(orders[name](), limit, stop=name == "head")
        for name in LEFTOVER:
            if getattr(self, name):
                choice.fill(orders[name](), stop=name in ("recent", "head"))


class Scorers:
    """One scorer for every order that needs one."""

    def __init__(self, scorers: dict[str, Scorer]) -> None:
        self._scorers = scorers

    def add(self, history: History, first: int) -> None:
        for scorer in self._scorers.values():
            scorer.add(history, first)

    def order(self, name: str, choice: Choice, query: Query) -> Iterator[int]:
        return self._scorers[name].order(choice, query)
