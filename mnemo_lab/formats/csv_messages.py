"""A conversation as a table of messages: columns ``role`` and ``content``, optionally ``timestamp``, ``name``, ``id``.

The header's case does not matter, nor whether commas, semicolons or tabs separate. Other columns are kept under
``extensions["csv"]``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from mnemo_lab.conversation import ROLES, Conversation, Message, Role
from mnemo_lab.formats.base import Detection, Reading, Sample
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.json_text import decode
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.times import iso_time
from mnemo_lab.losses import Loss, loss

name: Final = "csv"
title: Final = "CSV table of messages"

_ENDINGS: Final = (".csv", ".tsv")
_NEEDED: Final = ("role", "content")
_KNOWN: Final = (*_NEEDED, "timestamp", "name", "id", "tool_call_id")
_ROLES: Final[dict[str, Role]] = {
    **{role: role for role in ROLES},
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "gpt": "assistant",
    "developer": "system",
    "function": "tool",
}
_LONGEST_FIELD: Final = 2**27


class _Row(NamedTuple):
    """A row by column name, and the line of the file it starts on."""

    line: int
    fields: dict[str, str]


def detect(sample: Sample) -> Detection | None:
    """By the name alone: a table has no other sign."""
    names = [member for member in sample.members if member.lower().endswith(_ENDINGS)]
    if len(names) != len(sample.members) or not names:
        return None
    return Detection(0.8, f"its name ends in {PurePosixPath(names[0]).suffix.lower()}")


def read(source: Source) -> Iterator[Reading]:
    """One conversation a file; raises ``InvalidInput`` with the line of every fault where there is only one file."""
    members = list(source.members) if source.is_file else source.ending(*_ENDINGS)
    for member in members:
        place = source.place(member)
        try:
            yield _read(decode(source.bytes(member), place), place, PurePosixPath(member).stem)
        except Refused as fault:
            if len(members) == 1:
                raise
            lost = loss("unreadable_conversation", pointer=member, reason=fault.reason, place=place)
            yield Reading(None, (lost,), None, place)


def _read(text: str, place: str, stem: str) -> Reading:
    faults: list[str] = []
    losses: list[Loss] = []
    messages: list[Message] = []
    for row in _rows(text, place, faults):
        message = _message(row, faults, losses)
        if message:
            messages.append(message)
    if faults:
        raise Refused(place, faults)
    if not messages:
        losses.append(loss("empty_conversation"))
    prompt = None
    if messages and messages[0].role == "system":
        prompt, messages = messages[0].text, messages[1:]
    return Reading(Conversation(tuple(messages), title=stem, system_prompt=prompt), tuple(losses), None, place)


def _rows(text: str, place: str, faults: list[str]) -> Iterator[_Row]:
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    columns: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            if columns is None and any(cells):
                columns = _columns(cells, place, line)
            elif columns is not None and any(cells):
                if len(cells) > len(columns):
                    faults.append(_too_many(line, cells, columns))
                yield _Row(line, dict(zip(columns, cells, strict=False)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise Refused(
            place, [*faults, f"line {line}: {error}; check the quotes, a quote inside text is doubled"]
        ) from None
    if columns is None:
        raise Refused(place, [f"empty; expected a header with {' and '.join(_NEEDED)}"])


def _delimiter(text: str) -> str:
    header = text.lstrip("\r\n").partition("\n")[0]
    return max(",;\t", key=header.count)


def _columns(cells: list[str], place: str, line: int) -> list[str]:
    columns = [cell.strip().lower() for cell in cells]
    missing = [column for column in _NEEDED if column not in columns]
    twice = sorted({column for column in columns if column in _KNOWN and columns.count(column) > 1})
    if missing or twice:
        what = f"no column {' and '.join(missing)}" if missing else f"column {', '.join(twice)} stands twice"
        found = shorten(", ".join(columns))
        raise Refused(place, [f"line {line}: {what}; found {found}; needed are role and content"])
    return columns


def _too_many(line: int, cells: list[str], columns: list[str]) -> str:
    return f"line {line}: {len(cells)} fields, but {len(columns)} columns; put text with separators into quotes"


def _message(row: _Row, faults: list[str], losses: list[Loss]) -> Message | None:
    given = row.fields.get("role", "").strip()
    role = _ROLES.get(given.lower())
    if role is None:
        faults.append(f"line {row.line}: role {shorten(given)} is not one of {', '.join(ROLES)}")
        return None
    place, identity = f"/{row.line}", row.fields.get("id", "").strip()
    if role != given.lower():
        losses.append(loss("role_mapped", message_id=identity or None, pointer=place, role=given, new=role))
    content = row.fields.get("content", "")
    written = row.fields.get("timestamp", "").strip()
    time = iso_time(written) if written else None
    if written and time is None:
        losses.append(loss("unreadable_timestamp", message_id=identity or None, pointer=place, value=shorten(written)))
    rest = {key: value for key, value in row.fields.items() if key not in _KNOWN and value}
    return Message(
        role,
        content,
        identity,
        time or written or None,
        row.fields.get("name", "").strip() or None,
        tool_call_id=row.fields.get("tool_call_id", "").strip() or None,
        extensions={"csv": rest} if rest else {},
    )
