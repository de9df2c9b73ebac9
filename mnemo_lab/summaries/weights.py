"""What a piece is worth: the terms it holds, and how it says them. Chosen on development recordings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log, prod
from typing import Final

from mnemo_lab.summaries.pieces import LINE, Piece, Speaker
from mnemo_lab.text.decisions import asks, decides, gives_reason, is_open
from mnemo_lab.text.language import CJK
from mnemo_lab.text.names import capitalised_names
from mnemo_lab.text.names_zh import chinese_names
from mnemo_lab.text.words import words

Weights = dict[str, float]
"""Terms of a piece and what each is worth there."""
WORD: Final = 1.0
PAIR: Final = 0.35
"""A pair of Chinese characters: three of them stand where one English word does."""
NAME: Final = 3.0
TERM: Final = (5.0, 9.0)
"""An identifier or number, where few of them can be kept and where all can."""
IDENTIFIER: Final = 1.25
"""Factor for an identifier: hardly anybody can guess one."""
BARE: Final = (0.6, 1.0)
"""Share of its worth that it keeps without what is said of it, likewise."""
SHORT: Final = 0.7
"""Factor for a bare one of one or two characters: ``7`` alone tells nobody anything."""
DECISION: Final = 4.0
"""A decision as such, beside the words that say it; the whole of it for one of ``FULL`` words."""
FULL: Final = 6
_FACTORS: Final = ((decides, 1.5), (gives_reason, 1.2), (is_open, 1.2), (asks, 0.7))
_SPEAKERS: Final = {"assistant": 0.8, "tool": 0.8}
"""What people say counts more than what they are told."""
_LATIN: Final = re.compile(rf"[^\W\d_{CJK}]+")
_TELLS_NOTHING: Final = re.compile(rf"[{CJK}]|\d+")
_IS_CJK: Final = re.compile(f"[{CJK}]")


def weights_of(pieces: Sequence[Piece], costs: Sequence[int], max_tokens: int) -> list[Weights]:
    """For each piece its terms and what each is worth there; a word is worth less the more messages say it."""
    texts = {id(piece.stretch): piece.stretch.text for piece in pieces}
    names = _Names(list(texts.values()))
    plenty = _plenty(pieces, costs, max_tokens)
    term_worth, bare_share = (low + plenty * (high - low) for low, high in (TERM, BARE))
    worth = {"identifier": IDENTIFIER * term_worth, "number": term_worth}
    said = [set() if piece.inside is not None else _telling(piece.text) for piece in pieces]
    rarity = _rarity(pieces, said)
    found: list[Weights] = []
    for i, piece in enumerate(pieces):
        factor = _SPEAKERS.get(piece.stretch.speaker.name, 1.0) * _manner(piece.stretch.text[slice(*piece.sentence)])
        if piece.inside is not None:
            share = bare_share * (SHORT if piece.end - piece.start < 3 else 1)
            found.append({term.key: worth[term.kind] * share * factor for term in piece.terms})
            continue
        weights = {word: (PAIR if _IS_CJK.match(word) else WORD) * rarity[word] * factor for word in said[i]}
        weights.update({f"name {name}": NAME * factor for name in names.of(piece.text)})
        weights.update({term.key: worth[term.kind] * factor for term in piece.terms})
        if decides(piece.text):
            weights[f"decision {i}"] = DECISION * factor * min(len(said[i]) / FULL, 1)
        found.append(weights)
    return found


def _plenty(pieces: Sequence[Piece], costs: Sequence[int], max_tokens: int) -> float:
    """From 0, where not half of the identifiers and numbers would fit, to 1, where all do."""
    cheapest: dict[str, tuple[int, Speaker]] = {}
    for piece, cost in zip(pieces, costs, strict=True):
        for term in piece.terms:
            known = cheapest.get(term.key)
            if known is None or cost < known[0]:
                cheapest[term.key] = cost, piece.stretch.speaker
    need = sum(cost for cost, _ in cheapest.values()) + LINE * len({speaker for _, speaker in cheapest.values()})
    return min(max(max_tokens / need - 0.5, 0) / 0.75, 1) if cheapest else 1


def _telling(text: str) -> set[str]:
    return {word for word in words(text) if not _TELLS_NOTHING.fullmatch(word)}


def _rarity(pieces: Sequence[Piece], said: Sequence[set[str]]) -> Weights:
    """From 1 for a word of one text down to 0 for a word of all."""
    by_text: dict[int, set[str]] = {}
    for piece, its_words in zip(pieces, said, strict=True):
        by_text.setdefault(id(piece.stretch), set()).update(its_words)
    texts = len(by_text) + 1
    return {
        word: log(texts / found) / log(texts) for word, found in Counter(w for s in by_text.values() for w in s).items()
    }


@lru_cache(maxsize=4096)
def _manner(sentence: str) -> float:
    """How much more, or less, what a sentence holds is worth."""
    return prod(by for holds, by in _FACTORS if holds(sentence))


class _Names:
    """The names that some texts make known."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._latin = {name.casefold() for name in capitalised_names(texts)}
        chinese = sorted(chinese_names(texts), key=lambda name: (-len(name), name))
        self._chinese = re.compile("|".join(map(re.escape, chinese))) if chinese else None

    def of(self, text: str) -> set[str]:
        found = {word.casefold() for word in _LATIN.findall(text) if word[0].isupper()} & self._latin
        return found.union(self._chinese.findall(text)) if self._chinese else found
