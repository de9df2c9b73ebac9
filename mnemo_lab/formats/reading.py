"""The conversations of any source in any format, selected, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Format, Reading, StrPath
from mnemo_lab.formats.detect import choose
from mnemo_lab.formats.faults import Refused
from mnemo_lab.formats.selecting import Selection
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import loss


class Numbered(NamedTuple):
    """A reading and its number in the list, from 1."""

    number: int
    reading: Reading


def read_all(path: StrPath, wanted: str | None = None, select: Sequence[str] | None = None) -> Iterator[Reading]:
    """The conversations of a file, folder or archive in any format; ``wanted`` names it instead of detection.

    ``select``: numbers, ids or titles. What was not taken of an archive is among the losses of the first reading.
    Raises ``InvalidInput`` where the format is not clear, nothing can be read, or a selection names nothing.
    """
    with Source(path) as source:
        for numbered in numbered_readings(source, choose(source, wanted), select):
            yield numbered.reading


def numbered_readings(source: Source, format_: Format, select: Sequence[str] | None = None) -> Iterator[Numbered]:
    """As ``read_all``, from an open source, with numbers."""
    chosen, refused, number = Selection(select), tuple(source.losses), 0
    for number, reading in enumerate(_isolated(source, format_), 1):
        if chosen.takes(number, reading.conversation):
            yield Numbered(number, replace(reading, losses=(*refused, *reading.losses)))
            refused = ()
    chosen.check(source.path, number)


def _isolated(source: Source, format_: Format) -> Iterator[Reading]:
    """Readings; a fault that ends the reading is raised only where nothing was read before."""
    count = 0
    try:
        for reading in format_.read(source):
            count += 1
            yield reading
    except InvalidInput as error:
        if not count:
            raise
        reason = error.reason if isinstance(error, Refused) else str(error)
        lost = loss("unreadable_conversation", reason=reason, place=str(source.path))
        yield Reading(None, (lost,), None, str(source.path))
