"""Readings that fail by themselves: a broken conversation or member never stops the ones behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.faults import Refused, shorten, shorten_text
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.json_text import Part
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.streaming import records
from mnemo_lab.losses import loss

Result = TypeVar("Result")


def unreadable(place: str, pointer: str | None, reason: str) -> Reading:
    """A conversation that could not be read."""
    lost = loss("unreadable_conversation", pointer=pointer, reason=reason, place=place)
    return Reading(None, (lost,), None, place)


class Failure(NamedTuple):
    """Why something could not be read."""

    reason: str


def attempt(build: Callable[[], Result]) -> Result | Failure:
    """What ``build`` gives; whatever goes wrong in it costs its own part, and names the type of the error."""
    try:
        return build()
    except Refused as error:
        return Failure(error.reason)
    except Exception as error:  # a file from elsewhere must not bring down what stands beside it
        return Failure(f"{type(error).__name__}: {shorten_text(str(error))}")


def guarded(place: str, pointer: str | None, build: Callable[[], Reading]) -> Reading:
    """One conversation, or the loss of it."""
    found = attempt(build)
    return unreadable(place, pointer, found.reason) if isinstance(found, Failure) else found


class Log(Protocol):
    """A conversation that grows line by line. ``known``: whether a line was of the format."""

    place: str
    known: bool
    ledger: Ledger

    def take(self, value: dict[str, Any], pointer: str) -> None: ...


def gather(source: Source, member: str, log: Log, what: str) -> None:
    """Every line into the log; what breaks off in the middle is a loss, what never begins raises ``InvalidInput``."""
    first = ""
    try:
        with closing(source.open(member)) as stream:
            for part in records(stream, log.place):
                reason = _take(part, log)
                if reason:
                    first = first or reason
                    log.ledger.add("unreadable_record", pointer=part.pointer, reason=reason)
    except InvalidInput as error:
        if not log.known:
            raise
        log.ledger.add("unreadable_record", reason=shorten_text(str(error), 300))
    if not log.known:
        raise Refused(log.place, [f"not a {what}: {first or 'no line has the records of one'}"])


def _take(part: Part, log: Log) -> str:
    """Why a line could not be read; ``""`` where it was."""
    if part.fault is not None:
        return part.fault.reason
    if not isinstance(part.value, dict):
        return f"{shorten(part.value)} is no object"
    found = attempt(partial(log.take, part.value, part.pointer or ""))
    return found.reason if isinstance(found, Failure) else ""


def each(
    source: Source, members: Iterable[str], read: Callable[[Source, str], Iterator[Reading]], what: str
) -> Iterator[Reading]:
    """The readings of every member. Raises ``InvalidInput`` where there is no member, or only one and it is nonsense.

    ``what`` says what is expected, for that error.
    """
    names = list(members)
    if not names:
        raise InvalidInput(f"{source.path}: holds no {what}; name the file or folder that does")
    begun = len(names) > 1
    for name in names:
        try:
            for reading in read(source, name):
                begun = True
                yield reading
        except InvalidInput as error:
            if not begun:
                raise
            yield unreadable(source.place(name), None, shorten_text(str(error), 300))
