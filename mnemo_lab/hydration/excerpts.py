"""Excerpts: of a long message, the sentences that the question is about."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from mnemo_lab.context import Piece, Source
from mnemo_lab.conversation import Message
from mnemo_lab.history import History
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.services import Services
from mnemo_lab.text.sentences import sentences
from mnemo_lab.text.words import words

GAP: Final = " … "
Span = tuple[int, int]


class Excerpts:
    """Of messages of more than ``most`` tokens, the sentences that share most with the question, in their order.

    A sentence is worth the idf of the question's words in it, over the message's sentences: a word that stands in all
    of them is worth nothing, and a single Chinese character counts only where no longer word is shared. The line keeps
    to ``most`` tokens, except that the best sentence (the first, where nothing is shared) always stands in it. A piece
    says which characters stand in it and how many tokens were left out.
    """

    def __init__(self, question: str, most: int, history: History, services: Services) -> None:
        wanted = set(words(question))
        self._wanted = ({word for word in wanted if len(word) > 1 or word.isascii()}, wanted)
        self._most = most
        self.least = most // 2
        """Tokens of room below which no excerpt is worth making."""
        self._history, self._services = history, services

    def of(self, position: int, piece: Piece) -> Piece:
        """The piece itself where it is short enough."""
        message = self._history.messages[position]
        if piece.tokens <= self._most or message.tool_calls:
            return piece
        places = list(sentences(message.text))
        kept: list[int] = []
        line, tokens = "", piece.tokens
        for at in self._wanted_first(message.text, places):
            longer = _line(message, _joined(places, sorted([*kept, at]), message.text))
            cost = self._services.counter.count(longer)  # not remembered: most of these lines are never sent
            if not kept or cost <= self._most:
                kept, line, tokens = sorted([*kept, at]), longer, cost
        if not kept or tokens >= piece.tokens:
            return piece
        spans = _joined(places, kept, message.text)
        return Piece(line, tokens, (Source(message.id, spans),), elided=(piece.tokens - tokens, piece.tokens))

    def _wanted_first(self, text: str, places: Sequence[Span]) -> list[int]:
        """Sentences worth anything from the best on, the first of all where none is."""
        said = [set(words(text[start:stop])) for start, stop in places]
        for wanted in self._wanted:
            terms = [found & wanted for found in said]
            df = Counter(term for found in terms for term in found)
            worth = [sum(math.log(len(places) / df[term]) for term in sorted(found)) for found in terms]
            if any(worth):
                return [i for i in sorted(range(len(places)), key=lambda i: (-worth[i], i)) if worth[i] > 0]
        return [0] if places else []


def _line(message: Message, spans: Sequence[Span]) -> str:
    text = GAP.join(message.text[start:stop] for start, stop in spans)
    head = "" if not message.text[: spans[0][0]].strip() else "… "
    tail = "" if not message.text[spans[-1][1] :].strip() else " …"
    return f"{speaker_of(message)}: {head}{text}{tail}\n"


def _joined(places: Sequence[Span], kept: Sequence[int], text: str) -> tuple[Span, ...]:
    """Spans of the sentences kept; those with nothing but white space between them are one."""
    found: list[Span] = []
    for start, stop in (places[at] for at in kept):
        if found and not re.search(r"\S", text[found[-1][1] : start]):
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return tuple(found)
