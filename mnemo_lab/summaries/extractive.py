"""A summary without a model: what the messages say themselves, chosen for what would be lost without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mnemo_lab.context import Source
from mnemo_lab.conversation import Message
from mnemo_lab.summaries.base import Summary, SummaryLine
from mnemo_lab.summaries.choosing import Choosing
from mnemo_lab.summaries.pieces import Piece, Speaker, Stretch, cut, lines_of, stretches_of
from mnemo_lab.summaries.weights import weights_of
from mnemo_lab.tokens.counter import TokenCounter

NAME: Final = "extractive"
_FILLERS: Final = 8
"""Pieces tried for the room that is left behind the last one that fits."""


class ExtractiveSummariser:
    """Deterministic, in both languages, offline. All it says are quotations: sentences, clauses, and where a clause
    is too dear, its identifiers and numbers alone."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    def fold(self, earlier: Summary | None, messages: Sequence[Message], max_tokens: int) -> Summary:
        """As ``Summariser.fold``: chosen anew from what ``earlier`` quotes and from ``messages``.

        Where nothing fits it has no lines. It may be longer than its source where ``max_tokens`` allows that.
        """
        lines, covered = (earlier.lines, earlier.covered) if earlier else ((), ())
        chosen = _choose(stretches_of(lines, messages), max_tokens, self._counter)
        return Summary(tuple(chosen), covered + tuple(message.id for message in messages), NAME)


def summarise_text(text: str, max_tokens: int, counter: TokenCounter) -> str:
    """The same choice from the lines of a bare text, in their order, in at most ``max_tokens`` tokens."""
    stretches = [Stretch(Speaker("", ""), line, sources=(Source(str(i)),)) for i, line in enumerate(text.splitlines())]
    return "\n".join(line.text for line in _choose(stretches, max_tokens, counter))


def _choose(stretches: Iterable[Stretch], max_tokens: int, counter: TokenCounter) -> list[SummaryLine]:
    count = _Counts(counter)
    pieces = cut(stretches, count)
    costs = [count(f"… {piece.text}") for piece in pieces]
    choosing = Choosing(pieces, weights_of(pieces, costs, max_tokens), costs)
    order: list[int] = []
    for i in choosing.order():
        order.append(i)
        if choosing.spent > 1.2 * max_tokens:  # neighbours that become one quotation save some
            break
    return _fitting(pieces, order, max_tokens, count)


def _fitting(pieces: Sequence[Piece], order: Sequence[int], max_tokens: int, count: _Counts) -> list[SummaryLine]:
    """The lines of as many of the first pieces as fit, and of some later ones that fill the room left."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high + 1) // 2
        if count.lines(_lines(pieces, order[:middle])) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    kept = list(order[:low])
    for i in order[low + 1 : low + 1 + _FILLERS]:
        if count.lines(_lines(pieces, [*kept, i])) <= max_tokens:
            kept.append(i)
    return _lines(pieces, kept)


def _lines(pieces: Sequence[Piece], chosen: Iterable[int]) -> list[SummaryLine]:
    taken = set(chosen)
    return lines_of(pieces[i] for i in sorted(taken) if pieces[i].inside not in taken)


class _Counts:
    """Tokens, each text counted once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._known: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._counter.count(text)
        return known

    def lines(self, lines: Iterable[SummaryLine]) -> int:
        """Tokens of lines with their ends: they start with no blank, so their tokens add up."""
        return sum(self(f"{line.text}\n") for line in lines)
