"""The first values of a source, read once, for detection."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.base import Sample
from mnemo_lab.formats.partial_json import partial_value
from mnemo_lab.formats.source import Source

HEAD: Final = 2**18
FIRST_ELEMENTS: Final = 20
FIRST_RECORDS: Final = 20
LINES: Final = (".jsonl", ".ndjson")
_CONVERSATIONS: Final = re.compile(r"conversations(-\d+)?\.json")
_BESIDE: Final = frozenset(
    """user.json users.json projects.json memories.json message_feedback.json shared_conversations.json
    model_comparisons.json conversation_asset_file_names.json group_chats.json shopping.json sora.json
    thread.json package.json manifest.json""".split()
)
"""What exports carry beside the conversations."""
_SQLITE: Final = b"SQLite format 3\x00"


def sample_of(source: Source) -> Sample:
    """Names and first values of a source; what cannot be opened or is not JSON leaves only its names."""
    for member in islice(_telling(source.members), 3):
        try:
            head = source.head(member, HEAD)
        except InvalidInput:
            continue
        return _sample(source, member, head)
    return Sample(str(source.path), source.members)


def holds_lines(head: bytes) -> bool:
    """Whether a member that starts so is JSON lines: its first line is a whole object, or looks like a damaged one.

    A line that ends before its object does (``{``, ``"messages": [``) belongs to a single document, even where the
    document's own objects start at the beginning of lines.
    """
    text = decoded(head).lstrip("\ufeff \t\r\n")
    first, end, _ = text.partition("\n")
    damaged = first.rstrip().endswith("}") and "\n{" in text
    return text.startswith("{") and (damaged or (bool(end) and _value(first) is not None))


def first_value(head: bytes) -> Any:
    """The first JSON value of a member that starts so, of an array its first element, as far as the bytes go."""
    text = decoded(head).lstrip()
    value = _value(text.partition("\n")[0] if holds_lines(head) else text, partial=True)
    return value[0] if isinstance(value, list) and value else value


def decoded(head: bytes) -> str:
    """The text of the first bytes; what is no text, or half a character at the end, is left out."""
    return head.decode(json.detect_encoding(head), "ignore").removeprefix("\ufeff")


def _telling(members: tuple[str, ...]) -> list[str]:
    """Members by how much they tell: conversations first, then JSON, then the rest; not too deep, in order."""

    def rank(member: str) -> tuple[int, int, str]:
        path = PurePosixPath(member.lower())
        if _CONVERSATIONS.fullmatch(path.name):
            kind = 0
        elif path.suffix in (".json", *LINES, ".db", ".vscdb"):
            kind = 2 if path.name in _BESIDE else 1
        else:
            kind = 3
        return kind, len(path.parts), member

    return sorted(members, key=rank)


def _sample(source: Source, member: str, head: bytes) -> Sample:
    path = str(source.path)
    if head.startswith(_SQLITE):
        return Sample(path, source.members, sqlite=True)
    text = decoded(head).lstrip()
    named = member.lower().endswith(LINES)
    lines = holds_lines(head)
    records = _records(text) if lines or named else ()
    if lines:
        return Sample(path, source.members, None, records)
    value = _cut(_value(text, partial=True))
    return Sample(path, source.members, value, records or ((value,) if named and isinstance(value, dict) else ()))


def _records(text: str) -> tuple[Any, ...]:
    """The first lines that are objects; the last, which the head may have cut, as far as it goes."""
    lines = [line for line in text.split("\n") if line.strip()]
    values = (_value(line, partial=number == len(lines) - 1) for number, line in enumerate(lines))
    return tuple(islice((value for value in values if isinstance(value, dict)), FIRST_RECORDS))


def _value(text: str, partial: bool = False) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return partial_value(text) if partial else None


def _cut(value: Any) -> Any:
    return value[:FIRST_ELEMENTS] if isinstance(value, list) else value
