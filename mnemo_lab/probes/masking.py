"""Questions without the words by which they were found, so that keyword search gets no head start."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from mnemo_lab.text.key_terms import WORD
from mnemo_lab.text.language import CJK
from mnemo_lab.text.words import words

_RUN: Final = re.compile(rf"[{CJK}]+|{WORD}+(?:['’-]{WORD}+)*")
_IS_CJK: Final = re.compile(f"[{CJK}]")
_GAPS: Final = re.compile(r"…(?:\s*…)+")


def hide(text: str, surfaces: Iterable[str], shared: frozenset[str]) -> str:
    """The text with an ellipsis for each of the surfaces, whatever their case, and for each of the ``shared`` words.

    ``shared``: search terms as ``text.words.words`` gives them.
    """
    longest_first = sorted(surfaces, key=lambda surface: (-len(surface), surface))
    text = re.sub("|".join(map(re.escape, longest_first)), "…", text, flags=re.IGNORECASE)
    return _GAPS.sub("…", _RUN.sub(lambda run: _hide_run(run[0], shared), text))


def _hide_run(run: str, shared: frozenset[str]) -> str:
    if not _IS_CJK.match(run):
        return "…" if shared.intersection(words(run)) else run
    pairs = (start for start in range(len(run) - 1) if run[start : start + 2] in shared)
    hidden = {place for start in pairs for place in (start, start + 1)}
    return "".join("…" if place in hidden else character for place, character in enumerate(run))
