"""Every conversation of JSON and JSONL files, whichever way they are laid out; a broken one costs only itself.

Known layouts: one object, an array of objects or of message lists, one of these a line, and a bare list of messages
(as an array, or one message a line), which is one conversation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from mnemo_lab.conversation import Conversation
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.faults import Refused, pointer, shorten
from mnemo_lab.formats.json_text import Part
from mnemo_lab.formats.json_values import Cleaner
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.streaming import elements, records
from mnemo_lab.losses import Loss, loss

ENDINGS: Final = (".json", ".jsonl", ".ndjson")
PATIENCE: Final = 50
"""So many faults in a row at the start are held back, because they may mean that the whole file is something else."""

Convert = Callable[[Any, list[Loss]], Conversation]
"""A cleaned value to a conversation, with losses added to the list; raises ``Refused`` where it is none."""
IsMessage = Callable[[Any], bool]


class _Outcome(NamedTuple):
    reading: Reading
    reason: str
    torn: bool
    """Not even JSON."""


def readings(source: Source, is_message: IsMessage, convert: Convert) -> Iterator[Reading]:
    """Every conversation of every member; raises ``InvalidInput`` where a lone file has none of them at all."""
    members = source.ending(*ENDINGS) or list(source.members)
    if not members or (len(source.members) > 1 and not source.ending(*ENDINGS)):
        raise InvalidInput(f"{source.path}: holds no {', '.join(ENDINGS)} file; name the file to read")
    for member in members:
        yield from _sifted(_outcomes(source, member, is_message, convert), lone=len(members) == 1)


def _sifted(outcomes: Iterator[_Outcome], lone: bool) -> Iterator[Reading]:
    """The readings; raises where a lone file starts with faults only, none of them JSON or no more than one."""
    held: list[_Outcome] = []
    for outcome in outcomes:
        held.append(outcome)
        if outcome.reading.conversation is None and len(held) < PATIENCE:
            continue
        if lone and all(item.torn for item in held):
            break
        yield from (item.reading for item in held)
        yield from (item.reading for item in outcomes)
        return
    if lone and held and (all(item.torn for item in held) or (len(held) == 1 and "#" not in held[0].reading.place)):
        raise Refused(held[0].reading.place, [held[0].reason])
    yield from (item.reading for item in held)


def _outcomes(source: Source, member: str, is_message: IsMessage, convert: Convert) -> Iterator[_Outcome]:
    place = source.place(member)
    messages: list[Any] | None = None
    lost: list[Loss] = []
    apart = False
    try:
        for part in _parts(source, member, place):
            if part.fault is not None and messages is None:
                yield _failed(part.place, part.pointer, part.fault.reason, torn=True)
            elif part.fault is not None:
                lost.append(loss("unreadable_record", pointer=part.pointer, reason=part.fault.reason))
            elif messages is not None or (not apart and is_message(part.value)):
                messages = [] if messages is None else messages
                messages.append(part.value)
            else:
                apart = True
                yield _converted(part.value, part.place, convert, [])
    except Refused as error:  # text that is not Unicode, or an empty file
        yield _failed(place, None, error.reason, torn=True)
    if messages is not None:
        yield _converted(messages, place, convert, lost)


def _parts(source: Source, member: str, place: str) -> Iterator[Part]:
    by_line = _is_by_line(source.head(member))
    with source.open(member) as stream:
        yield from records(stream, place) if by_line else elements(stream, place, ())


def _is_by_line(head: bytes) -> bool:
    """Whether the first line is a JSON value of its own and another line follows it.

    A first line that is longer than what is looked at is a line, too, unless it opens an array.
    """
    text = head.decode(json.detect_encoding(head), "ignore").lstrip("\ufeff \t\r\n")
    line, _, rest = text.partition("\n")
    if not rest.strip():
        return text.startswith("{") and "\n" not in text
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _converted(value: Any, place: str, convert: Convert, losses: list[Loss]) -> _Outcome:
    try:
        conversation = convert(cleaned(value, losses), losses)
    except Refused as error:
        return _failed(place, "", error.reason)
    except RecursionError:
        return _failed(place, "", "nested too deeply to be read; flatten the deepest arrays and objects")
    except Exception as error:
        # One conversation that no rule foresaw must not cost the others.
        return _failed(place, "", f"{type(error).__name__}: {error}")
    return _Outcome(Reading(conversation, tuple(losses), None, place), "", False)


def _failed(place: str, where: str | None, reason: str, torn: bool = False) -> _Outcome:
    lost = loss("unreadable_conversation", pointer=where, reason=reason, place=place)
    return _Outcome(Reading(None, (lost,), None, place), reason, torn)


def cleaned(value: Any, losses: list[Loss]) -> Any:
    """A value without lone surrogates, NaN and infinity; what was replaced is listed."""
    cleaner = Cleaner()
    value = cleaner.clean(value)
    losses += cleaner.losses
    return _without_nan(value, losses, ()) if cleaner.faults else value


def _without_nan(value: Any, losses: list[Loss], trail: tuple[str | int, ...]) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(item, losses, (*trail, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item, losses, (*trail, index)) for index, item in enumerate(value)]
    if (isinstance(value, float) and not math.isfinite(value)) or not _is_json(value):
        losses.append(loss("value_nulled", pointer=pointer(trail), reason=f"it was {shorten(value)}"))
        return None
    return value


def _is_json(value: Any) -> bool:
    faults = Cleaner()
    faults.clean(value)
    return not faults.faults
