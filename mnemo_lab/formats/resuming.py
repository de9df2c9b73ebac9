"""Where to go on behind a broken element of an array, in the memory of a chunk.

Behind its matching bracket, or sooner at what has the keys of an element: brackets alone would not do, because a lost
one finds its match in a later element; the first key alone neither, because messages inside an element often start
as the element does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from mnemo_lab.formats.partial_json import partial_value
from mnemo_lab.formats.text_window import TextWindow, Whole

_LIKE: Final = 0.75
"""Share of the typical keys by which something is taken for an element."""
_LEARNT: Final = 50
_OVERLAP: Final = 256
_SHOWN: Final = 2**16
_OUTSIDE: Final = re.compile(r'["\[\]{}]')
_INSIDE: Final = re.compile(r'["\\]')
_BEHIND_ARRAY: Final = re.compile(r"\s*(?:\Z|[},])")
_VALUE: Final = re.compile(r'\s*(\{\s*(?:"[^"\\]*"\s*:|\})|[\["0-9tfn-]|\Z)')
_NEVER: Final = 10**12
_SCALAR_ENDS: Final = re.compile(r'[,\[\]{"]')


class Shape:
    """The keys of the elements so far, and whether the first elements all had about the same."""

    def __init__(self) -> None:
        self.keys: tuple[str, ...] = ()
        self.mixed = False
        self._seen = 0

    def learn(self, element: Any) -> None:
        """Note a good element; a few are enough."""
        if self._seen >= _LEARNT:
            return
        self._seen += 1
        if not self.keys and isinstance(element, dict) and len(element) > 1:
            self.keys = tuple(element)
        self.mixed = self.mixed or not fits(element, self.keys)


def fits(element: Any, keys: Iterable[str]) -> bool:
    """Whether something has most of the keys of an element."""
    wanted = set(keys)
    return isinstance(element, dict) and len(wanted & element.keys()) >= _LIKE * len(wanted)


class _Brackets:
    """Depth and quotes, fed piece by piece."""

    def __init__(self) -> None:
        self.depth, self.quoted = 0, False

    def feed(self, window: str, at: int) -> tuple[int | None, int]:
        """Where the first bracket (or string) closes, and how far was looked."""
        while found := (_INSIDE if self.quoted else _OUTSIDE).search(window, at):
            mark, at = found[0], found.end()
            if mark == "\\":
                if at == len(window):
                    return None, at - 1
                at += 1
            elif mark == '"':
                self.quoted = not self.quoted
            else:
                self.depth += 1 if mark in "[{" else -1
            if self.depth <= 0 and not self.quoted:
                return at, at
        return None, len(window)


def resume(text: TextWindow, shape: Shape, broken: Whole) -> None:
    """Move to where reading goes on behind the broken element at the place."""
    if text.window[text.at] not in '[{"':
        _pass_scalar(text)
        return
    keys = shape.keys or _own_keys(text, broken)
    brackets = _Brackets()
    scanned = text.offset + text.at
    searched = scanned + 1
    while True:
        end, stop = brackets.feed(text.window, scanned - text.offset)
        scanned = text.offset + stop
        if _next_like_it(text, keys, searched, scanned):
            return
        if end is not None:
            text.at = scanned - text.offset
            if _goes_on(text, shape):
                return
            brackets.depth = _NEVER
            continue
        text.at = max(text.at, len(text.window) - _OVERLAP)
        searched = max(searched, text.offset + text.at)
        if not text.more():
            text.at = len(text.window)
            return


def _goes_on(text: TextWindow, shape: Shape) -> bool:
    """Whether what follows a closing bracket may follow an element; the place stays before it.

    Where a quote is missing, text was taken for brackets and brackets for text.
    """
    mark = text.skip()
    if text.left < _OVERLAP:
        text.more()
    behind = text.at + 1
    if mark == "]":
        return _BEHIND_ARRAY.match(text.window, behind) is not None
    if mark != ",":
        return not mark
    found = _VALUE.match(text.window, behind)
    if not found or shape.mixed or not shape.keys or text.trials <= 0:
        return found is not None
    text.at = found.start(1)  # behind the comma, which may be missing anyway
    following = text.whole()
    text.trials -= (following.end or len(text.window)) - text.at
    return following.end is None or fits(following.value, shape.keys)


def _next_like_it(text: TextWindow, keys: tuple[str, ...], start: int, stop: int) -> bool:
    """Move to the first whole element between two characters of the file; false where there is none."""
    if len(keys) < 2:
        return False
    pattern = re.compile(rf',\s*(?=\{{\s*"{re.escape(keys[0])}"\s*:)')
    while text.trials > 0:
        found = pattern.search(text.window, max(start - text.offset, 0), stop - text.offset)
        if not found:
            return False
        text.at = found.end()
        start = text.offset + text.at
        whole = text.whole()
        text.trials -= (whole.end or len(text.window)) - text.at
        if whole.end is not None and fits(whole.value, keys):
            return True
    return False


def _own_keys(text: TextWindow, broken: Whole) -> tuple[str, ...]:
    """The keys that can be read of a broken element before its fault."""
    value = partial_value(text.window[text.at : min(broken.broken_at, text.at + _SHOWN)])
    return tuple(value) if isinstance(value, dict) else ()


def _pass_scalar(text: TextWindow) -> None:
    """To the next mark behind something that is neither object nor array nor string."""
    text.at += 1
    while not (found := _SCALAR_ENDS.search(text.window, text.at)):
        text.at = len(text.window)
        if not text.more():
            return
    text.at = found.start()
