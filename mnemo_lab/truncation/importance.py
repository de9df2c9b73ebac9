"""``importance``: what is likely to be asked for, judged before any question is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, ClassVar, Final

from mnemo_lab.context import Query
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.truncation.by_score import ByScore, best_first, check_shares, fill_newest
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.truncation.notes import Note
from mnemo_lab.truncation.signals import Signals, UnitSignals

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray

FLAGS: Final = ("facts", "decision", "question", "answers", "own", "code", "role", "newness")
LARGEST: Final = 20
"""Of a weight and of ``length``: powers must stay numbers."""


@dataclass(frozen=True)
class Importance(ByScore):
    """Keep the units that are worth most for their tokens, whatever will be asked.

    A unit's worth is the information of its words (the sum of ln(1 + N / df) over its distinct terms, N units, df of
    them with the term), times e to the power of its weighted signals, divided by its tokens to the power of ``length``
    (0 or more): 0 takes the most informative units however long, 1 the most informative per token, more prefers short
    ones. A weight of 0 switches a signal off, a negative one counts against it.

    ``facts``: numbers, identifiers and names, three or more being 1. ``decision``: it says what was chosen, changed or
    rejected. ``question``: it asks something. ``answers``: it follows another speaker's question. ``own``: it speaks
    of its author (I, we, our). ``code``: it holds a fenced block. ``role``: a person speaks. ``newness``: its place,
    0 oldest, 1 newest. ``referred`` (-1 or more): so much more counts a term that a later unit takes up. ``novelty``
    (0 to 1): so much less counts a term for every unit already kept that has it.

    ``recent``: the share of the room for the newest units; there the newest is cut inside where it does not fit. What
    waits for an answer is kept in any case, cut only where the whole room does not hold it. ``note``: say at every gap
    how many messages were omitted, in English or Chinese. The weights were chosen on development recordings alone
    (``evals/tune_truncation.py``); what is 0 did not help there.
    """

    name: ClassVar[str] = "importance"
    length: float = 1.3
    facts: float = 0.75
    decision: float = 0.0
    question: float = -0.25
    answers: float = 0.25
    own: float = 0.25
    code: float = 0.0
    role: float = 0.5
    newness: float = 0.0
    referred: float = 0.0
    novelty: float = 0.0
    recent: float = 0.1
    note: Note = "off"

    def __post_init__(self) -> None:
        check_shares(self, "novelty", "recent")
        for name, least in {"length": 0, "referred": -1, **dict.fromkeys(FLAGS, -LARGEST)}.items():
            if not least <= getattr(self, name) <= LARGEST:
                raise InvalidInput(f"importance({name}={getattr(self, name)}): must be {least} to {LARGEST}")

    def open_scorer(self, services: Services) -> ImportanceScorer:
        return ImportanceScorer(self, Signals(services))

    def fill(self, choice: Choice, scorer: ImportanceScorer, query: Query) -> None:
        fill_newest(choice, self.recent)
        choice.fill(scorer.order(choice, query))


class ImportanceScorer:
    """Signals of one namespace, weighed when an order is asked for. ``query`` plays no part."""

    def __init__(self, weights: Importance, signals: Signals) -> None:
        self._weights, self._signals = weights, signals

    def add(self, history: History, first: int) -> None:
        self._signals.add(history, first)

    def order(self, choice: Choice, query: Query) -> Iterator[int]:
        signals = self._signals.by_unit(choice.history)
        worth = Worth(self._weights, signals, choice)
        return worth.fading_order() if self._weights.novelty else worth.order()


class Worth:
    """What every unit is worth beside what a choice already holds."""

    def __init__(self, weights: Importance, signals: UnitSignals, choice: Choice) -> None:
        import numpy as np

        self._fade, self._signals, self._choice = 1 - weights.novelty, signals, choice
        self._terms = signals.information() * (1 + weights.referred * signals.comes_back())
        power = sum(getattr(weights, name) * signals.flags[name] for name in FLAGS)
        cost = np.array([max(choice.cost(index), 1) for index in range(len(signals))], dtype=float)
        self._factor: FloatArray = np.exp(power) / cost**weights.length

    def all(self) -> FloatArray:
        """One value per unit while nothing is kept."""
        import numpy as np

        sums = np.bincount(self._signals.owner, weights=self._terms, minlength=len(self._signals))
        values: FloatArray = sums * self._factor
        return values

    def order(self) -> Iterator[int]:
        """From the highest to the lowest worth."""
        yield from best_first(self.all())

    def fading_order(self) -> Iterator[int]:
        """Greedy: the unit that is worth most beside those kept so far.

        Worth only falls while units are taken, so one that stays on top after it was weighed again is the best of all
        (lazy greedy, Minoux 1978).
        """
        import numpy as np

        kept = np.zeros(len(self._signals.frequency))
        for index in range(len(self._signals)):
            if index in self._choice:
                kept[self._terms_of(index)] += 1
        heap = [(-value, -index) for index, value in enumerate(self.all()) if index not in self._choice]
        heapify(heap)
        while heap:
            _, index = heappop(heap)
            now = (-self._beside(kept, -index), index)
            if heap and now > heap[0]:
                heappush(heap, now)
                continue
            yield -index
            if -index in self._choice:
                kept[self._terms_of(-index)] += 1

    def _terms_of(self, index: int) -> IntArray:
        start, stop = self._signals.starts[index : index + 2]
        found: IntArray = self._signals.terms[start:stop]
        return found

    def _beside(self, kept: FloatArray, index: int) -> float:
        start, stop = self._signals.starts[index : index + 2]
        fading = self._fade ** kept[self._signals.terms[start:stop]]
        return float((self._terms[start:stop] * fading).sum() * self._factor[index])
