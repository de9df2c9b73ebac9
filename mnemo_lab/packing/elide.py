"""Cut one oversized text inside: head and tail stay, a marker between them says what was cut."""

from __future__ import annotations

import unicodedata
from typing import Final, NamedTuple

from mnemo_lab.tokens.counter import TokenCounter

ZERO_WIDTH_JOINER: Final = "\u200d"


class Elision(NamedTuple):
    """The shortened text, the spans of the original that stand in it, and tokens dropped of the total."""

    text: str
    spans: tuple[tuple[int, int], ...]
    dropped: int
    total: int


def elide(text: str, tokens: int, counter: TokenCounter, head_share: float = 0.5) -> Elision | None:
    """Shorten ``text`` to at most ``tokens`` tokens, marker included; ``None`` where not even the marker fits.

    ``head_share`` (0 to 1) of the room goes to the beginning. Neither an emoji sequence nor a letter with its
    combining marks is split.
    """
    total = counter.count(text)
    if total <= tokens:
        return Elision(text, ((0, len(text)),), 0, total)
    room = tokens - counter.count(_marker(total, total)) - 2
    while room > 0:
        head = _whole_characters_left(text, counter.head(text, int(room * head_share)))
        tail = _tail(text[len(head) :], room - counter.count(head), counter)
        dropped = total - counter.count(head) - counter.count(tail)
        short = f"{head}{_marker(dropped, total)}{tail}"
        excess = counter.count(short) - tokens
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
    """Whether the character at ``position`` belongs to the grapheme before it."""
    here, before = text[position], text[position - 1] if position else ""
    joined = here == ZERO_WIDTH_JOINER or before == ZERO_WIDTH_JOINER
    modifier = (
        "\U0001f3fb" <= here <= "\U0001f3ff"
        or ("\U0001f1e6" <= here <= "\U0001f1ff"
        and "\U0001f1e6" <= before <= "\U0001f1ff")
    )
    return joined or modifier or bool(unicodedata.combining(here)) or unicodedata.category(here) in ("Mn", "Me")
