"""Whose turn it is: starting with the user, alternating, and answers between results and the user's next message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mnemo_lab.conversation import Message
from mnemo_lab.formats.targets.draft import Draft, Entry, is_bare
from mnemo_lab.formats.targets.pairs import remove_calls
from mnemo_lab.formats.targets.rules import Turn
from mnemo_lab.losses import Loss

NO_START: Final = "(conversation starts)"
NO_ANSWER: Final = "(no answer)"
"""What placeholder turns say."""


def check(draft: Draft) -> Iterator[Loss]:
    previous = "start"
    for entry in draft.entries:
        message = entry.message
        if message.role == "system":
            continue
        for code, turns in (
            ("turn_refused", draft.target.refused_turns),
            ("turn_doubtful", draft.target.doubtful_turns),
        ):
            if _is_in(turns, previous, message):
                yield draft.loss(entry, code, target=draft.target.title, role=message.role, previous=previous)
                break
        previous = message.role


def mend(draft: Draft) -> None:
    turns = draft.target.refused_turns
    if ("tool", "user") in turns:
        draft.entries = _with_answers(draft)
    draft.entries = _merged(draft, turns)
    _mend_start(draft, turns)


def _is_in(turns: frozenset[Turn], previous: str, message: Message) -> bool:
    return (previous, message.role) in turns or (bool(message.tool_calls) and (previous, "call") in turns)


def _with_answers(draft: Draft) -> list[Entry]:
    """An assistant message between a result and the user's next one, or (``drop``) no such step."""
    out: list[Entry] = []
    for entry in draft.entries:
        if entry.message.role == "user" and _last_role(out) == "tool":
            if draft.policy == "drop":
                while _last_role(out) == "tool":
                    _drop_last_step(draft, out)
            else:
                draft.note(entry, "placeholder_added", reason="assistant")
                out.append(Entry(Message("assistant", NO_ANSWER), None))
        out.append(entry)
    return out


def _last_role(entries: list[Entry]) -> str:
    return next((entry.message.role for entry in reversed(entries) if entry.message.role != "system"), "start")


def _drop_last_step(draft: Draft, out: list[Entry]) -> None:
    """Remove the results at the end and the calls they answer; the text beside the calls stays."""
    kept: list[Entry] = []  # system messages in between
    while out and out[-1].message.role in ("tool", "system"):
        entry = out.pop()
        if entry.message.role == "system":
            kept.insert(0, entry)
        else:
            draft.note(entry, "turn_removed", role="tool")
    if out and out[-1].message.tool_calls:
        entry = out.pop()
        step = remove_calls(draft, entry, entry.message.tool_calls)
        if not is_bare(step.message):
            out.append(step)
    out += kept


def _merged(draft: Draft, turns: frozenset[Turn]) -> list[Entry]:
    """Messages of one role in a row as one, where the target refuses any of them after another.

    All of them: a call joined to only the last text before it would still stand after the text before that.
    """
    entries: list[Entry | None] = list(draft.entries)
    for run in _runs(draft.entries):
        group = [draft.entries[position] for position in run]
        if any(_is_in(turns, entry.message.role, entry.message) for entry in group[1:]):
            entries[run[0]] = _one(draft, group)
            for position in run[1:]:
                entries[position] = None
    return [entry for entry in entries if entry is not None]


def _runs(entries: list[Entry]) -> list[list[int]]:
    """Positions of messages that follow one another in one role, system messages left out."""
    runs: list[list[int]] = []
    for position, entry in enumerate(entries):
        if entry.message.role == "system":
            continue
        if runs and entries[runs[-1][0]].message.role == entry.message.role:
            runs[-1].append(position)
        else:
            runs.append([position])
    return runs


def _one(draft: Draft, group: list[Entry]) -> Entry:
    """One message for several: texts with blank lines between, calls and attachments one after the other."""
    first = group[0]
    messages = [entry.message for entry in group]
    draft.note(first, "roles_merged", count=len(group), role=first.message.role)
    names = dict.fromkeys(message.name for message in messages)
    for name in names:
        if name and len(names) > 1:
            draft.note(first, "name_dropped", name=name)
    extensions: dict[str, Any] = {}
    for message in messages:
        _add_extensions(extensions, message.extensions)
    return first.with_message(
        content="\n\n".join(filter(None, (message.text for message in messages))) or first.message.content,
        name=first.message.name if len(names) == 1 else None,
        tool_calls=tuple(call for message in messages for call in message.tool_calls),
        attachments=tuple(item for message in messages for item in message.attachments),
        extensions=extensions,
    )


def _add_extensions(merged: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Lists one after the other; of other values the first stays."""
    for key, value in more.items():
        if isinstance(merged.get(key), list) and isinstance(value, list):
            merged[key] = [*merged[key], *value]
        else:
            merged.setdefault(key, value)


def _mend_start(draft: Draft, turns: frozenset[Turn]) -> None:
    if draft.policy == "drop":
        draft.entries = list(_without_start(draft, turns))
        return
    start = next((n for n, entry in enumerate(draft.entries) if entry.message.role != "system"), None)
    if start is not None and _is_in(turns, "start", draft.entries[start].message):
        draft.note(draft.entries[start], "placeholder_added", reason="user")
        draft.entries.insert(start, Entry(Message("user", NO_START), None))


def _without_start(draft: Draft, turns: frozenset[Turn]) -> Iterator[Entry]:
    """Everything from the first message on that may stand first; the results of dropped calls go with them."""
    begun = dropped = False
    for entry in draft.entries:
        role = entry.message.role
        if not begun and role != "system":
            if _is_in(turns, "start", entry.message) or (dropped and role == "tool"):
                draft.note(entry, "turn_removed", role=role)
                dropped = True
                continue
            begun = True
        yield entry
