"""Cut one oversized text inside: head and tail stay, a marker between them says what was cut."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from mnemo_lab.tokens.counter import TokenCounter

_ATTACHED: Final = re.compile(
    "[\u200c\u200d\u0e33\u0eb3\u1160-\u11ff\ud7b0-\ud7fb\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
"""Joiners, Thai and Lao am, Hangul vowels and finals, half-width voicing marks, skin tones, tags."""
_ATTACHING: Final = re.compile(
    "[\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u1100-\u115f\ua960-\ua97c\U000110bd\U000110cd]"
)
"""The joiner, Arabic number signs, Hangul initials."""
VIRAMA: Final = 9
"""Combining class of the mark that joins two Indic consonants."""


class Elision(NamedTuple):
    """The shortened text, the spans of the original that stand in it, and tokens dropped of the total."""

    text: str
    spans: tuple[tuple[int, int], ...]
    dropped: int
    total: int


def elide(text: str, tokens: int, counter: TokenCounter, head_share: float = 0.5) -> Elision | None:
    """Shorten ``text`` to at most ``tokens`` tokens, marker included; ``None`` where nothing fits beside the marker.

    ``head_share`` (0 to 1) of the room goes to the beginning. Neither an emoji sequence nor a letter with its
    combining marks is split.
    """
    total = counter.count(text)
    if total <= tokens:
        return Elision(text, ((0, len(text)),), 0, total)
    room = tokens - counter.count(_marker(total, total)) + 2  # a number may be shorter, a blank may merge
    while room > 0:
        head = _whole_characters_left(text, counter.head(text, int(room * head_share)))
        tail = _tail(text[len(head) :], room - counter.count(head), counter)
        dropped = total - counter.count(head) - counter.count(tail)
        short = f"{head}{_marker(dropped, total)}{tail}"
        excess = counter.count(short) - tokens
        if excess <= 0 and not head + tail:
            return None
        if excess <= 0:
            spans = tuple(s for s in ((0, len(head)), (len(text) - len(tail), len(text))) if s[1] > s[0])
            return Elision(short, spans, dropped, total)
        room -= max(excess, 1)
    return None


def _marker(dropped: int, total: int) -> str:
    return f" […{dropped}/{total} tokens…] "


def _whole_characters_left(text: str, head: str) -> str:
    """Shorten a prefix until the character after it starts a new grapheme."""
    size = len(head)
    while 0 < size < len(text) and _continues(text, size):
        size -= 1
    return text[:size]


def _tail(text: str, tokens: int, counter: TokenCounter) -> str:
    """The longest suffix of at most ``tokens`` tokens that starts a grapheme."""
    if tokens <= 0:
        return ""
    low, high = 0, len(text)
    while low < high:  # the shortest cut whose suffix fits; token counts grow with length up to a merge or two
        middle = (low + high) // 2
        if counter.count(text[middle:]) <= tokens:
            high = middle
        else:
            low = middle + 1
    while low < len(text) and (_continues(text, low) or counter.count(text[low:]) > tokens):
        low += 1
    return text[low:]


def _continues(text: str, position: int) -> bool:
    """Whether the character at ``position`` belongs to the grapheme before it; in doubt, it does."""
    if not position:
        return False
    here, before = text[position], text[position - 1]
    pair = before + here == "\r\n" or (_is_flag(here) and _flags_before(text, position) % 2 == 1)
    attached = _ATTACHED.match(here) is not None or unicodedata.category(here) in ("Mn", "Mc", "Me")
    return attached or pair or _ATTACHING.match(before) is not None or unicodedata.combining(before) == VIRAMA


def _is_flag(character: str) -> bool:
    """Whether it is a regional indicator; two of them are a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, position: int) -> int:
    start = position
    while start and _is_flag(text[start - 1]):
        start -= 1
    return position - start
