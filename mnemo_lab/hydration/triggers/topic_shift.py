"""``topic_shift``: what is said before and after a point is unlike, more than it usually is in this conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p, sqrt
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns, TurnSeen, unit
from mnemo_lab.hydration.triggers.cue import BEGINS, says

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

FEWEST: Final = 8
"""Values seen before their mean and spread say anything. What is usual elsewhere counts for as many, and is forgotten
when four times as many were seen."""
SPAN: Final = 256
"""Values looked back on: what is usual may change."""
FLOORS: Final = {"drop": 0.004, "depth": 0.004, "length": 0.2, "speakers": 0.1}
"""The least spread: where all values are alike, a small difference is no surprise. Below what conversations have."""
USUAL: Final = {"all-MiniLM-L6-v2": (-0.22, -0.5), "multilingual-e5-small": (-0.907, -0.933)}
"""Two drops by embedder with a usual mean and spread (0.36 and 0.14, 0.92 and 0.013), so that the first turns of a
conversation are judged too. Neighbouring turns of development recordings have 0.31 and 0.17 (TIAGE), 0.48 and 0.15
(LoCoMo), 0.91 and 0.016 (Chinese). Of other embedders nothing is assumed."""
OUTLIER: Final = 3.0
"""Standard deviations beyond which a value counts as no further away, so that one shift does not hide the next."""
END: Final = 100
"""Characters at the end of a turn in which it asks something."""
_ASKS: Final = re.compile(r"[?？]|吗")


@dataclass(frozen=True)
class TopicShift(Trigger):
    """Fires where the surprise at a point is at least ``sigmas`` and at no point already seen after it greater.

    Surprise is counted in standard deviations of what was seen so far. Similarity of the ``window`` turns before and
    the ``ahead`` turns from the point on (cosine of mean vectors, longer turns count more) below its mean: as it is
    (``drop``), or as the depth of its valley (``depth``, as in TextTiling, Hearst 1997; it looks back over the
    ``window``, and ahead as far as the delay shows). To it are added, by weight,
    ``speakers``: others speak than before; ``length``: what follows is said at more length; and as plain steps
    ``question``: the turn asks, and less where it answers a question; ``cue``: it announces a topic.

    With a delay below ``ahead`` fewer turns are seen after the point: at 0 only the message that opens one.
    """

    name: ClassVar[str] = "topic_shift"
    window: int = 1
    ahead: int = 1
    sigmas: float = 1.5
    measure: Literal["drop", "depth"] = "drop"
    speakers: float = 0.0
    length: float = 0.75
    question: float = 1.75
    cue: float = 2.0

    def __post_init__(self) -> None:
        for field, least in (("window", 1), ("ahead", 1), ("speakers", 0), ("length", 0), ("question", 0), ("cue", 0)):
            if getattr(self, field) < least:
                raise InvalidInput(f"topic_shift({field}={getattr(self, field)}): must be {least} or more")
        if self.sigmas <= 0:
            raise InvalidInput(f"topic_shift(sigmas={self.sigmas}): must be more than 0 standard deviations")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"})

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        here = self._surprise(turns, at)
        rivals = range(at + 1, len(turns) - self.ahead + 1)
        if here < self.sigmas or any(self._surprise(turns, later) > here for later in rivals):
            return None
        return here / (here + self.sigmas)

    def _surprise(self, turns: Turns, at: int) -> float:
        """Of turn ``at``, worked out once, and for one turn after the other: ``seen`` holds those before."""
        return turns.once(self._key, at, lambda: self._added_up(turns, at))

    def _added_up(self, turns: Turns, at: int) -> float:
        before, after = turns[at - 1], turns[at]
        if self.measure == "depth":
            total = self._unusual(turns, "depth", self._depth(turns, at))
        else:
            total = self._unusual(turns, "drop", -self._similarity(turns, at))
        if self.speakers:
            total += self.speakers * self._unusual(turns, "speakers", self._other_speakers(turns, at))
        if self.length:
            total += self.length * self._unusual(turns, "length", self._length(turns, at))
        if self.question:
            total += self.question * (_asks(after.opening) - _asks(before.texts[-1][-END:]))
        return total + self.cue * says(BEGINS, after.opening)

    def _unusual(self, turns: Turns, what: str, value: float) -> float:
        """How many standard deviations above the mean of those before a value is; 0 where too few were seen."""
        series = turns.seen.setdefault(f"{self._key} {what}", [])
        seen = series[-SPAN:]
        if what == "drop" and turns.services and len(seen) < 4 * FEWEST:
            seen += USUAL.get(turns.services.spec.embedder.rsplit("/", 1)[-1], ()) * (FEWEST // 2)
        if len(seen) < FEWEST:
            series.append(value)
            return 0.0
        mean = fmean(seen)
        spread = max(sqrt(fmean((one - mean) ** 2 for one in seen)), FLOORS[what])
        surprise = (value - mean) / spread
        series.append(mean + spread * min(max(surprise, -OUTLIER), OUTLIER))
        return surprise

    @cached_property
    def _key(self) -> str:
        return str(self)

    def _similarity(self, turns: Turns, at: int) -> float:
        """Cosine of the mean vectors of the turns before and from ``at`` on."""

        def cosine() -> float:
            before, after = self._blocks(turns, at)
            return float(mean_vector(before) @ mean_vector(after))

        return turns.once(f"{self._key} similarity", at, cosine)

    def _depth(self, turns: Turns, at: int) -> float:
        """How far similarity climbs on both sides of ``at`` before it falls again."""
        here = self._similarity(turns, at)
        left = right = here
        for gap in range(at - 1, max(at - self.window, turns.first), -1):
            if self._similarity(turns, gap) < left:
                break
            left = self._similarity(turns, gap)
        for gap in range(at + 1, len(turns) - self.ahead + 1):
            if self._similarity(turns, gap) < right:
                break
            right = self._similarity(turns, gap)
        return (left - here) + (right - here)

    def _other_speakers(self, turns: Turns, at: int) -> float:
        """1 less the cosine of who said how much before and after."""
        before, after = (_shares(block) for block in self._blocks(turns, at))
        product = sum(share * after.get(who, 0.0) for who, share in before.items())
        return 1 - product / (_norm(before) * _norm(after))

    def _length(self, turns: Turns, at: int) -> float:
        return fmean(log1p(turn.words) for turn in self._blocks(turns, at)[1])

    def _blocks(self, turns: Turns, at: int) -> tuple[list[TurnSeen], list[TurnSeen]]:
        return turns[max(at - self.window, turns.first) : at], turns[at : at + self.ahead]


@dataclass(frozen=True)
class Drift(Trigger):
    """The turn is unlike the segment before the current one: cosine below ``threshold`` (the seed's 0.7). In the first
    segment it is compared with the turn that opened it."""

    name: ClassVar[str] = "drift"
    threshold: float = 0.7

    def __post_init__(self) -> None:
        if not -1 <= self.threshold <= 1:
            raise InvalidInput(f"drift(threshold={self.threshold}): a cosine is -1 to 1")

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"embedder"})

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        since = starts[-1]
        earlier = (
            turns[starts[-2] : since] if len(starts) > 1 and starts[-2] >= turns.first else turns[since : since + 1]
        )
        before = turns.once("drift before", since, lambda: mean_vector(earlier))
        cosine = float(before @ mean_vector(turns[at : at + 1]))
        return min(1 - cosine, 1.0) if cosine < self.threshold else None


def mean_vector(turns: Sequence[TurnSeen]) -> Vectors:
    """The unit mean of turns' vectors, by the square root of their openings' words: "Yes." says little of a topic."""
    import numpy as np

    weights = np.sqrt([1 + turn.words for turn in turns])
    mean: Vectors = weights @ np.stack([turn.vector for turn in turns if turn.vector is not None])
    return unit(mean)


def _asks(text: str) -> bool:
    return _ASKS.search(text) is not None


def _shares(turns: Sequence[TurnSeen]) -> dict[str, float]:
    said: dict[str, float] = {}
    for turn in turns:
        said[turn.speaker] = said.get(turn.speaker, 0.0) + sqrt(1 + turn.words)
    return said


def _norm(shares: dict[str, float]) -> float:
    return sqrt(sum(share**2 for share in shares.values()))
