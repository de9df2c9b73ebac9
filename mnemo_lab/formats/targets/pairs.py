"""Calls and results: every call answered once, directly after its message."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.formats.targets.draft import Draft, Entry, is_bare, with_original
from mnemo_lab.losses import Loss
from mnemo_lab.units import validate_messages

NO_RESULT: Final = "(no result)"
"""What a placeholder result says."""

_PAIRING: Final = {
    "orphan_tool_result",
    "unanswered_tool_call",
    "late_tool_result",
    "duplicate_call_id",
    "result_without_call_id",
}
# The user's next message: by then a call that still waits for its result is unanswered.
_NEXT: Final = Message("user", "")


def check(draft: Draft) -> Iterator[Loss]:
    target = draft.target
    for entry in draft.entries:
        count = len(entry.message.tool_calls)
        most = 0 if entry.message.role != "assistant" else count if target.parallel_calls else 1
        if count > most:
            yield draft.loss(entry, "calls_refused", target=target.title, count=count, role=entry.message.role)
    messages = [entry.message for entry in draft.entries]
    for fault in validate_messages([*messages, _NEXT]):
        if fault.code in _PAIRING:
            entry = draft.entries[int((fault.pointer or "").rpartition("/")[2])]
            values = dict(fault.values)
            if target.pairing == "refused":
                yield draft.loss(entry, fault.code, **values)
            else:
                yield draft.loss(entry, "pair_misread", target=target.title, call=values.get("call", "?"))


def mend(draft: Draft) -> None:
    draft.change(lambda entry: _without_strange_calls(draft, entry))
    if draft.target.pairing == "refused":
        draft.entries = _Pairing(draft).run()
    if not draft.target.parallel_calls:
        draft.entries = list(_split(draft))


def _without_strange_calls(draft: Draft, entry: Entry) -> Entry:
    if entry.message.role == "assistant" or not entry.message.tool_calls:
        return entry
    return remove_calls(draft, entry, entry.message.tool_calls)


def remove_calls(draft: Draft, entry: Entry, calls: tuple[ToolCall, ...]) -> Entry:
    """The entry without some of its calls, each of them noted."""
    for call in calls:
        draft.note(entry, "call_removed", call=call.id, name=call.name)
    gone = set(map(id, calls))
    kept = tuple(call for call in entry.message.tool_calls if id(call) not in gone)
    return entry.with_message(tool_calls=kept)


@dataclass(slots=True, eq=False)
class _Slot:
    """One call that waits for its result. ``call`` has its final id, the key it is found by has the original one."""

    call: ToolCall
    answered: bool = False


@dataclass(slots=True)
class _Step:
    entry: Entry
    slots: list[_Slot] = field(default_factory=list)
    results: list[Entry] = field(default_factory=list)


class _Pairing:
    """Takes entries in order, gives each result to its call, and lays every step out anew."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.ids = {call.id for entry in draft.entries for call in entry.message.tool_calls}
        self.used: set[str] = set()
        self.numbers: dict[str, int] = {}
        # Per id the steps that still wait for it, latest last: a result answers the latest call before it.
        self.waiting: dict[str, list[deque[_Slot]]] = {}
        self.owner: dict[int, _Step] = {}
        self.steps: list[_Step] = []

    def run(self) -> list[Entry]:
        for entry in self.draft.entries:
            if entry.message.role == "tool":
                self._result(entry)
            else:
                self._message(entry)
        return [entry for step in self.steps for entry in self._laid_out(step)]

    def _message(self, entry: Entry) -> None:
        step = _Step(entry)
        self.steps.append(step)
        own: dict[str, deque[_Slot]] = {}
        for call in entry.message.tool_calls:
            slot = _Slot(self._unique(entry, call))
            step.slots.append(slot)
            self.owner[id(slot)] = step
            own.setdefault(call.id, deque()).append(slot)
        for name, slots in own.items():
            self.waiting.setdefault(name, []).append(slots)
        if any(slot.call is not call for slot, call in zip(step.slots, entry.message.tool_calls, strict=True)):
            step.entry = entry.with_message(tool_calls=tuple(slot.call for slot in step.slots))

    def _unique(self, entry: Entry, call: ToolCall) -> ToolCall:
        if call.id not in self.used:
            self.used.add(call.id)
            return call
        number = self.numbers.get(call.id, 2)
        while (new := f"{call.id}_{number}") in self.ids or new in self.used:
            number += 1
        self.numbers[call.id] = number + 1
        self.used.add(new)
        self.draft.note(entry, "id_renamed", id=call.id, new=new, reason="duplicate_call_id")
        return replace(call, id=new, extensions=with_original(call.extensions, call.id))

    def _result(self, entry: Entry) -> None:
        message = entry.message
        slot = self._slot_for(message)
        if slot is None:
            self.draft.note(entry, "result_removed", call=message.tool_call_id or "?")
            return
        slot.answered = True
        step = self.owner[id(slot)]
        if step is not self.steps[-1] or message.tool_call_id is None:
            self.draft.note(entry, "result_moved", call=slot.call.id)
        if message.tool_call_id != slot.call.id:
            extensions = message.extensions
            if message.tool_call_id is not None:
                extensions = with_original(extensions, message.tool_call_id)
            entry = entry.with_message(tool_call_id=slot.call.id, extensions=extensions)
        step.results.append(entry)

    def _slot_for(self, message: Message) -> _Slot | None:
        if message.tool_call_id is None:
            return self._slot_by_order(message)
        stack = self.waiting.get(message.tool_call_id, [])
        while stack:
            while stack[-1]:
                slot = stack[-1].popleft()
                if not slot.answered:
                    return slot
            stack.pop()
        return None

    def _slot_by_order(self, message: Message) -> _Slot | None:
        """For a result that names no call: the first open one of the step it follows, of its name if there is one."""
        open_slots = [slot for slot in self.steps[-1].slots if not slot.answered] if self.steps else []
        named = [slot for slot in open_slots if slot.call.name == message.name]
        return next(iter(named or open_slots), None)

    def _laid_out(self, step: _Step) -> Iterator[Entry]:
        missing = tuple(slot.call for slot in step.slots if not slot.answered)
        if not missing:
            yield from (step.entry, *step.results)
        elif self.draft.policy == "drop":
            entry = remove_calls(self.draft, step.entry, missing)
            if is_bare(entry.message):
                self.draft.note(entry, "empty_message")
            else:
                yield entry
            yield from step.results
        else:
            yield from (step.entry, *step.results)
            for call in missing:
                self.draft.note(step.entry, "result_added", call=call.id)
                yield Entry(Message("tool", NO_RESULT, name=call.name, tool_call_id=call.id), None)


def _split(draft: Draft) -> Iterator[Entry]:
    """One call a message, its result behind it: the first stays with the text, the others get messages of their own."""
    position = 0
    while position < len(draft.entries):
        entry = draft.entries[position]
        calls = entry.message.tool_calls
        position += 1
        if len(calls) < 2:
            yield entry
            continue
        draft.note(entry, "calls_split", count=len(calls))
        # Every call is answered exactly once by now.
        results = {item.message.tool_call_id: item for item in draft.entries[position : position + len(calls)]}
        position += len(calls)
        own = Message("assistant", None, timestamp=entry.message.timestamp, name=entry.message.name)
        for number, call in enumerate(calls):
            yield Entry(replace(own if number else entry.message, tool_calls=(call,)), entry.origin)
            yield results[call.id]
