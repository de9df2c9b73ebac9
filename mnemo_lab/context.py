"""Query, Budget, Source, Candidates, Context: what goes into a recall and what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.losses import Loss
from mnemo_lab.tokens.counter import TokenCounter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.int64]

Via = Literal["verbatim", "summary", "checkpoint", "memory"]
Rendering = Literal["chat", "transcript"]
OPEN_QUOTE: Final = "<history>\n"
CLOSE_QUOTE: Final = "</history>"


@dataclass(frozen=True, slots=True)
class Query:
    """A question: its text, when it is asked (ISO 8601; "now" for everything that asks the time) and by whom."""

    text: str
    asked_at: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens the rendered history may take, and the counter that counts them.

    System prompt, quote marks, notes and separators count; the question and the reader's instruction do not.
    ``on_overflow`` says what happens where the protected part alone does not fit.
    """

    tokens: int
    counter: TokenCounter
    on_overflow: Literal["flag", "error"] = "flag"


class Source(NamedTuple):
    """Where a piece comes from: verbatim character spans of a message's content; none = only represented."""

    message_id: str
    spans: tuple[tuple[int, int], ...] = ()
    via: Via = "verbatim"


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of a context, in rendered order.

    ``text`` ends in a newline in ``transcript`` rendering; ``message`` is what is sent in ``chat`` rendering.
    """

    text: str
    tokens: int
    sources: tuple[Source, ...] = ()
    message: Message | None = None
    elided: tuple[int, int] | None = None
    """Tokens cut inside the message and its tokens before, where it was cut."""


@dataclass(frozen=True)
class Candidates:
    """Positions and one score column per signal for one query, before fusion and packing.

    Higher is closer, always. ``scores[signal]`` has one value per position (NaN where a signal does not know
    it). ``moments[signal]`` is mean and standard deviation over *all* observed messages, so that z-scores can
    be taken again from a stored shortlist. ``fused`` is the strategy's own final score.
    """

    positions: IntArray
    scores: Mapping[str, FloatArray]
    fused: FloatArray
    moments: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @cached_property
    def ranking(self) -> IntArray:
        """Positions from best to worst; ties go to the earlier message."""
        import numpy as np

        return self.positions[np.lexsort((self.positions, -self.fused))]


@dataclass(frozen=True, slots=True)
class Context:
    """What would be sent. ``tokens`` is what the rendered history takes under ``budget.counter``."""

    pieces: tuple[Piece, ...]
    rendering: Rendering
    tokens: int
    budget: Budget
    system_prompt: str | None = None
    candidates: Candidates | None = None
    losses: tuple[Loss, ...] = ()
    drop_code: str = "left_out"
    """The loss code that says why other messages are not in it."""

    @property
    def over_budget(self) -> bool:
        """True where more than the budget is sent: flagged, never silent."""
        return self.tokens > self.budget.tokens

    @property
    def sources(self) -> Iterator[Source]:
        for piece in self.pieces:
            yield from piece.sources

    @property
    def text(self) -> str:
        """The history as one text, without the system prompt."""
        if self.rendering == "transcript":
            return quote("".join(piece.text for piece in self.pieces)) if self.pieces else ""
        return "\n".join(piece.text for piece in self.pieces)

    def messages(self) -> list[Message]:
        """The messages to send, without the question: native ones for chat, one quoted block for a transcript."""
        head = [Message("system", self.system_prompt)] if self.system_prompt else []
        if self.rendering == "transcript":
            return head + ([Message("user", self.text)] if self.pieces else [])
        return head + [piece.message for piece in self.pieces if piece.message is not None]

    def recount(self) -> int:
        """Tokens of the joined rendering, counted afresh."""
        return sum(self.budget.counter.message(message) for message in self.messages())

    def _repr_html_(self) -> str:
        flag = " <b style='color:#b00'>over budget</b>" if self.over_budget else ""
        head = f"<p>{self.tokens:,} of {self.budget.tokens:,} tokens, {len(self.pieces)} pieces{flag}</p>"
        return f"{head}<pre style='white-space:pre-wrap;max-height:24em;overflow:auto'>{escape(self.text)}</pre>"


def quote(lines: str) -> str:
    """Transcript lines as the one quoted block that is sent."""
    return f"{OPEN_QUOTE}{lines}{CLOSE_QUOTE}"
