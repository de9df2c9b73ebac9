"""JSON values one at a time from a stream: elements of one huge array, or lines, in the memory of one of them.

A broken element costs itself (see ``resuming``); a byte that is no text costs the character it stands in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from mnemo_lab.formats import text_window
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.json_text import Part
from mnemo_lab.formats.resuming import Shape, resume
from mnemo_lab.formats.text_window import TextWindow, what_of

_DECODER: Final = json.JSONDecoder()
_OPENING: Final = 1024
_BLANK: Final = " \t\r\n"
_SPACE: Final = re.compile(r"[ \t\r\n]*")


def elements(stream: BinaryIO, place: str, keys: tuple[str, ...] = ("conversations",)) -> Iterator[Part]:
    """Elements of the top-level array; a top-level object gives the elements of its first member where that is an
    array named in ``keys``, else itself as the one element (pointer ``""``). What follows the end is a fault.

    Raises ``Refused`` for an empty stream and for text in another encoding.
    """
    text = TextWindow(stream, place)
    first = text.skip()
    if not first:
        raise Refused(place, ["empty; expected JSON"])
    wrapped = first != "[" and _enter(text, keys)
    if first != "[" and not wrapped:
        yield from _single(text, place)
        return
    text.at += 1
    yield from _array(text, place, wrapped)


def _enter(text: TextWindow, keys: tuple[str, ...]) -> bool:
    """Move to the ``[`` of ``{"conversations": [``, where that is the object's first member."""
    while text.left < _OPENING and text.more():
        pass
    found = re.compile(rf'\{{\s*"(?:{"|".join(map(re.escape, keys))})"\s*:\s*(?=\[)').match(text.window, text.at)
    if not keys or not found:
        return False
    text.at = found.end()
    return True


def _single(text: TextWindow, place: str) -> Iterator[Part]:
    """The one value; further objects behind it, as in JSON lines under another name, are taken too."""
    index = 0
    while index == 0 or text.skip() == "{":
        here, where = (f"{place}#/{index}", f"/{index}") if index else (place, "")
        found = text.whole()
        if found.end is None:
            yield Part(here, where, None, Refused(here, [found.reason]))
            return
        text.at = found.end
        yield Part(here, where, found.value)
        index += 1
    yield from _behind(text, place)


def _behind(text: TextWindow, place: str) -> Iterator[Part]:
    if text.skip():
        near = shorten(text.window[text.at : text.at + 40])
        what = f"found {near} behind the end, at character {text.offset + text.at:,}; it was not read"
        yield Part(place, "", None, Refused(place, [what]))


def _array(text: TextWindow, place: str, wrapped: bool) -> Iterator[Part]:
    index, shape = 0, Shape()
    while (mark := text.skip()) not in ("]", ""):
        if mark == ",":
            text.at += 1
            continue
        found = text.whole()
        here, where = f"{place}#/{index}", f"/{index}"
        if found.end is not None:
            text.at = found.end
            shape.learn(found.value)
            yield Part(here, where, found.value)
        else:
            resume(text, shape, found)
            yield Part(here, where, None, Refused(here, [found.reason]))
        index += 1
    if mark == "":
        torn = Refused(f"{place}#/{index}", ["the array has no end; the file may be cut off: export it again"])
        yield Part(f"{place}#/{index}", f"/{index}", None, torn)
        return
    text.at += 1
    if not wrapped:  # the other members of an object that wraps the array are none of its elements
        yield from _behind(text, place)


def records(stream: BinaryIO, place: str) -> Iterator[Part]:
    """The JSON value of every line that is not blank; the pointer is ``/<line number>``.

    Several values on a line, as a lost line break leaves them, are read one by one. A cut-off last line is a fault.
    """
    text = TextWindow(stream, place)
    number = 0
    while text.left or text.more():
        end = text.window.find("\n", text.at)
        number += 1
        if end < 0 and text.left > text_window.MAX_ELEMENT:
            _pass_line(text)
            what = f"a line of more than {text_window.MAX_ELEMENT:,} characters; split the file"
            yield _fault(f"{place}:{number}", number, what)
            continue
        if end < 0 and text.more(text.left):
            number -= 1
            continue
        stop = len(text.window) if end < 0 else end
        line = text.window[text.at : stop].strip(_BLANK)
        text.at = stop + (end >= 0)
        if line:
            yield from _line(line, f"{place}:{number}", number, cut=end < 0)


def _pass_line(text: TextWindow) -> None:
    while (end := text.window.find("\n", text.at)) < 0:
        text.at = len(text.window)
        if not text.more():
            return
    text.at = end + 1


def _line(line: str, place: str, number: int, cut: bool) -> Iterator[Part]:
    at = 0
    while at < len(line):
        try:
            value, at = _DECODER.raw_decode(line, at)
        except json.JSONDecodeError as error:
            near = shorten(line[max(0, error.pos - 12) : error.pos + 24])
            end = "; the last line is cut off" if cut else ""
            yield _fault(place, number, f"not JSON ({what_of(error)} at character {error.pos:,}) near {near}{end}")
            return
        except RecursionError:
            yield _fault(place, number, "nested too deeply to be read")
            return
        except ValueError:
            yield _fault(place, number, "a number has more digits than can be read")
            return
        yield Part(place, f"/{number}", value)
        found = _SPACE.match(line, at)
        at = found.end() if found else at


def _fault(place: str, number: int, what: str) -> Part:
    return Part(place, f"/{number}", None, Refused(place, [what]))
