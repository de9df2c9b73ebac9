"""Read portable documents: one, an array of them, or one a line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, Final

from mnemo_lab.conversation import Conversation, DocumentMeta, time_of
from mnemo_lab.formats.base import Reading, StrPath
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.files import read_bytes
from mnemo_lab.formats.json_text import Part, Torn, decode, holds_several, parse_whole, split
from mnemo_lab.formats.json_values import Cleaner
from mnemo_lab.formats.portable.check import validate
from mnemo_lab.formats.portable.inside import conversation_of, meta_of
from mnemo_lab.formats.portable.models import VERSION_1_1, VERSIONS
from mnemo_lab.losses import Loss, loss

# As semver has it, without pre-releases; eight digits, because int() refuses a text of thousands.
_VERSION: Final = re.compile(r"(0|[1-9][0-9]{0,7})\.(0|[1-9][0-9]{0,7})\.(0|[1-9][0-9]{0,7})")
_KNOWN_MINOR: Final = 1
_ALLOWED: Final = f"readable are {', '.join(VERSIONS)} and newer 1.x.x"


def read_file(path: StrPath) -> Iterator[Reading]:
    """Every conversation of a file.

    A file of one document raises ``InvalidInput`` where that is broken. In an array or JSONL file a broken
    document is a reading without conversation, with the loss ``unreadable_conversation``; the rest arrives.
    """
    place = os.fspath(path)
    text = decode(read_bytes(path), place)
    if text.lstrip().startswith("["):
        return _readings(text, place)
    try:
        return iter((_document(parse_whole(text, place), place),))
    except Torn:
        if holds_several(text):
            return _readings(text, place)
        raise


def loads(data: bytes | str, source: str = "<memory>") -> Reading:
    """Read one document; raises ``InvalidInput`` with every fault in it. ``source`` names it there."""
    text = decode(data, source) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    return _document(parse_whole(text, source), source)


def _readings(text: str, place: str) -> Iterator[Reading]:
    return map(reading_of, split(text, place))


def reading_of(part: Part, alone: bool = False) -> Reading:
    """A document as a reading; a broken one is a loss, or raises ``Refused`` where it is ``alone``."""
    if alone and part.fault is None:
        return _document(part.value, part.place)
    fault = part.fault
    if fault is None:
        try:
            return _document(part.value, part.place)
        except Refused as error:
            fault = error
    lost = loss("unreadable_conversation", pointer=part.pointer, reason=fault.reason, place=part.place)
    return Reading(None, (lost,), None, part.place)


def _document(value: Any, place: str) -> Reading:
    if not isinstance(value, dict):
        what = f"{shorten(value)} must be an object with version, meta and conversation"
        raise Refused(place, [f"(document): {what}; read several documents with read_file(path)"])
    tree, cleaner = _clean(value, place)
    minor = _minor(tree, place)
    # After the version: in another tool's format, what JSON lacks is not the first thing to mend.
    if cleaner.faults:
        raise Refused(place, cleaner.faults)
    losses = cleaner.losses
    if minor > _KNOWN_MINOR:
        losses += [loss("newer_minor_version", pointer="/version", version=tree["version"], known=VERSION_1_1)]
    model = validate(tree | {"version": VERSION_1_1}, place, as_1_0=minor == 0)
    conversation, meta = conversation_of(model.conversation), meta_of(model)
    losses += [*_untimed(meta, conversation), *_doubtful(conversation)]
    return Reading(conversation, tuple(losses), meta, place)


def _clean(value: dict[str, Any], place: str) -> tuple[dict[str, Any], Cleaner]:
    cleaner = Cleaner()
    try:
        return cleaner.clean(value), cleaner
    except RecursionError:
        raise Refused(place, ["nested too deeply to be read; flatten the deepest arrays and objects"]) from None


def _minor(tree: dict[str, Any], place: str) -> int:
    """The minor version; raises ``Refused`` for a version that is missing, garbage or of another major."""
    if "version" not in tree:
        what = "missing" if {"meta", "conversation"} & tree.keys() else "missing, so this may be another tool's format"
        raise Refused(place, [f'/version: {what}; {_ALLOWED}; add "version": "{VERSION_1_1}"'])
    version = tree["version"]
    found = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if not found:
        raise Refused(place, [f'/version: {shorten(version)} is not a version such as "{VERSION_1_1}"; {_ALLOWED}'])
    if int(found[1]) != 1:
        next_step = "update mnemo-lab" if int(found[1]) > 1 else "export the conversation again"
        raise Refused(place, [f"/version: {shorten(version)} has another major version; {_ALLOWED}; {next_step}"])
    return int(found[2])


def _untimed(meta: DocumentMeta, conversation: Conversation) -> Iterator[Loss]:
    if time_of(meta.exported_at) is None:
        yield loss("unreadable_timestamp", pointer="/meta/exported_at", value=shorten(meta.exported_at))
    for index, message in enumerate(conversation.messages):
        if message.timestamp is not None and time_of(message.timestamp) is None:
            where, value = f"/conversation/messages/{index}/timestamp", shorten(message.timestamp)
            yield loss("unreadable_timestamp", message_id=message.id or None, pointer=where, value=value)


def _doubtful(conversation: Conversation) -> Iterator[Loss]:
    if not conversation.messages:
        yield loss("empty_conversation", pointer="/conversation/messages")
    seen: set[str] = set()
    for index, message in enumerate(conversation.messages):
        if message.id and message.id in seen:
            where = f"/conversation/messages/{index}/id"
            yield loss("duplicate_message_id", message_id=message.id, pointer=where, id=message.id)
        seen.add(message.id)
