"""Sentences and clauses of a Chinese message, and which of them state something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mnemo_lab.extraction.rules.chinese.lexicon import mood

_HAN: Final = "\u4e00-\u9fff"
_SENTENCE: Final = re.compile(r"[^。！？!?\n；;…~]*[。！？!?\n；;…~]*")
_CLAUSE: Final = mood("clause")
_GAP: Final = re.compile(
    rf"(?<=[{_HAN}，。、：；])[ \t\u3000\u00a0]+(?=\S)|(?<=\S)[ \t\u3000\u00a0]+(?=[{_HAN}，。、：；])"
)
_QUOTE: Final = re.compile(r"“[^”\n]{1,200}”|「[^」\n]{1,200}」|\"[^\"\n]{1,200}\"|『[^』\n]{1,200}』")
_BRACES: Final = re.compile(r"\{[^{}\n]{1,200}\}|《[^》\n]{1,40}》")
_NAMING: Final = mood("naming")
_PASTED: Final = mood("pasted")
_KEEPS: Final = mood("kept")
_ASKS: Final = mood("asks")
_SUPPOSES: Final = mood("supposes")
_UNSURE: Final = mood("unsure")
_REQUEST: Final = mood("request")
_CLOSING: Final = " \n\t。！？!?；;…~😂😭🐳～"
STANDING: Final = mood("standing")
"""That a wish is meant for all times to come."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, from ``start`` to ``end`` of the text that is read; its ``sentence`` counts on.

    ``states``: it says that something is so, ``standing``: it is meant for all times to come.
    """

    text: str
    start: int
    end: int
    sentence: int
    whole: str
    states: bool
    standing: bool


def squeezed(text: str) -> tuple[str, list[int]]:
    """The text without blanks beside Chinese characters, except where they part clauses; and where each sign stood."""
    places = list(range(len(text)))
    for gap in reversed(list(_GAP.finditer(text))):
        if not (_is_han(text[gap.start() - 1]) and _is_han(text[gap.end() : gap.end() + 1])):
            del places[gap.start() : gap.end()]
    return "".join(text[place] for place in places), places


def clauses(text: str) -> Iterator[Clause]:
    """Clauses in order, quotations that are not names blanked; what is pasted below a request is left out."""
    text = _QUOTE.sub(lambda m: m[0] if _names(text, m) else " " * len(m[0]), text)
    for number, sentence in enumerate(_SENTENCE.finditer(text)):
        whole = sentence[0]
        if not whole.strip():
            continue
        yield from _of_sentence(text, sentence.start(), sentence.end(), number)
        line = text[text.rfind("\n", 0, sentence.end()) + 1 : sentence.end()].strip()
        pasted = whole.endswith("\n") and _PASTED.search(whole.strip()) and not _KEEPS.search(line)
        if pasted:
            return


def _names(text: str, quote: re.Match[str]) -> bool:
    short = len(quote[0]) <= 18 and not re.search(r"[我你他她]", quote[0])
    return short and _NAMING.search(text[max(0, quote.start() - 8) : quote.start()]) is not None


def _of_sentence(text: str, start: int, end: int, number: int) -> Iterator[Clause]:
    whole = text[start:end]
    bounds = [(m.start(), m.end()) for m in _CLAUSE.finditer(text, start, end)]
    braces = [m.span() for m in _BRACES.finditer(text, start, end)]
    bounds = [b for b in bounds if not any(low < b[0] < high for low, high in braces)]
    bounds = [b for b in bounds if text[b[0]] not in "：:" or b[0] - start > 9]
    pieces, low = [], start
    for high, after in [*bounds, (end, end)]:
        closed = low + len(text[low:high].rstrip(_CLOSING))
        if closed > low:
            pieces.append((low, closed))
        low = after
    asked = bool(re.search(r"[?？]\W*$", whole))
    supposed = False
    for at, (low, high) in enumerate(pieces):
        piece = text[low:high]
        last = at == len(pieces) - 1
        supposed = supposed or _SUPPOSES.search(piece) is not None
        standing = STANDING.search(piece) is not None
        states = not (supposed or (last and asked) or _ASKS.search(piece) or _UNSURE.search(piece))
        states = states and (standing or not _REQUEST.match(piece.strip()))
        after = last and not asked and high - low < 3
        pasted = (
            text[high : high + 1] in ("：", ":") and _PASTED.search(text[start : high + 1]) and not _KEEPS.search(whole)
        )
        yield Clause(piece, low, high, number, whole, states and not after, standing)
        if pasted:
            return


def _is_han(sign: str) -> bool:
    return "\u4e00" <= sign <= "\u9fff"
