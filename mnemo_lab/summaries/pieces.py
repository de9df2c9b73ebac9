"""Pieces: the stretches of messages, and of an earlier summary, that a summary can quote; and their lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from mnemo_lab.context import Source
from mnemo_lab.conversation import Message, time_of
from mnemo_lab.packing.lines import speaker_of
from mnemo_lab.summaries.base import SummaryLine
from mnemo_lab.text.decisions import decides
from mnemo_lab.text.key_terms import Term, shaped_terms
from mnemo_lab.text.language import CJK
from mnemo_lab.text.sentences import Place, clauses, sentences

WHOLE: Final = 10
"""Tokens up to which a sentence is a piece; a longer one falls into its clauses."""
WHOLE_DECISION: Final = 40
"""The same for a sentence that decides something: what was rejected, and why, stands in its other clauses."""
CLAUSE: Final = 4
"""Tokens below which a clause is no piece of its own."""
BARE_ABOVE: Final = 6
"""Tokens of a piece above which its identifiers and numbers are pieces too."""
LINE: Final = 4
"""Tokens of the speaker before a line, and of its end."""
_LEADING: Final = re.compile(r"(?:[-*+>|#•\s]+|\d{1,3}(?:[.)](?!\d)|、)\s*)+")
_TRAILING: Final = " \t\r\n\u3000,，;；、:：|*–—"
_GAP: Final = re.compile(r"[ ,，;；、:：]*")
_UNIT: Final = re.compile(
    r"%|[°℃]C?| ?(?:[cmk]?m²?|k?g|[kM]?W|dB|l/s)\b"
    r"| ?(?:分钟|小时|公斤|公里|厘米|毫米|[间块元天年月日号周位秒米人次条点岁个万级倍期版行名套份张台层楼])"
)
_HEAD: Final = re.compile(r"(?:(\d{4}-)?(\d\d-\d\d) )?(.+?)(?:: |：)")
_IS_CJK: Final = re.compile(f"[{CJK}]")


class Speaker(NamedTuple):
    """Who said it on which day: what a line of a summary is for."""

    day: str
    name: str


class Stretch(NamedTuple):
    """A text that pieces are cut from: a message from its character ``offset`` on, or (no ``message_id``) what
    somebody wrote about the messages ``sources``."""

    speaker: Speaker
    text: str
    message_id: str = ""
    offset: int = 0
    sources: tuple[Source, ...] = ()


@dataclass(slots=True)
class Piece:
    """Characters ``start`` to ``end - 1`` of a stretch, from the ``sentence`` there.

    A piece inside another is a bare identifier or number; ``inside`` and ``bare`` are places in the list of pieces.
    """

    stretch: Stretch
    start: int
    end: int
    sentence: Place
    terms: list[Term] = field(default_factory=list)
    inside: int | None = None
    bare: list[int] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.stretch.text[self.start : self.end]


def stretches_of(earlier: Iterable[SummaryLine], messages: Iterable[Message]) -> list[Stretch]:
    """What there is to quote, in time order. What has no day gets that of what stands before it."""
    found: list[Stretch] = []
    for line in earlier:
        found += _quotations(line, found[-1].speaker.day if found else "")
    day = found[-1].speaker.day if found else ""
    for message in messages:
        moment = time_of(message.timestamp)
        day = moment.date().isoformat() if moment else day
        name = "tool" if message.role == "tool" else speaker_of(message)
        found.append(Stretch(Speaker(day, name), message.text, message.id))
    return found


def without(lines: Iterable[SummaryLine], message_ids: Container[str]) -> list[SummaryLine]:
    """The lines without what they quote of some messages: for where those stand beside the summary in full."""
    left = (stretch for stretch in stretches_of(lines, ()) if stretch.message_id not in message_ids)
    return lines_of([Piece(stretch, 0, len(stretch.text), (0, len(stretch.text))) for stretch in left])


def cut(stretches: Iterable[Stretch], count: Callable[[str], int]) -> list[Piece]:
    """All pieces in time order; bare terms come right after the piece that contains them."""
    pieces: list[Piece] = []
    for stretch in stretches:
        terms = list(shaped_terms(stretch.text))
        places = [term.start for term in terms]
        for sentence in sentences(stretch.text):
            for start, end in _parts(stretch.text, sentence, count):
                around = len(pieces)
                within = terms[bisect_left(places, start) : bisect_left(places, end)]
                held = [term for term in within if term.end <= end]
                pieces.append(Piece(stretch, start, end, sentence, held))
                for term in held if held and count(pieces[around].text) > BARE_ABOVE else ():
                    pieces[around].bare.append(len(pieces))
                    a, b = _with_unit(stretch.text, term, start, end)
                    pieces.append(Piece(stretch, a, b, sentence, [term], around))
    return pieces


def _parts(text: str, sentence: Place, count: Callable[[str], int]) -> Iterator[Place]:
    """A short sentence whole, the clauses of a longer one; without the marks around them."""
    said = text[slice(*sentence)]
    parts = [sentence]
    if count(said) > (WHOLE_DECISION if decides(said) else WHOLE):
        parts = _merged(text, clauses(text, *sentence), count)
    for start, end in parts:
        lead = _LEADING.match(text, start, end)
        begin = lead.end() if lead and lead.end() < end else start
        yield begin, begin + (len(text[begin:end].rstrip(_TRAILING)) or end - begin)


def _merged(text: str, parts: Iterable[Place], count: Callable[[str], int]) -> list[Place]:
    """Clauses, short ones joined with their neighbour."""
    found: list[Place] = []
    sizes: list[int] = []
    for start, end in parts:
        size = count(text[start:end])
        if found and min(size, sizes[-1]) < CLAUSE:
            found[-1] = (found[-1][0], end)
            sizes[-1] += size
        else:
            found.append((start, end))
            sizes.append(size)
    return found


def _with_unit(text: str, term: Term, low: int, high: int) -> Place:
    """The term with its currency sign or unit."""
    start = term.start - (term.start > low and text[term.start - 1] in "£$€¥~±")
    unit = _UNIT.match(text, term.end, high)
    return start, unit.end() if unit else term.end


def lines_of(pieces: Iterable[Piece]) -> list[SummaryLine]:
    """Pieces in time order as lines; year, day and speaker are said where they change."""
    lines: list[SummaryLine] = []
    day = ""
    for (speaker, sources), group in groupby(pieces, lambda piece: (piece.stretch.speaker, piece.stretch.sources)):
        quoted = _joined(group)
        text = "".join(joint + stretch.text[start:end] for joint, stretch, start, end in quoted)
        if not quoted[0][1].message_id:
            lines.append(SummaryLine(text, sources))
            continue
        date = "" if speaker.day == day else f"{speaker.day.removeprefix(day[:5])} "
        colon = "：" if _IS_CJK.match(text) else ": "
        lines.append(SummaryLine(f"{date}{speaker.name}{colon}{text}", _sources(quoted)))
        day = speaker.day
    return lines


_Quoted = tuple[str, Stretch, int, int]
"""What stands before a quotation, and the characters of a stretch."""


def _joined(group: Iterable[Piece]) -> list[_Quoted]:
    """Pieces of one line; neighbours with next to nothing between them are one quotation."""
    found: list[_Quoted] = []
    for piece in group:
        if not found:
            found.append(("", piece.stretch, piece.start, piece.end))
            continue
        joint, stretch, start, end = found[-1]
        if stretch is piece.stretch and _GAP.fullmatch(stretch.text, end, piece.start):
            found[-1] = (joint, stretch, start, piece.end)
        else:
            found.append((_joint(stretch.text[start:end], piece.text), piece.stretch, piece.start, piece.end))
    return found


def _joint(before: str, after: str) -> str:
    """What stands between two quotations: an ellipsis unless a sentence has ended, and as few tokens as can be."""
    if before[-1] in "。！？":
        return ""
    blank = " " * _is_latin(after)
    return blank if blank and before[-1] in ".!?" else f"…{blank}"


def _is_latin(text: str) -> bool:
    return text[0].isascii() and text[0].isalpha()


def _sources(quoted: Iterable[_Quoted]) -> tuple[Source, ...]:
    spans: dict[str, list[Place]] = {}
    for _, stretch, start, end in quoted:
        spans.setdefault(stretch.message_id, []).append((stretch.offset + start, stretch.offset + end))
    return tuple(Source(message_id, tuple(places)) for message_id, places in spans.items())


def _quotations(line: SummaryLine, day: str) -> list[Stretch]:
    """The quotations of a line that ``lines_of`` wrote, read from its end, since their lengths are known; any other
    line as it is. ``day`` is that of the line before."""
    found: list[Stretch] = []
    place = len(line.text)
    for message_id, start, end in [(s.message_id, *span) for s in line.sources for span in s.spans][::-1]:
        if found:
            place -= next(len(joint) for joint in ("… ", "…", " ", "") if line.text.endswith(joint, 0, max(place, 0)))
        place -= end - start
        text = line.text[max(place, 0) : place + end - start]
        found.append(Stretch(Speaker(day, ""), text, message_id, start))
    head = _HEAD.fullmatch(line.text[: max(place, 0)])
    if not head or not found:
        about = tuple(Source(source.message_id, (), "summary") for source in line.sources)
        return [Stretch(Speaker(day, ""), line.text, sources=about)]
    speaker = Speaker(f"{head[1] or day[:5]}{head[2]}" if head[2] else day, head[3])
    return [stretch._replace(speaker=speaker) for stretch in reversed(found)]
