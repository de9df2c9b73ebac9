"""Portable documents from a source: files of any size, archives and folders, in the memory of one document."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.faults import Refused
from mnemo_lab.formats.json_text import Part
from mnemo_lab.formats.portable.read import reading_of
from mnemo_lab.formats.samples import first_value, holds_lines
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.streaming import elements, records

_ENDINGS: Final = (".json", ".jsonl", ".ndjson")


def read(source: Source) -> Iterator[Reading]:
    """Every document of every JSON member; a plain file is read whatever its name.

    A file of one document raises ``InvalidInput`` with every fault where that is broken; elsewhere a broken document
    is a reading without conversation.
    """
    if not source.is_file:
        for member in filter(lambda name: _looks_like_one(source, name), source.ending(*_ENDINGS)):
            yield from map(reading_of, _safe_parts(source, member))
        return
    parts = _parts(source, source.members[0])
    first, second = next(parts, None), next(parts, None)
    if first and second is None and first.pointer == "":
        if first.fault:
            raise first.fault
        yield reading_of(first, alone=True)
        return
    yield from map(reading_of, itertools.chain((part for part in (first, second) if part), parts))


def _looks_like_one(source: Source, member: str) -> bool:
    """Whether a member of a folder is to be read: not the questions, manifests and settings that lie beside."""
    try:
        first = first_value(source.head(member))
    except InvalidInput:
        return True  # said when it is read
    return not isinstance(first, dict) or not first or bool({"version", "meta", "conversation"} & first.keys())


def _safe_parts(source: Source, member: str) -> Iterator[Part]:
    """A member that is no JSON at all is a fault of its own: the others are read."""
    try:
        yield from _parts(source, member)
    except InvalidInput as error:
        place = source.place(member)
        yield Part(place, "", None, Refused(place, [str(error)]))


def _parts(source: Source, member: str) -> Iterator[Part]:
    reader = records if holds_lines(source.head(member)) else elements
    with source.open(member) as stream:
        yield from reader(stream, source.place(member))
