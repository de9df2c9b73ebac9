"""Segments: a history cut into stretches of turns as messages arrive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.hydration.triggers.base import Fired, Trigger, Turns, TurnSeen
from mnemo_lab.services import Services

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

MARK: Final = "checkpoint"
"""Extension of a message by which a user asks for a checkpoint after its turn."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Message positions ``start`` to ``stop - 1``, closed because of ``fired``."""

    start: int
    stop: int
    fired: Fired


class Segmenter:
    """Turns of a history and the boundaries a trigger finds between them.

    Online: whether turn ``t`` opens a segment is decided when turn ``t + delay`` opens, and stays. The turn that
    switches opens the next segment. A conversation's end closes its last segment; open decisions are made then.
    ``vector_of`` gives a message's unit vector, where the trigger needs the embedder.
    """

    def __init__(
        self,
        trigger: Trigger,
        services: Services,
        delay: int = 0,
        vector_of: Callable[[int], Vectors] | None = None,
    ) -> None:
        if delay < 0:
            raise InvalidInput(f"delay={delay}: must be 0 turns or more")
        self._trigger, self._delay, self._vector_of = trigger, delay, vector_of
        self.turns = Turns(services)
        self.starts: list[int] = []
        self._decided = 0

    def observe(self, history: History, first: int, stop: int | None = None) -> list[Segment]:
        """Take in the messages from position ``first`` on (up to ``stop``); the segments that they close."""
        closed: list[Segment] = []
        for position in range(first, len(history) if stop is None else stop):
            if self._opens(history, position):
                self._open(history, position)
                closed += self._decide(len(self.turns) - 1 - self._delay)
            else:
                self._grow(history, position)
        return closed

    def end(self) -> list[Segment]:
        """The conversation is over: what was still to be decided, and its last segment."""
        if not self.starts or self.starts[-1] == len(self.turns):
            return []
        closed = self._decide(len(self.turns) - 1)
        closed.append(self._close(Fired(len(self.turns), "end", 1.0)))
        self._decided = len(self.turns)
        return closed

    def _opens(self, history: History, position: int) -> bool:
        role = history.messages[position].role
        return role == "user" or not self.turns or self.starts[-1] == len(self.turns)

    def _open(self, history: History, position: int) -> None:
        message, seconds = history.messages[position], history.times[position]
        if not self.starts:
            self.starts.append(0)
        vector = self._vector(position, 1)
        marked = bool(message.extensions.get(MARK))
        turn = TurnSeen(position, position + 1, message.text, message.text, vector, seconds, seconds, marked)
        self.turns.append(turn)

    def _grow(self, history: History, position: int) -> None:
        turn, message = self.turns[-1], history.messages[position]
        turn.stop, turn.text = position + 1, f"{turn.text}\n{message.text}"
        turn.ended = turn.ended if history.times[position] is None else history.times[position]
        turn.marked = turn.marked or bool(message.extensions.get(MARK))
        turn.vector = self._vector(turn.start, turn.stop - turn.start)

    def _vector(self, start: int, count: int) -> Vectors | None:
        """The unit mean of messages' vectors."""
        if self._vector_of is None or "embedder" not in self._trigger.needs:
            return None
        import numpy as np

        mean: Vectors = np.mean([self._vector_of(start + i) for i in range(count)], axis=0)
        unit: Vectors = mean / max(float(np.linalg.norm(mean)), 1e-9)
        return unit

    def _decide(self, last: int) -> list[Segment]:
        """Decide every turn up to ``last`` that is not decided yet."""
        closed = []
        for at in range(max(self._decided, 1), last + 1):
            score = self._trigger.fires(self.turns, at, self.starts)
            if score is not None and at > self.starts[-1]:
                closed.append(self._close(Fired(at, str(self._trigger), score)))
        self._decided = max(self._decided, last + 1)
        return closed

    def _close(self, fired: Fired) -> Segment:
        start = self.turns[self.starts[-1]].start
        stop = self.turns[fired.at].start if fired.at < len(self.turns) else self.turns[-1].stop
        self.starts.append(fired.at)
        return Segment(start, stop, fired)
