"""Ids and names in the form a target takes: deterministic, one to one, the same on both sides of a pair."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from mnemo_lab.conversation import ToolCall
from mnemo_lab.errors import InvalidInput
from mnemo_lab.formats.faults import shorten, shorten_text
from mnemo_lab.formats.targets.draft import Draft, Entry, with_original
from mnemo_lab.formats.targets.rules import Identifier
from mnemo_lab.losses import Loss

_DIGITS: Final = string.digits + string.ascii_letters
_HASHED: Final = 8
_TRIES: Final = 1000


def check(draft: Draft) -> Iterator[Loss]:
    target = draft.target
    for entry in draft.entries:
        message = entry.message
        found: list[tuple[str | None, Identifier | None]] = []
        found += [(call.id, target.call_id) for call in message.tool_calls]
        found += [(call.name, target.call_name) for call in message.tool_calls]
        if message.role == "tool":
            found.append((message.tool_call_id, target.call_id))
        else:
            found.append((message.name or None, target.speaker))
        for text, rule in found:
            if text is not None and rule is not None and not rule.matches(text):
                yield draft.loss(
                    entry, "identifier_refused", target=target.title, id=shorten(text), pattern=rule.pattern
                )


def mend(draft: Draft) -> None:
    messages = [entry.message for entry in draft.entries]
    calls = [call for message in messages for call in message.tool_calls]
    answered = [message.tool_call_id for message in messages if message.role == "tool"]
    speakers = [message.name or None for message in messages if message.role != "tool"]
    ids = _Renames(draft, draft.target.call_id, [*(call.id for call in calls), *answered])
    names = _Renames(draft, draft.target.call_name, (call.name for call in calls))
    people = _Renames(draft, draft.target.speaker, speakers)

    def renamed(entry: Entry) -> Entry:
        message = entry.message
        if message.tool_calls:
            renamed_calls = tuple(_renamed_call(entry, call, ids, names) for call in message.tool_calls)
            entry = entry.with_message(tool_calls=renamed_calls)
        if message.role == "tool":
            return _renamed_result(entry, ids, names)
        name = people.of(entry, message.name) if message.name else message.name
        return entry if name == message.name else entry.with_message(name=name)

    draft.change(renamed)


def _renamed_call(entry: Entry, call: ToolCall, ids: _Renames, names: _Renames) -> ToolCall:
    new, name = ids.of(entry, call.id), names.of(entry, call.name)
    if new == call.id and name == call.name:
        return call
    extensions = call.extensions if new == call.id else with_original(call.extensions, call.id)
    if name != call.name:
        extensions = {"original_name": call.name, **extensions}
    return replace(call, id=new, name=name, extensions=extensions)


def _renamed_result(entry: Entry, ids: _Renames, names: _Renames) -> Entry:
    message = entry.message
    if message.name in names.new:
        entry = entry.with_message(name=names.new[message.name])
    if message.tool_call_id is None:
        return entry
    new = ids.of(entry, message.tool_call_id)
    if new == message.tool_call_id:
        return entry
    return entry.with_message(tool_call_id=new, extensions=with_original(message.extensions, message.tool_call_id))


class _Renames:
    """New texts for those that a rule refuses; texts that are right keep theirs, and nobody else gets it."""

    def __init__(self, draft: Draft, rule: Identifier | None, texts: Iterable[str | None]) -> None:
        self.draft = draft
        self.rule = rule
        self.new: dict[str, str] = {}
        self.noted: set[str] = set()
        if rule is None:
            return
        wanted = dict.fromkeys(text for text in texts if text is not None)
        taken = {text for text in wanted if rule.matches(text)}
        for text in wanted:
            if not rule.matches(text):
                self.new[text] = renamed(text, rule, taken)
                taken.add(self.new[text])

    def of(self, entry: Entry, text: str) -> str:
        """The new text, noted at the entry where it is first met."""
        if self.rule is None or text not in self.new:
            return text
        if text not in self.noted:
            self.noted.add(text)
            shown = shorten_text(text) or '""'
            self.draft.note(entry, "id_renamed", id=shown, new=self.new[text], reason=self.rule.pattern)
        return self.new[text]


def renamed(text: str, rule: Identifier, taken: set[str]) -> str:
    """A text that the rule takes and nobody has: cleaned where that is enough, else with a hash of the original.

    Raises ``InvalidInput`` where the rule leaves no room for either.
    """
    letter = re.compile(f"[{rule.letters}]")
    cleaned = "".join(char if letter.fullmatch(char) else "_" for char in text)
    if rule.matches(cleaned) and cleaned not in taken:
        return cleaned
    digits = "".join(filter(letter.fullmatch, _DIGITS))
    for number in range(_TRIES if len(digits) > 1 else 0):
        for made in _candidates(cleaned, _hash(text, number, digits), rule):
            if rule.matches(made) and made not in taken:
                return made
    raise InvalidInput(f"no text of the form {rule.pattern} could be made from {shorten(text)}")


def _candidates(cleaned: str, hashed: str, rule: Identifier) -> Iterator[str]:
    if rule.shortest != rule.longest:
        room = None if rule.longest is None else max(rule.longest - _HASHED - 2, 0)
        yield f"{cleaned[:room]}_{hashed[:_HASHED]}"
        yield f"x{cleaned[:room]}_{hashed[:_HASHED]}"
    yield hashed[: rule.longest or max(rule.shortest, _HASHED)]


def _hash(text: str, number: int, digits: str) -> str:
    """SHA-256 in the digits that may be used; ``number`` counts collisions."""
    salt = f"#{number}" if number else ""
    # Ids may hold lone surrogates, which plain UTF-8 refuses.
    value = int.from_bytes(hashlib.sha256((text + salt).encode("utf-8", "surrogatepass")).digest(), "big")
    found = []
    while value:
        value, digit = divmod(value, len(digits))
        found.append(digits[digit])
    return "".join(found)
