"""Read every conversation of a Claude.ai export, one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import PurePosixPath
from typing import Any, Final

from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.claude_ai.conversation import NAME, conversation_of
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.histories.reading import each, guarded, unreadable
from mnemo_lab.formats.histories.tidy import tidy
from mnemo_lab.formats.json_text import Part
from mnemo_lab.formats.source import Source
from mnemo_lab.formats.streaming import elements, records

name: Final = NAME
_MAIN: Final = re.compile(r"conversations.*\.json")
_OTHERS: Final = frozenset({"users.json", "projects.json", "memories.json"})


def read(source: Source) -> Iterator[Reading]:
    """Raises ``InvalidInput`` where no member holds a conversation."""
    return each(source, _members(source), _member, "Claude.ai conversations (conversations.json)")


def _members(source: Source) -> list[str]:
    if source.is_file:
        return list(source.members)
    found = source.ending(".json", ".jsonl")
    main = [member for member in found if _MAIN.fullmatch(PurePosixPath(member).name)]
    return main or [member for member in found if PurePosixPath(member).name not in _OTHERS]


def _member(source: Source, member: str) -> Iterator[Reading]:
    place, good = source.place(member), False
    held: list[Part] = []
    with closing(source.open(member)) as stream:
        for part in (records if member.endswith(".jsonl") else elements)(stream, place):
            if part.fault is not None and not good:
                held.append(part)  # where nothing is good, the file as a whole is none of ours
                continue
            good = True
            yield from map(_reading, [*held, part])
            held.clear()
    if held:
        raise held[0].fault or Refused(place, ["not readable"])


def _reading(part: Part) -> Reading:
    if part.fault is not None:
        return unreadable(part.place, part.pointer, part.fault.reason)
    return guarded(part.place, part.pointer, lambda: _build(part))


def _build(part: Part) -> Reading:
    value, pointer = part.value, part.pointer or ""
    if not isinstance(value, dict) or not isinstance(value.get("chat_messages"), list):
        what = "has no chat_messages" if isinstance(value, dict) else "is no object with chat_messages"
        raise Refused(part.place, [f"{shorten(value)} {what}"])
    ledger = Ledger()
    clean: dict[str, Any] = tidy(value, part.place, (None, pointer[1:]) if pointer else None, ledger)
    conversation = conversation_of(clean, pointer, ledger)
    return Reading(conversation, ledger.losses, None, part.place)
