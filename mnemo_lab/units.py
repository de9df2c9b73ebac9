"""Units and turns: what no strategy may break, and the check that nothing was broken.

A *Unit* is a system or user message, or a *Step*: an assistant message with the tool results that
answer its calls and directly follow it. A tool message that directly follows belongs to the step as long as
a call is open, or where it answers a call again; any other is a unit of its own of kind ``orphan``. A *Turn*
is a user message and every unit up to the next user message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from mnemo_lab.conversation import Message
from mnemo_lab.losses import Loss, loss

UnitKind = Literal["system", "user", "step", "orphan"]
NO_CALLS: Final[frozenset[str]] = frozenset()


class Unit(NamedTuple):
    """Messages ``start`` to ``stop - 1`` of a list."""

    kind: UnitKind
    start: int
    stop: int

    @property
    def positions(self) -> range:
        return range(self.start, self.stop)


class UnitParser:
    """Grows the list of units one message at a time, so that a replay never parses a message twice."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self._calls = NO_CALLS
        self._open: set[str] = set()

    def append(self, message: Message) -> None:
        position = self.units[-1].stop if self.units else 0
        if message.role == "tool" and (self._open or message.tool_call_id in self._calls):
            self._open.discard(message.tool_call_id or "")
            step = self.units[-1]
            self.units[-1] = Unit(step.kind, step.start, position + 1)
            return
        calls = message.tool_calls if message.role == "assistant" else ()
        self._calls = frozenset(call.id for call in calls) if calls else NO_CALLS
        self._open = set(self._calls)
        self.units.append(Unit(_kind(message), position, position + 1))


def _kind(message: Message) -> UnitKind:
    if message.role == "assistant":
        return "step"
    return "orphan" if message.role == "tool" else message.role


def parse_units(messages: Iterable[Message]) -> list[Unit]:
    """The units of a message list, in order; they cover every message exactly once."""
    parser = UnitParser()
    for message in messages:
        parser.append(message)
    return parser.units


def parse_turns(units: Sequence[Unit]) -> list[range]:
    """The turns as ranges over ``units``; leading units before the first user message form one turn."""
    starts = [i for i, unit in enumerate(units) if unit.kind == "user"]
    if units and (not starts or starts[0] != 0):
        starts.insert(0, 0)
    return [range(a, b) for a, b in pairwise([*starts, len(units)])]


def validate_messages(messages: Sequence[Message]) -> list[Loss]:
    """What a chat API would reject or misread in this list: pairing of calls and results, and order.

    A trailing assistant message whose calls are still pending is valid: the results may be on their way.
    """
    found: list[Loss] = []
    called: dict[str, int] = {}
    answered: set[str] = set()
    pending: set[str] = set()
    body_started = False
    for position, message in enumerate(messages):
        place = f"/messages/{position}"
        if message.role == "tool":
            found += _check_result(message, place, called, pending)
            answered.add(message.tool_call_id or "")
            pending.discard(message.tool_call_id or "")
        else:
            found += [_unanswered(messages[called[call]], called[call], call) for call in sorted(pending)]
            pending = set()
            found += _check_order(message, place, body_started)
        for call in message.tool_calls if message.role == "assistant" else ():
            if call.id in called:
                found.append(loss("duplicate_call_id", message_id=message.id, pointer=place, call=call.id))
            called[call.id] = position
            pending.add(call.id)
        body_started = body_started or message.role != "system"
    return found


def _unanswered(message: Message, position: int, call: str) -> Loss:
    return loss("unanswered_tool_call", message_id=message.id, pointer=f"/messages/{position}", call=call)


def _check_result(message: Message, place: str, called: dict[str, int], pending: set[str]) -> list[Loss]:
    call = message.tool_call_id
    if call is None:
        return [loss("result_without_call_id", message_id=message.id, pointer=place)]
    if call not in called:
        return [loss("orphan_tool_result", message_id=message.id, pointer=place, call=call)]
    if call not in pending:
        return [loss("late_tool_result", message_id=message.id, pointer=place, call=call)]
    return []


def _check_order(message: Message, place: str, body_started: bool) -> list[Loss]:
    if message.role == "system" and body_started:
        return [loss("late_system_message", message_id=message.id, pointer=place)]
    if message.role == "assistant" and not body_started:
        return [loss("starts_with_assistant", message_id=message.id, pointer=place, role="assistant")]
    return []
