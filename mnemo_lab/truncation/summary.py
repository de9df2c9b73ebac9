"""``summary``: the newest messages as they are, and a rolling summary of every one before them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from mnemo_lab.context import Budget, Context, Piece, Query
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.packing.pack import protected_tokens
from mnemo_lab.services import Services
from mnemo_lab.strategy import Strategy, WorkingMemory
from mnemo_lab.summaries.base import Summary
from mnemo_lab.summaries.folding import Writer, from_row, to_row
from mnemo_lab.truncation.choice import Choice, leading_systems
from mnemo_lab.truncation.notes import Note, note_cost, note_piece
from mnemo_lab.truncation.summarising import SummarisingMemory, newest_sendable, read_state
from mnemo_lab.truncation.summary_block import block, fitted_block, with_newest

LEAST_SUMMARY: Final = 16
"""Tokens below which no summary is written."""


@dataclass(frozen=True)
class RollingSummary(Strategy):
    """When the history outgrows the budget, fold its oldest units into a summary; send that and the rest.

    ``writer``: ``extractive`` takes sentences of the messages themselves; ``model`` asks the language model.
    ``share`` (0 to 1) of the room is the summary's. ``keep_user`` (0 to 1) of the room is for the newest user messages
    of what was folded: they stand word for word beside the summary, and take what it leaves free. ``high_water``,
    ``low_water`` (0 to 1): folding begins when more than the high share of the room is taken, and goes on until at
    most the low share is; between two folds the beginning of the prompt stays the same, so that a vendor's prompt
    cache can be used. ``note``: say how many messages were dropped without a summary, where none could be written.
    The shares are chosen on development recordings.
    """

    name: ClassVar[str] = "summary"
    budget_bound: ClassVar[bool] = True
    uses_query: ClassVar[bool] = False
    writer: Writer = "extractive"
    share: float = 0.6
    keep_user: float = 0.2
    high_water: float = 1.0
    low_water: float = 0.9
    note: Note = "off"

    def __post_init__(self) -> None:
        if not (self.share > 0 and self.keep_user >= 0 and self.share + self.keep_user < 1):
            raise InvalidInput(
                f"summary(share={self.share}, keep_user={self.keep_user}): shares of the room, which together leave "
                "some of it: share more than 0, keep_user 0 or more, their sum below 1"
            )
        if not 0 < self.low_water <= self.high_water <= 1:
            raise InvalidInput(
                f"summary(high_water={self.high_water}, low_water={self.low_water}): shares of the room from 0 to 1, "
                "the low mark not above the high one"
            )

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"language_model"} if self.writer == "model" else ())

    def start(self, services: Services, namespace: str, budget: Budget | None = None) -> WorkingMemory:
        if budget is None:
            raise InvalidInput("summary folds by the budget it is read at; start it with a budget")
        return RollingMemory(self, services, budget, History(services))

    def restore(self, folder: Path, services: Services) -> WorkingMemory:
        state = read_state(folder)
        budget = Budget(state["budget"], services.counter)
        memory = RollingMemory(self, services, budget, History.restore(folder, services))
        memory.load(state)
        return memory


class RollingMemory(SummarisingMemory):
    """A history of which everything before ``first`` is folded (or, where no summary could be written, dropped)."""

    def __init__(self, settings: RollingSummary, services: Services, budget: Budget, history: History) -> None:
        super().__init__(services, settings.writer, history)
        self._settings, self._budget = settings, budget
        self.summary: Summary | None = None
        self.first = 0
        self.dropped = 0
        self._front_of: tuple[int, int, Piece | None] = (0, 0, None)

    def recall(self, query: Query, budget: Budget) -> Context:
        room = self._room(budget)
        front, note = self._front(room), self._settings.note
        choice = self._choice(budget, front, note)
        if front and not _newest_in(choice):  # the newest unit is worth more than what is summarised
            front, choice = None, self._choice(budget, None, note)
        if not _newest_in(choice):  # and more than saying how much is missing
            note, choice = "off", self._choice(budget, None, "off")
        first_unit = self.history.unit_of[self.first] if self.first < len(self.history) else len(choice.units)
        choice.fill(range(len(choice.units) - 1, first_unit - 1, -1), stop=True)
        lost = self.dropped if front else self.first - choice.head
        shown = [front] if front else []
        if lost and room >= 0 and note != "off":
            shown.insert(0, note_piece(lost, note, self._services))
        return self._context(choice, shown, lost, budget)

    def _state(self) -> dict[str, Any]:
        summary = to_row(self.summary) if self.summary else None
        return {"budget": self._budget.tokens, "first": self.first, "dropped": self.dropped, "summary": summary}

    def _load(self, state: dict[str, Any]) -> None:
        self.first, self.dropped = state["first"], state["dropped"]
        self.summary = from_row(state["summary"]) if state["summary"] else None

    def _settle(self) -> None:
        """Fold the oldest units once more than the high mark is held, down to the low one; the newest always stays."""
        history, mark = self.history, self._settings.high_water
        room, last = self._room(self._budget), newest_sendable(history.units)
        self.first = max(self.first, leading_systems(history))
        while last is not None and self.first < history.units[last].start and self._held(room) > room * mark:
            self._fold_up_to(self._cut(last, room), room)
            mark = self._settings.low_water

    def _held(self, room: int) -> int:
        front, sums = self._front(room), self.history.chat_sums
        return sums[-1] - sums[self.first] + (front.tokens if front else 0)

    def _cut(self, last: int, room: int) -> int:
        """The position up to which to fold, if the summary stays as long as it is (the first: becomes all it may)."""
        units, sums, front = self.history.units, self.history.chat_sums, self._front(room)
        expected = self._front_limit(room) if self._allowed(room) >= LEAST_SUMMARY else 0
        tail = room * self._settings.low_water - (front.tokens if front else expected)
        cut = self.history.unit_of[self.first] + 1
        while cut < last and sums[-1] - sums[units[cut].start] > tail:
            cut += 1
        return units[cut].start

    def _fold_up_to(self, stop: int, room: int) -> None:
        messages, made = self.history.messages[self.first : stop], None
        if self._allowed(room) >= LEAST_SUMMARY:
            made = self._fold(self.summary, messages, self._allowed(room))
        self.dropped += 0 if made else len(messages)
        self.summary = made or self.summary
        self.first = stop

    def _allowed(self, room: int) -> int:
        """Tokens of the summary's text."""
        return int(room * self._settings.share) - block((), (), self._services).tokens

    def _front_limit(self, room: int) -> int:
        return int(room * (self._settings.share + self._settings.keep_user))

    def _room(self, budget: Budget) -> int:
        """Tokens beside the system prompt, leading system messages and a note."""
        head = self.history.chat_sums[leading_systems(self.history)]
        note = note_cost(self._settings.note, self._services)
        return budget.tokens - protected_tokens(self.history.system_prompt, self._services) - head - note

    def _front(self, room: int) -> Piece | None:
        """The summary with the newest user messages, as it is sent; the same until the next fold."""
        if self.summary is None:
            return None
        if self._front_of[:2] != (self.first, room):
            self._front_of = (self.first, room, self._written(self.summary, room))
        return self._front_of[2]

    def _written(self, summary: Summary, room: int) -> Piece | None:
        limit, lines = self._front_limit(room), summary.lines
        if self._settings.keep_user:
            place, messages = self.history.position_of, self.history.messages
            users = [m for m in (messages[place[i]] for i in summary.covered) if m.role == "user" and m.text]
            spare = limit - block((), summary.covered, self._services).tokens
            lines = tuple(with_newest(lines, users, spare, place, self._services))
        return fitted_block(lines, summary.covered, limit, self._services)

    def _choice(self, budget: Budget, front: Piece | None, note: Note) -> Choice:
        spent = note_cost(note, self._services) + (front.tokens if front else 0)
        return Choice(self.history, replace(budget, tokens=budget.tokens - spent), self._services)


def _newest_in(choice: Choice) -> bool:
    """Whether the newest unit is taken, or cannot be."""
    newest = newest_sendable(choice.units)
    return newest is None or newest in choice
