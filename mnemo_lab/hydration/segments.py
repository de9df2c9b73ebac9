"""Segments: a history cut into stretches of turns as messages arrive."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.hydration.triggers.base import Fired, Trigger, Turns, TurnSeen, unit
from mnemo_lab.services import Services
from mnemo_lab.text.language import CJK

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors

MARK: Final = "checkpoint"
"""Extension of a message by which a user asks for a checkpoint after its turn: ``true``."""
END: Final = "end"
"""What closes the last segment of a conversation."""
_WORD: Final = re.compile(rf"[^\W{CJK}]+")
_WIDE: Final = re.compile(f"[{CJK}]")


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
    What precedes its first user message (a system prompt, a greeting) is never a segment of its own.
    ``vector_of`` gives a message's unit vector by position. Raises ``InvalidInput`` where the trigger needs vectors
    and there are none.
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
        self._trigger, self._delay = trigger, delay
        self._vector_of = vector_of if "embedder" in trigger.needs else None
        if "embedder" in trigger.needs and vector_of is None:
            raise InvalidInput(f"the trigger {trigger} compares vectors of messages, and none are made; embed them")
        self.turns = Turns(services)
        self.starts: list[int] = []
        self._decided = 0
        self._judged_from = 1
        self._sum: Vectors | None = None

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
        if self.turns.first == len(self.turns):
            return []
        closed = self._decide(len(self.turns) - 1)
        closed.append(self._close(Fired(len(self.turns), END, 1.0)))
        self.turns.first = len(self.turns)
        return closed

    def _opens(self, history: History, position: int) -> bool:
        return history.messages[position].role == "user" or self.turns.first == len(self.turns)

    def _open(self, history: History, position: int) -> None:
        message, seconds = history.messages[position], history.times[position]
        if not self.starts:
            self.starts.append(0)
        if self.turns.first == len(self.turns):
            self._judged_from = self.turns.first + (1 if message.role == "user" else 2)
        vector = self._sum = self._vector_of(position) if self._vector_of else None
        self.turns.append(
            TurnSeen(
                start=position,
                stop=position + 1,
                opening=message.text,
                speaker=message.name or message.role,
                words=words_in(message.text),
                texts=[message.text],
                vector=vector,
                opening_vector=vector,
                began=seconds,
                ended=seconds,
                marked=message.extensions.get(MARK) is True,
            )
        )

    def _grow(self, history: History, position: int) -> None:
        turn, message, seconds = self.turns[-1], history.messages[position], history.times[position]
        turn.stop = position + 1
        turn.texts.append(message.text)
        turn.began = seconds if turn.began is None else turn.began
        turn.ended = turn.ended if seconds is None else seconds
        turn.marked = turn.marked or message.extensions.get(MARK) is True
        if self._vector_of and self._sum is not None:
            self._sum = self._sum + self._vector_of(position)
            turn.vector = unit(self._sum)

    def _decide(self, last: int) -> list[Segment]:
        """Decide every turn up to ``last`` that is not decided yet; where a conversation begins no trigger is asked."""
        closed = []
        for at in range(max(self._decided, self._judged_from), last + 1):
            score = self._trigger.fires(self.turns, at, self.starts)
            if score is not None:
                cause = self._trigger.cause(self.turns, at, self.starts)
                closed.append(self._close(Fired(at, str(cause), score)))
        self._decided = max(self._decided, last + 1)
        return closed

    def _close(self, fired: Fired) -> Segment:
        start = self.turns[self.starts[-1]].start
        stop = self.turns[fired.at].start if fired.at < len(self.turns) else self.turns[-1].stop
        self.starts.append(fired.at)
        return Segment(start, stop, fired)


def words_in(text: str) -> float:
    """About how many words; a Chinese character counts as half of one."""
    return len(_WORD.findall(text)) + len(_WIDE.findall(text)) / 2
