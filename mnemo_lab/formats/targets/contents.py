"""What a message holds: null and empty content, and arguments that are no JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NoReturn

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.formats.targets.draft import Draft, Entry, has_refusal
from mnemo_lab.formats.targets.rules import Target
from mnemo_lab.losses import Loss

EMPTY: Final = "(empty message)"
"""What a placeholder for an empty message says."""


def check(draft: Draft) -> Iterator[Loss]:
    target = draft.target
    for entry in draft.entries:
        message = entry.message
        found = _null(message, target) or _empty(message, target)
        if found:
            yield draft.loss(entry, "empty_refused", target=target.title, role=message.role, found=found)
        for call in message.tool_calls:
            if target.arguments == "fine" or is_object(call.arguments):
                continue
            if target.arguments == "refused":
                yield draft.loss(entry, "arguments_refused", target=target.title, name=call.name)
            else:
                yield draft.loss(entry, "bad_arguments", name=call.name)


def mend(draft: Draft) -> None:
    if draft.target.arguments == "refused":
        draft.change(lambda entry: _with_objects(draft, entry))
    draft.change(lambda entry: _without_null(draft, entry))
    draft.change(lambda entry: _without_empty(draft, entry))


def _null(message: Message, target: Target) -> str | None:
    if isinstance(message.content, str) or target.takes_null or _has_more(message):
        return None
    return "null" if message.content is None else "missing"


def _empty(message: Message, target: Target) -> str | None:
    """What an empty message holds in place of content; ``None`` for one that is not empty, or may be."""
    if message.role not in target.empty_refused or _has_more(message):
        return None
    if target.blank_is_empty and not message.text.strip():
        return json.dumps(message.text[:20])
    return None if message.text else '""'


def _has_more(message: Message) -> bool:
    return bool(message.tool_calls or message.attachments) or has_refusal(message)


def _without_null(draft: Draft, entry: Entry) -> Entry:
    found = _null(entry.message, draft.target)
    if found is None:
        return entry
    if not _empty(entry.message, draft.target):  # else the next step says what became of it
        draft.note(entry, "null_replaced", found=found)
    return entry.with_message(content="")


def _without_empty(draft: Draft, entry: Entry) -> Entry | None:
    if not _empty(entry.message, draft.target):
        return entry
    # A result that is dropped would leave its call unanswered.
    if draft.policy == "drop" and entry.message.role != "tool":
        draft.note(entry, "empty_message")
        return None
    draft.note(entry, "placeholder_added", reason="content")
    return entry.with_message(content=EMPTY)


def _with_objects(draft: Draft, entry: Entry) -> Entry:
    if all(is_object(call.arguments) for call in entry.message.tool_calls):
        return entry
    return entry.with_message(tool_calls=tuple(_with_object(draft, entry, call) for call in entry.message.tool_calls))


def _with_object(draft: Draft, entry: Entry, call: ToolCall) -> ToolCall:
    if is_object(call.arguments):
        return call
    kept = json.dumps({"raw": call.arguments}) if draft.policy == "placeholder" else "{}"
    draft.note(entry, "arguments_replaced", name=call.name, new='{"raw": …}' if kept != "{}" else kept)
    return replace(call, arguments=kept, extensions={"original_arguments": call.arguments, **call.extensions})


def is_object(arguments: str) -> bool:
    """Whether arguments are the text of a JSON object; blank text is, because writers make it ``{}``."""
    if not arguments.strip():
        return True
    try:
        value: Any = json.loads(arguments, parse_constant=_refuse)
    except (ValueError, RecursionError):  # ValueError also for integers too long to read
        return False
    return isinstance(value, dict)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
