"""Names in Latin letters: capitalised words that stand inside a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mnemo_lab.text.key_terms import WORD
from mnemo_lab.text.language import CJK
from mnemo_lab.text.normalise import MONTHS
from mnemo_lab.text.words import STOP

NAME: Final = rf"(?<!{WORD})(?<![/\\@#'’.-])[A-Z\u00c0-\u00de][^\W\d_{CJK}]+(?![\w/\\@(]|[.-]\w)"
"""One capitalised word. Identifiers and paths are things by their shape and none of these."""
_NAMES: Final = re.compile(rf"{NAME}(?: {NAME})*")
_LOWER: Final = re.compile(r"(?<![\w'’-])[a-z][a-z'’-]+")
_OPENS: Final = re.compile(r"(?:^|[.!?…:;|>*#`\"“”'‘(\[\n•]|\n\s*(?:[-+]|\d+[.)]))\s*$")
_BEFORE: Final = 12
"""Characters before a word that say whether it opens something."""
_COMMON: Final = (
    "sept monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur fri sat sun i "
    "i'm i'll i've i'd i’m i’ll i’ve i’d ok okay mr mrs ms dr hi hello hey god yes no thanks thank wow bye sir "
    "congrats madam english christmas easter api url id pdf csv json html css sql http https usb cpu gpu ram tv "
    "diy faq pm am uk us usa eu mom mum dad mama papa"
)
_NO_NAMES: Final = frozenset([*_COMMON.split(), *MONTHS, *(month[:3] for month in MONTHS)])


def capitalised_names(texts: Sequence[str]) -> set[str]:
    """Capitalised words that stand inside a sentence at least once, and nowhere in small letters.

    Of neighbours the first decides: ``Additional Considerations`` as a heading makes no name.
    """
    small = {word for text in texts for word in _LOWER.findall(text)}
    found = {
        name
        for text in texts
        for run in _NAMES.finditer(text)
        if not _opens(text, run.start())
        for name in run[0].split(" ")
    }
    return {name for name in found if not _is_common(name, small)}


def _opens(text: str, start: int) -> bool:
    """Whether a sentence, a line or a quotation begins here."""
    return bool(_OPENS.search(text[max(start - _BEFORE, 0) : start]))


def _is_common(word: str, small: set[str]) -> bool:
    folded = word.casefold()
    return len(word) < 3 or folded in small or folded in _NO_NAMES or folded in STOP
