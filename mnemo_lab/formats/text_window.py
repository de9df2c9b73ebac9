"""A window over decoded text with a place in it: it grows at its end and forgets what lies behind."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, BinaryIO, Final, NamedTuple

from mnemo_lab.formats.faults import Refused, shorten

CHUNK: Final = 2**18
MAX_ELEMENT: Final = 2**27
"""Characters one value may take; a longer one is a fault, and is passed over without being kept."""
_TRIALS: Final = 2**26
_EDGE: Final = 16
_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\r\n]*")


class Whole(NamedTuple):
    """A value and where it ends in the window, or why there is none and at which character of the window."""

    value: Any
    end: int | None
    reason: str = ""
    broken_at: int = 0


class TextWindow:
    """``window[at:]`` is what is ahead; ``offset`` counts the characters that were forgotten.

    A byte that is no text becomes half a surrogate pair, which the cleaner replaces and lists; where that holds for
    most bytes beyond ASCII, the file is in another encoding and ``Refused`` is raised.
    """

    def __init__(self, stream: BinaryIO, place: str) -> None:
        self._stream, self.place = stream, place
        head = stream.read(CHUNK)
        encoding = json.detect_encoding(head) if head else "utf-8"
        _check_encoding(head, encoding, place)
        self._decoder = codecs.getincrementaldecoder(encoding)(_ESCAPE)
        self.window, self.at, self.offset, self.ended = "", 0, 0, False
        self.trials = _TRIALS
        self._take(head)
        self.window = self.window.removeprefix("\ufeff")

    def _take(self, data: bytes) -> None:
        self.window += self._decoder.decode(data, final=not data)
        self.trials += 4 * len(data)
        self.ended = not data

    @property
    def left(self) -> int:
        """Characters of the window that are still ahead."""
        return len(self.window) - self.at

    def more(self, at_least: int = CHUNK) -> bool:
        """Grow the window and forget what is behind ``at``; false at the end of the stream."""
        if self.ended:
            return False
        self.offset += self.at
        self.window, self.at = self.window[self.at :], 0
        self._take(self._stream.read(max(CHUNK, at_least)))
        return True

    def skip(self) -> str:
        """Pass white space; the next character, ``""`` at the end."""
        while True:
            found = _SPACE.match(self.window, self.at)
            self.at = found.end() if found else self.at
            if self.left or not self.more():
                return self.window[self.at : self.at + 1]

    def whole(self) -> Whole:
        """The JSON value at the place; the window grows, doubling, until it holds it."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.window, self.at)
                if end < len(self.window) or self.ended:  # a number may go on behind the window
                    return Whole(value, end)
            except json.JSONDecodeError as error:
                if self.ended or not _cut_off(error, len(self.window)):
                    return Whole(None, None, self.reason(error), error.pos)
            except RecursionError:
                return Whole(None, None, "nested too deeply to be read", self.at)
            except ValueError:
                # The decoder's only other one: Python reads no integer of more than 4,300 digits.
                return Whole(None, None, "a number has more digits than can be read", self.at)
            if self.left > MAX_ELEMENT:
                return Whole(None, None, f"a value of more than {MAX_ELEMENT:,} characters; split the file", self.at)
            self.more(self.left)

    def reason(self, error: json.JSONDecodeError) -> str:
        """A decoder's error in words, counted from the start of the file."""
        near = shorten(self.window[max(0, error.pos - 12) : error.pos + 24])
        ends = error.msg.startswith("Unterminated string") or not self.window[error.pos :].strip()
        end = "; the text ends there: it may be cut off" if ends else ""
        return f"not JSON ({what_of(error)} at character {self.offset + error.pos:,}) near {near}{end}"


def what_of(error: json.JSONDecodeError) -> str:
    """The decoder's words, which for half a string end in the middle of a sentence."""
    return error.msg.removesuffix(" starting at")


def _cut_off(error: json.JSONDecodeError, length: int) -> bool:
    """Whether what is missing may stand behind the window: half a string, number, word or escape at its edge."""
    return error.msg.startswith("Unterminated string") or error.pos >= length - _EDGE


def _check_encoding(head: bytes, encoding: str, place: str) -> None:
    if not encoding.startswith("utf-8") or head.isascii():
        return
    text = codecs.getincrementaldecoder(encoding)(_ESCAPE).decode(head)
    bad = sum("\udc80" <= mark <= "\udcff" for mark in text)
    if bad and 2 * bad > sum(not mark.isascii() for mark in text):
        first = next(mark for mark in text if "\udc80" <= mark <= "\udcff")
        what = f"byte 0x{ord(first) - 0xDC00:02x} and {bad - 1} more are not UTF-8 text"
        raise Refused(place, [f"{what}; save the file as UTF-8"])


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Half a surrogate pair as it stands, any other byte as one of its own."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    try:
        replaced = codecs.lookup_error("surrogatepass")(error)
        return str(replaced[0]), replaced[1]
    except UnicodeDecodeError:
        if error.encoding.lower().startswith("utf-8"):
            return chr(0xDC00 + error.object[error.start]), error.start + 1
        return "\ufffd", error.end


_ESCAPE: Final = "mnemo_lab.escape"
codecs.register_error(_ESCAPE, _escape)
