r"""Text of a conversation as Markdown that keeps its layout and nothing else: no HTML, no scripts, no escape.

Renderers differ, so doubt is settled on the safe side. Raw ``<`` stays only inside code that every renderer takes for
code; fences that may belong to a list or a quotation put the whole text into a quotation, which contains them.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise
from typing import Final

_FENCE: Final = re.compile(r"(`{3,})[^`]*|(~{3,}).*", re.DOTALL)
_DOUBTFUL: Final = re.compile(r"[ \t>*+\-\d.)]*[ \t>*+\-.)](?:`{3}|~{3})")
_HEADING: Final = re.compile(r"( {0,3})(#{1,6})(?=[ \t]|$)")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY: Final = re.compile(r"&(?=#?\w+;)")
_RUN: Final = re.compile(r"`+")
_WILD: Final = re.compile(r"[\[\]<>$|\\@^{}~&]|://|www\.", re.IGNORECASE)
"""Outside code spans, these may start something that takes in a backtick in one renderer or another."""
_TARGET: Final = re.compile(r"\](?=\(|:)")
_SCHEME: Final = re.compile(r"([A-Za-z][\w+.\-]*):")
_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
_BLOCK: Final = re.compile(r"\s*(?:[-*+>|#]|\d+[.)])")
_IDLE: Final = re.compile(r"[\x00-\x20\\<>\u00a0\u2028\u2029]*")
_WINDOW: Final = 120
_DEMOTED: Final = 3


def neutral(text: str, breaks: bool = False) -> str:
    """The text as Markdown of its own: closed fences, headings below those of the page, pictures as links.

    ``breaks`` keeps line breaks outside code, which Markdown would take for spaces.
    """
    lines = text.strip("\r\n").replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd").split("\n")
    kinds, fence = _kinds(lines)
    doubtful = any(not code and _DOUBTFUL.match(line) for line, code in zip(lines, kinds, strict=True))
    if doubtful:
        return "\n".join(f"> {line}".rstrip() for line in _plain(lines, spans=False, fences=True))
    regular = all(code or _is_regular(line) for line, code in zip(lines, kinds, strict=True))
    written: list[str] = []
    for code, part in _stretches(lines, kinds):
        made = part if code else _plain(part, spans=regular, fences=False)
        written += _broken(made) if breaks and not code else made
    return "\n".join([*written, *([fence] if fence else [])])


def inline(text: str) -> str:
    """Text inside a line of ours."""
    return re.sub(r"[\\`*_\[\]|~$#]", r"\\\g<0>", text).replace("&", "&amp;").replace("<", "&lt;")


def _kinds(lines: list[str]) -> tuple[list[bool], str]:
    """Which lines are code or a fence around it, and the fence that is still open at the end."""
    kinds: list[bool] = []
    fence = ""
    for line in lines:
        found = _FENCE.fullmatch(line)
        kinds.append(bool(fence or found))
        if fence:
            bare = line.strip(" \t")
            is_end = len(line) - len(line.lstrip(" ")) <= 3 and len(bare) >= len(fence) and not bare.strip(fence[0])
            fence = "" if is_end else fence
        elif found:
            fence = found[1] or found[2]
    return kinds, fence


def _stretches(lines: list[str], kinds: list[bool]) -> list[tuple[bool, list[str]]]:
    cuts = [0, *(i for i in range(1, len(lines)) if kinds[i] != kinds[i - 1]), len(lines)]
    return [(kinds[start], lines[start:stop]) for start, stop in pairwise(cuts)]


def _broken(lines: list[str]) -> list[str]:
    following = [*lines[1:], ""]
    return [
        f"{line}  " if line.strip() and more.strip() and not _BLOCK.match(more) else line
        for line, more in zip(lines, following, strict=True)
    ]


def _plain(lines: list[str], spans: bool, fences: bool) -> list[str]:
    """Lines outside code made safe. ``fences``: there may be code among them, which keeps its headings."""
    text = _without_targets("\n".join(_line(line, spans) for line in lines))
    written: list[str] = []
    for line in text.split("\n"):
        if not fences:
            line = _HEADING.sub(lambda found: found[1] + "#" * min(6, len(found[2]) + _DEMOTED), line, count=1)
            if written and written[-1].strip() and _UNDERLINE.fullmatch(line):
                line = "\\" + line.lstrip(" ")
        written.append(line)
    return written


def _line(line: str, spans: bool) -> str:
    if not spans or "`" not in line:
        return _escaped(line)
    written, at = "", 0
    for start, stop in _spans(line) or ():
        written += _escaped(line[at:start]) + line[start:stop]
        at = stop
    return written + _escaped(line[at:])


def _escaped(text: str) -> str:
    return _TAG.sub("&lt;", _ENTITY.sub("&amp;", text)).replace("![", "&#33;[")


def _spans(line: str) -> list[tuple[int, int]] | None:
    """Code spans of a line; ``None`` where a backtick has no partner in it, or is escaped."""
    runs = _RUN.finditer(line)
    found: list[tuple[int, int]] = []
    for first in runs:
        if first.start() and line[first.start() - 1] == "\\":
            return None
        partner = next((run for run in runs if run[0] == first[0]), None)
        if partner is None:
            return None
        found.append((first.start(), partner.end()))
    return found


def _is_regular(line: str) -> bool:
    """Whether every renderer finds the same code spans in this line, and none that goes on in the next."""
    if "`" not in line:
        return True
    spans = _spans(line)
    if spans is None:
        return False
    if not any(_TAG.search(line, start, stop) for start, stop in spans):
        return True
    edges = [0, *(edge for span in spans for edge in span), len(line)]
    return not any(_WILD.search(line, edges[i], edges[i + 1]) for i in range(0, len(edges), 2))


def _without_targets(text: str) -> str:
    """Links and references whose address is neither on the web nor relative lose their bracket."""
    return _TARGET.sub(lambda found: "]" if _is_harmless(text, found.end() + 1) else "&#93;", text)


def _is_harmless(text: str, start: int) -> bool:
    """Whether what stands here, read as an address, has no scheme or one of the web's.

    Browsers pass over spaces and controls, renderers resolve entities; a scheme spread out so far that it does not
    fit into the window is none that anybody means.
    """
    found = _IDLE.match(text, start)
    at = found.end() if found else start
    window = text[at : at + _WINDOW]
    bare = re.sub(r"[\x00-\x20\\<>\u00a0\u2028\u2029]", "", unescape(unescape(window)))
    if len(window) == _WINDOW and len(bare) < _WINDOW // 4:
        return False
    scheme = _SCHEME.match(bare)
    return scheme is None or scheme[1].lower() in _SCHEMES
