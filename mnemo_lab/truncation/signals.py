"""What the history alone says about a message's worth: terms and flags by unit, from what is observed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.history import History
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.retrieval.passage_index import is_question
from mnemo_lab.services import Services
from mnemo_lab.text.decisions import decides
from mnemo_lab.text.key_terms import key_terms
from mnemo_lab.text.language import CJK
from mnemo_lab.text.names_zh import chinese_names
from mnemo_lab.text.words import words
from mnemo_lab.units import Unit

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray

MANY_FACTS: Final = 3
"""So many facts count as all there can be: beyond, a listing or a log would outweigh whatever a person says."""
BEGINNING: Final = 1000
"""Characters in which facts are looked for first; where there are enough of them, the rest is not read."""
_ASKS: Final = re.compile(rf"？|\?(?=[\s\"'”’)）\]」{CJK}]|$)|[吗呢]\s*(?:$|[。！!…\n])")
_OWN: Final = re.compile(r"(?<![\w'’])(?:i|me|my|mine|we|us|our|ours)(?![\w-])(?:['’](?:m|ve|d|ll|re))?|[我咱俺]", re.I)
_CODE: Final = "```"
_LONE: Final = re.compile(f"[{CJK}]$")


class Reading(NamedTuple):
    """What one message's text says: its terms, and how many facts it states; whether it decides, asks, ends in a
    question, speaks of its own author, holds code."""

    terms: tuple[str, ...]
    facts: int
    decides: bool
    asks: bool
    ends_asking: bool
    own: bool
    code: bool


def read(text: str) -> Reading:
    """Terms are distinct search words without single Chinese characters; facts are distinct numbers, identifiers
    and names, counted as far as ``MANY_FACTS``."""
    terms = tuple(dict.fromkeys(word for word in words(text) if not _LONE.match(word)))
    facts = _facts(text[:BEGINNING])
    if facts < MANY_FACTS:
        facts = _facts(text)
    asks, own = _ASKS.search(text) is not None, _OWN.search(text) is not None
    return Reading(terms, facts, decides(text), asks, is_question(Message("user", text)), own, _CODE in text)


def _facts(text: str) -> int:
    return len(key_terms(text) | chinese_names([text]))


def by_person(message: Message) -> bool:
    """Whether a person speaks: anyone but a tool and an assistant without a name. Where people talk to each other,
    one of them stands as the assistant, under a name."""
    return message.role not in ("assistant", "tool") or (message.role == "assistant" and bool(message.name))


@dataclass(frozen=True)
class UnitSignals:
    """One value per unit under ``flags`` (0 to 1); unit ``i`` has the term ids ``terms[starts[i] : starts[i + 1]]``,
    each once. ``frequency`` counts the units with a term, ``last`` is the last of them."""

    flags: dict[str, FloatArray]
    terms: IntArray
    starts: IntArray
    frequency: IntArray
    last: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def owner(self) -> IntArray:
        """The unit of every entry of ``terms``."""
        import numpy as np

        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def information(self) -> FloatArray:
        """ln(1 + N / df) of every entry of ``terms``: what it says beyond what is said all the time (nats)."""
        import numpy as np

        weights: FloatArray = np.log1p(len(self) / self.frequency[self.terms])
        return weights

    def comes_back(self) -> FloatArray:
        """1 for entries of ``terms`` that a later unit has too."""
        back: FloatArray = (self.last[self.terms] > self.owner).astype(float)
        return back


class Signals:
    """Readings of every observed message, grown as they come; each text is read once in a process."""

    def __init__(self, services: Services) -> None:
        self._known: dict[str, Reading] = services.memo("readings")
        self._ids: dict[str, int] = {}
        self._readings: list[Reading] = []
        self._terms: list[list[int]] = []
        self._answers: list[bool] = []
        self._built: UnitSignals | None = None

    def add(self, history: History, first: int) -> None:
        ids = self._ids
        for position in range(first, len(history)):
            reading = self._read(history.messages[position])
            self._readings.append(reading)
            self._terms.append([ids.setdefault(term, len(ids)) for term in reading.terms])
            self._answers.append(self._is_answer(history, position))
        self._built = None

    def by_unit(self, history: History) -> UnitSignals:
        """The signals of every unit observed so far."""
        if self._built is None:
            self._built = self._build(history)
        return self._built

    def _read(self, message: Message) -> Reading:
        text = message.text + "".join(f" {call.name} {call.arguments}" for call in message.tool_calls)
        if text not in self._known:
            self._known[text] = read(text)
        return self._known[text]

    def _is_answer(self, history: History, position: int) -> bool:
        """Whether another speaker's question stands right before it, in the same session."""
        if not position or not self._readings[position - 1].ends_asking:
            return False
        before, here = history.messages[position - 1 : position + 1]
        same_session = history.session_of[position - 1] == history.session_of[position]
        return same_session and speaker_of(before) != speaker_of(here)

    def _build(self, history: History) -> UnitSignals:
        import numpy as np

        units, size = history.units, len(history)
        rows = [self._terms_of(unit) for unit in units]
        starts = np.cumsum([0, *map(len, rows)])
        terms = np.fromiter(chain.from_iterable(rows), np.int64, int(starts[-1]))
        last = np.zeros(len(self._ids), dtype=np.int64)
        last[terms] = np.repeat(np.arange(len(units)), np.diff(starts))  # of equal places the last one stays
        flags = {
            "facts": self._column(units, lambda r: min(sum(one.facts for one in r), MANY_FACTS) / MANY_FACTS),
            "decision": self._column(units, lambda r: any(one.decides for one in r)),
            "question": self._column(units, lambda r: any(one.asks for one in r)),
            "own": self._column(units, lambda r: any(one.own for one in r)),
            "code": self._column(units, lambda r: any(one.code for one in r)),
            "answers": np.array([float(self._answers[unit.start]) for unit in units]),
            "role": np.array([float(by_person(history.messages[unit.start])) for unit in units]),
            "newness": np.array([unit.start / max(size - 1, 1) for unit in units]),
        }
        return UnitSignals(flags, terms, starts, np.bincount(terms, minlength=len(self._ids)), last)

    def _terms_of(self, unit: Unit) -> list[int]:
        if unit.stop - unit.start == 1:
            return self._terms[unit.start]
        return list(dict.fromkeys(chain.from_iterable(self._terms[unit.start : unit.stop])))

    def _column(self, units: list[Unit], worth: Callable[[list[Reading]], float]) -> FloatArray:
        import numpy as np

        return np.array([float(worth(self._readings[unit.start : unit.stop])) for unit in units])
