"""Excerpts: of a long message, the sentences that the question is about."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

from mnemo_lab.context import Piece, Source
from mnemo_lab.history import History
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.services import Services
from mnemo_lab.text.sentences import sentences
from mnemo_lab.text.words import words

GAP: Final = " … "


class Excerpts:
    """Of messages of more than ``most`` tokens, the sentences that share most with the question, in their order.

    A sentence is worth the idf of the question's words in it, over the message's sentences; the first sentence is kept
    where nothing is shared. A piece says which characters stand in it and how many tokens were left out.
    """

    def __init__(self, question: str, most: int, history: History, services: Services) -> None:
        self._wanted, self._most = set(words(question)), most
        self._history, self._services = history, services

    def of(self, position: int, piece: Piece) -> Piece:
        """The piece itself where it is short enough."""
        message = self._history.messages[position]
        if piece.tokens <= self._most or message.tool_calls:
            return piece
        spans = self._chosen(message.text)
        text = GAP.join(message.text[start:stop].strip() for start, stop in spans)
        whole_head, whole_tail = not spans or spans[0][0] == 0, not spans or spans[-1][1] >= len(message.text.rstrip())
        line = f"{speaker_of(message)}: {'' if whole_head else '… '}{text}{'' if whole_tail else ' …'}\n"
        tokens = self._services.count(line)
        if not spans or tokens >= piece.tokens:
            return piece
        return Piece(line, tokens, (Source(message.id, spans),), elided=(piece.tokens - tokens, piece.tokens))

    def _chosen(self, text: str) -> tuple[tuple[int, int], ...]:
        places = [(place[0], place[1]) for place in sentences(text)]
        terms = [set(words(text[start:stop])) & self._wanted for start, stop in places]
        df = Counter(term for found in terms for term in found)
        worth = [sum(math.log(1 + len(places) / df[term]) for term in found) for found in terms]
        kept: list[int] = []
        room = self._most
        for at in sorted(range(len(places)), key=lambda i: (-worth[i], i)):
            cost = self._services.count(text[slice(*places[at])])
            if (worth[at] > 0 or not kept) and cost <= room:
                kept.append(at)
                room -= cost
        return _joined([places[at] for at in sorted(kept)], text)


def _joined(places: list[tuple[int, int]], text: str) -> tuple[tuple[int, int], ...]:
    """Spans with nothing but white space between them are one."""
    found: list[tuple[int, int]] = []
    for start, stop in places:
        if found and not re.search(r"\S", text[found[-1][1] : start]):
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return tuple(found)
