"""What a trigger is: it looks at the turns seen so far and says how sure it is that one of them opens a new segment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, ClassVar, TypeVar

if TYPE_CHECKING:
    from mnemo_lab.embeddings.base import Vectors
    from mnemo_lab.services import Services

T = TypeVar("T")


@dataclass(slots=True)
class TurnSeen:
    """One turn as triggers see it: message positions ``start`` to ``stop - 1``. It grows until the next one opens.

    ``opening`` is the text of its first message, the user's where there is one, ``speaker`` who says it and ``words``
    about how many; ``texts`` are those of all messages. ``vector`` (unit norm) is the mean of its messages' and
    ``opening_vector`` the first one's, where a trigger needs ``embedder``. ``began`` and ``ended`` are seconds of the
    first and the last message that has a time. ``marked``: the user asked for a checkpoint in it.
    """

    start: int
    stop: int
    opening: str
    speaker: str = ""
    words: float = 0.0
    texts: list[str] = field(default_factory=list)
    vector: Vectors | None = None
    opening_vector: Vectors | None = None
    began: float | None = None
    ended: float | None = None
    marked: bool = False


class Turns(list[TurnSeen]):
    """Turns seen so far, the last of them perhaps only opened, with values triggers worked out once per turn.

    ``first`` is the first turn of the conversation that is going on: what came before is another conversation.
    ``services`` are there for triggers that ask a language model; ``answers`` are what it said, so that a memory
    that saves them and puts them back need not ask again. ``seen`` are values by name in the order of turns, for
    triggers that learn what is usual.
    """

    def __init__(self, services: Services | None = None) -> None:
        super().__init__()
        self.services = services
        self.first = 0
        self.answers: dict[str, bool] = {}
        self.seen: dict[str, list[float]] = {}
        self._known: dict[tuple[str, int], object] = {}

    def once(self, name: str, at: int, make: Callable[[], T]) -> T:
        """A value of turn ``at`` as it was when first asked for: later turns change no earlier decision."""
        key = (name, at)
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Fired:
    """A boundary before turn ``at``: why, and how sure (0 to 1)."""

    at: int
    trigger: str
    score: float


class Trigger(ABC):
    """Frozen settings; prints as what you type. The same turns give the same answer: nothing is remembered.

    Detection is online: ``turns`` ends with the turn that has just opened, ``delay`` turns after ``at``.
    """

    name: ClassVar[str]

    @property
    def needs(self) -> frozenset[str]:
        """``embedder`` or ``language_model`` where it uses them."""
        return frozenset()

    @abstractmethod
    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        """How sure (0 to 1) that turn ``at`` opens a new segment, ``None`` where it does not. ``starts`` are the
        turns at which segments began so far, the current one last. Never asked of a conversation's first turn."""

    def cause(self, turns: Turns, at: int, starts: Sequence[int]) -> Trigger:
        """Of a trigger that fires at ``at``: which part of it does."""
        return self

    def __str__(self) -> str:
        settings = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))  # type: ignore[arg-type]
        return f"{self.name}({settings})"


def unit(vector: Vectors) -> Vectors:
    """The vector brought to length 1; a zero vector as it is."""
    import numpy as np

    scaled: Vectors = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return scaled
