"""JSON text from bytes, and several documents from one text, with one broken document costing only itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from mnemo_lab.formats.faults import Refused, shorten

_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\r\n]*")
# A string that never ends is taken to the end of the text: trying again at each of its quotes would be quadratic.
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
_NEXT_DOCUMENT: Final = re.compile(r',[ \t\r\n]*(?=\{[ \t\r\n]*"version"[ \t\r\n]*:)')


class Torn(Refused):
    """Text that is not JSON; ``position`` is the character at which that showed."""

    position = 0


class Part(NamedTuple):
    """One document of a text: its value, or the fault that kept it from being read."""

    place: str
    pointer: str | None
    value: Any
    fault: Refused | None = None


def decode(data: bytes, place: str) -> str:
    """Text from UTF-8, UTF-16 or UTF-32, with or without a byte order mark."""
    encoding = json.detect_encoding(data)
    try:
        # Half a surrogate pair may pass here: the cleaner replaces it and says where.
        return data.decode(encoding, "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        what = f"byte {error.start} (0x{data[error.start]:02x}) is not {encoding.removesuffix('-sig').upper()} text"
        raise Refused(place, [f"{what}; save the file as UTF-8"]) from None


def parse(text: str, place: str, start: int = 0, line: int | None = None) -> tuple[Any, int]:
    """The JSON value at ``start`` and where it ends; ``line`` replaces the line number in errors."""
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise _torn(place, _position(text, error.pos, line) + _what(text, error), error.pos) from None
    except RecursionError:
        raise _torn(place, "nested too deeply to be read; flatten the deepest arrays and objects", start) from None
    except ValueError:
        # The decoder's only other ValueError: Python reads no integer of more than 4,300 digits.
        raise _torn(place, "a number has more digits than can be read; write it as a string", start) from None


def parse_whole(text: str, place: str) -> Any:
    """The one JSON value of a text; raises ``Refused`` for an empty text and for more than one value."""
    start = _skip(text, 0)
    if start == len(text):
        raise Refused(place, ["empty; expected a JSON object with version, meta and conversation"])
    value, end = parse(text, place, start)
    end = _skip(text, end)
    if end < len(text):
        found = shorten(text[end : end + 40])
        raise _torn(place, f"{_position(text, end)}found {found} after the end of the document; remove it", end)
    return value


def split(text: str, place: str) -> Iterator[Part]:
    """The documents of a text that holds several: a JSON array, or one document a line."""
    start = _skip(text, 0)
    return _elements(text, place, start + 1) if text.startswith("[", start) else _lines(text, place)


def holds_several(text: str) -> bool:
    """Whether the text is an array, or has at least two lines that each start an object.

    Pretty-printed JSON indents its inner objects, so a single document has one such line, torn or not.
    """
    start = _skip(text, 0)
    return text.startswith("[", start) or text.find("\n{", start) >= 0


def _lines(text: str, place: str) -> Iterator[Part]:
    # Not splitlines(): it also cuts at U+2028, U+0085 and others that may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        here = f"{place}:{number}"
        start = _skip(line, 0)
        if start == len(line):
            continue
        try:
            value, end = parse(line, here, start, number)
            if (end := _skip(line, end)) < len(line):
                raise _torn(here, _position(line, end, number) + "found more after the end of the document", end)
            yield Part(here, None, value)
        except Torn as fault:
            yield Part(here, None, None, fault)


def _elements(text: str, place: str, position: int) -> Iterator[Part]:
    position, index = _skip(text, position), 0
    while position < len(text) and not _ends(text, position):
        here, where = f"{place}#/{index}", f"/{index}"
        try:
            value, end = parse(text, here, position)
            yield Part(here, where, value)
            position, fault = _behind(text, here, end)
        except Torn as torn:
            fault = torn
            position = _resume(text, position, torn.position)
        if fault:
            yield Part(here, where, None, fault)
            if position == len(text):
                return
        index += 1
    if position == len(text):
        here = f"{place}#/{index}"
        yield Part(here, f"/{index}", None, _torn(here, "the array has no end; the file may be cut off", position))


def _behind(text: str, here: str, end: int) -> tuple[int, Torn | None]:
    """Where to go on behind a whole element, and the fault where no comma or bracket follows it."""
    end = _skip(text, end)
    if text.startswith(",", end):
        return _skip(text, end + 1), None
    if end == len(text) or text[end] == "]":
        return end, None
    fault = _torn(here, f"{_position(text, end)}expected , or ] after the element", end)
    return end if text[end] == "{" else _resume(text, end, end), fault


def _ends(text: str, position: int) -> bool:
    """Whether this is the bracket that ends the array; with anything behind it, it is only a fault on the way."""
    return text[position] == "]" and _skip(text, position + 1) == len(text)


def _resume(text: str, start: int, broken: int) -> int:
    """Where to go on after a broken element: behind its matching bracket, or sooner at the next thing like a document.

    Brackets alone would not do: a lost or added one may find its match in a later document.
    """
    following = _NEXT_DOCUMENT.search(text, start)
    likely = following.end() if following else len(text)
    end = _skip(text, _closing(text, start, likely)) if text[start] in "[{" else start
    if broken <= end < likely and text[end] == ",":
        return _skip(text, end + 1)
    if broken <= end < likely and _ends(text, end):
        return end
    return likely


def _closing(text: str, start: int, stop: int) -> int:
    depth = 0
    for token in _TOKEN.finditer(text, start, stop):
        mark = token[0]
        depth += (mark in "[{") - (mark in "]}")
        if depth <= 0:
            return token.end()
    return stop


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _torn(place: str, fault: str, position: int) -> Torn:
    torn = Torn(place, [fault])
    torn.position = position
    return torn


def _position(text: str, position: int, line: int | None = None) -> str:
    row = text.count("\n", 0, position) + 1 if line is None else line
    return f"line {row} column {position - text.rfind(chr(10), 0, position)}: "


def _what(text: str, error: json.JSONDecodeError) -> str:
    near = shorten(text[max(0, error.pos - 12) : error.pos + 24])
    return f"not JSON ({error.msg}) near {near}{_cut_off(text, error.pos)}"


def _cut_off(text: str, position: int) -> str:
    ends = _skip(text, position) == len(text)
    return "; the text ends here, it may be cut off: export it again" if ends else "; mend it there or export it again"
