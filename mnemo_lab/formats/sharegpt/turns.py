"""Messages as turns that alternate: human or observation at odd places, gpt or function_call at even ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from mnemo_lab.conversation import Message, ToolCall
from mnemo_lab.formats.lists.prepare import Tally
from mnemo_lab.units import Unit, parse_units

Kind = Literal["human", "gpt", "function_call", "observation"]
ASKS: Final = ("human", "observation")


@dataclass(slots=True)
class Turn:
    """One turn: the message it comes from with its position, and the call, where it makes one."""

    kind: Kind
    at: tuple[int, Message]
    call: ToolCall | None = None


def turns_of(messages: tuple[Message, ...], tally: Tally) -> Iterator[Turn]:
    """Every message but those of the system; calls made in parallel come one after another, each with its results."""
    for unit in parse_units(messages):
        if unit.kind == "user":
            yield Turn("human", (unit.start, messages[unit.start]))
        elif unit.kind == "orphan":
            yield Turn("observation", (unit.start, messages[unit.start]))
        elif unit.kind == "step":
            yield from _step(messages, unit, tally)


def _step(messages: tuple[Message, ...], unit: Unit, tally: Tally) -> Iterator[Turn]:
    start, calls = unit.start, messages[unit.start].tool_calls
    if not calls:
        yield Turn("gpt", (start, messages[start]))
    if len(calls) > 1:
        tally.add("pair_repaired", (start, messages[start]), reason=f"{len(calls)} calls at once, written one by one")
    left = [(index, messages[index]) for index in unit.positions[1:]]
    for call in calls:
        yield Turn("function_call", (start, messages[start]), call)
        for at in [item for item in left if item[1].tool_call_id == call.id]:
            left.remove(at)
            yield Turn("observation", at)
    yield from (Turn("observation", at) for at in left)


def faults(turns: list[Turn]) -> Iterator[tuple[tuple[int, Message], str]]:
    """Where turns do not alternate, which trainers refuse."""
    asks = True
    for turn in turns:
        if (turn.kind in ASKS) != asks:
            wanted = "a human turn or an observation" if asks else "an answer or a call"
            yield turn.at, f"{turn.kind} stands where {wanted} must stand"
        asks = turn.kind not in ASKS
    if turns and turns[-1].kind in ASKS:
        yield turns[-1].at, f"it ends with {turns[-1].kind}, not with an answer"
