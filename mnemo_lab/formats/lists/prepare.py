"""What every writer of these formats does first, and how it lists what it cannot keep."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, NamedTuple

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.faults import pointer
from mnemo_lab.formats.json_values import Cleaner
from mnemo_lab.formats.lists.values import DEEPEST, deeper_than
from mnemo_lab.formats.tree import active_path
from mnemo_lab.losses import CODES, Loss, loss

KNOWN: Final = frozenset({"reasoning", "is_error", "citations", "refusal", "hidden"})
"""Extensions of a message that have a meaning of their own in every format (see ``formats.base``)."""


Trail = tuple[str | int, ...]


def made(code: str, message_id: str | None, where: str | None, values: Mapping[str, object]) -> Loss:
    """``loss`` for values that come as a mapping."""
    return replace(
        loss(code, message_id=message_id, pointer=where), values=tuple((k, str(v)) for k, v in values.items())
    )


class Tally:
    """Losses of one conversation: one per message where they weigh, one in all where they only inform."""

    def __init__(self, start: str = "") -> None:
        self.losses: list[Loss] = []
        self._start = start
        self._told: set[Loss] = set()

    def add(self, code: str, at: tuple[int, Message] | None = None, **values: object) -> None:
        """List a loss of the message at a position, or of the conversation."""
        if at is None or CODES[code].severity == "info":
            found = made(code, None, self._start or None, values)
        else:
            found = made(code, at[1].id or None, f"{self._start}/messages/{at[0]}", values)
        if found not in self._told:
            self._told.add(found)
            self.losses.append(found)


class Prepared(NamedTuple):
    """A linear conversation that can be written as UTF-8 JSON."""

    conversation: Conversation
    tally: Tally


def prepared(conversations: Sequence[Conversation]) -> list[Prepared]:
    several = len(conversations) > 1
    return [_prepared(item, f"/{index}" if several else "") for index, item in enumerate(conversations)]


def only(conversations: Sequence[Conversation], title: str) -> Prepared:
    """The one conversation; raises ``InvalidInput`` for none and for several."""
    if len(conversations) != 1:
        what = f"a {title} file holds one conversation, not {len(conversations)}"
        raise InvalidInput(f"{what}; write each to a file of its own")
    return prepared(conversations)[0]


def _prepared(conversation: Conversation, start: str) -> Prepared:
    tally = Tally(start)
    linear = active_path(conversation)
    tally.losses += linear.losses
    return Prepared(_scrubbed(linear.conversation, tally, start), tally)


def _scrubbed(conversation: Conversation, tally: Tally, start: str) -> Conversation:
    """Without lone surrogates, and with nothing in the extensions that JSON cannot say."""
    messages = tuple(
        _scrub(message, _Notes(tally, f"{start}/messages/{index}", message), ())
        for index, message in enumerate(conversation.messages)
    )
    rest = _scrub(replace(conversation, messages=()), _Notes(tally, start, None), ())
    scrubbed: Conversation = replace(rest, messages=messages)
    return scrubbed


class _Notes(NamedTuple):
    tally: Tally
    start: str
    message: Message | None

    def add(self, code: str, trail: Trail, **values: object) -> None:
        id_ = self.message.id.encode(errors="replace").decode() if self.message else None
        self.tally.losses.append(made(code, id_ or None, self.start + pointer(trail), values))


def _scrub(value: Any, notes: _Notes, trail: Trail) -> Any:
    if isinstance(value, str):
        cleaner = Cleaner()
        text = value if value.isascii() else cleaner.clean(value)
        if cleaner.losses:
            notes.add("unicode_replaced", trail)
        return text
    if is_dataclass(value) and not isinstance(value, type):
        found = {item.name: getattr(value, item.name) for item in fields(value)}
        return replace(value, **{name: _scrub(item, notes, (*trail, name)) for name, item in found.items()})
    if isinstance(value, Mapping):
        return _json_only(value, notes, trail)
    return tuple(_scrub(x, notes, (*trail, i)) for i, x in enumerate(value)) if isinstance(value, tuple) else value


def _json_only(extensions: Mapping[str, Any], notes: _Notes, trail: Trail) -> dict[str, Any]:
    """Extensions without what is no JSON, or nested too deep to be written."""
    kept: dict[str, Any] = {}
    for key, item in extensions.items():
        cleaner = Cleaner()
        try:
            clean = cleaner.clean({key: item})
            fits = not cleaner.faults and not deeper_than(clean, DEEPEST)
        except RecursionError:
            clean, fits = {}, False
        if cleaner.losses:
            notes.add("unicode_replaced", (*trail, str(key).encode(errors="replace").decode()))
        if not fits:
            notes.add("field_dropped", trail, field=f"extensions.{key}".encode(errors="replace").decode())
        kept |= clean if fits else {}
    return kept


def own(extensions: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a format left for itself; ``{}`` where that is nothing it could have left."""
    found = extensions.get(name)
    return dict(found) if isinstance(found, Mapping) else {}


def tool_names(messages: Sequence[Message]) -> list[str]:
    """For each message the name of the call it answers, the latest of that id, because ids do come twice; or ``""``."""
    found: list[str] = []
    names: dict[str, str] = {}
    for message in messages:
        names |= {call.id: call.name for call in message.tool_calls}
        found.append(names.get(message.tool_call_id or "", "") if message.role == "tool" else "")
    return found


def reasoning_of(message: Message) -> list[dict[str, Any]]:
    """The message's reasoning, entries with text only."""
    found = message.extensions.get("reasoning")
    entries = found if isinstance(found, list) else []
    return [item for item in entries if isinstance(item, dict) and isinstance(item.get("text"), str) and item["text"]]


def signatures_of(message: Message) -> list[str]:
    """The providers whose signatures the message's reasoning carries."""
    found = message.extensions.get("reasoning")
    entries = [item for item in (found if isinstance(found, list) else []) if isinstance(item, dict)]
    return [str(item.get("provider") or "its provider") for item in entries if item.get("signature")]


def citations_of(message: Message) -> list[Any]:
    found = message.extensions.get("citations")
    return found if isinstance(found, list) else []


def refusal_of(message: Message) -> str:
    found = message.extensions.get("refusal")
    return found if isinstance(found, str) else ""


def note_filled(tally: Tally, message: Message) -> None:
    """List that null or missing content is written as an empty text."""
    tally.add("content_filled", found="null" if message.content is None else "missing", written='""')


def note_foreign(tally: Tally, extensions: Mapping[str, Any], known: Collection[str]) -> None:
    """List extensions that belong to others."""
    for name in extensions:
        if name not in known:
            tally.add("field_dropped", field=f"extensions.{name}")


def rendered(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def line(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, allow_nan=False) + "\n"
