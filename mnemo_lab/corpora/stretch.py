"""Recordings of any length: whole turns of other recordings strewn in as distractors, evidence and order untouched.

How a strategy holds up as a history grows can only be asked where the questions stay the same. What is inserted is
real conversation in the same language; a donor may by chance hold an answer too, so compare lengths, not levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

from mnemo_lab.conversation import Conversation, Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.recording import SESSION_KEY, Recording
from mnemo_lab.units import parse_turns, parse_units, validate_messages

Turn = tuple[Message, ...]


def stretch(recording: Recording, donors: Sequence[Recording], messages: int, seed: int = 0) -> Recording:
    """The recording with donors' turns inserted between its own until it has ``messages`` messages.

    Donors of another language, and the recording itself, are left out; the rest are cycled as often as needed. Turns
    go in whole, so that the last few messages are left out where no donor's turn is that short. Inserted messages
    are called ``d00001``…, their calls after them; they take the time and the session of the message before. Probes
    stay as they are: ``after`` names the same message, with the same originals before it. Raises ``InvalidInput``
    for fewer messages than there are, and where no donor has a usable turn.
    """
    own = sum(len(conversation.messages) for conversation in recording.conversations)
    if messages < own:
        raise InvalidInput(f"{recording.id} has {own} messages and cannot be stretched to {messages}; ask for more")
    turns = [
        turn for d in donors if d.language == recording.language and d.id != recording.id for turn in _whole_turns(d)
    ]
    if not turns:
        have = ", ".join(f"{d.id} ({d.language})" for d in donors) or "none"
        raise InvalidInput(f"{recording.id} needs donors in {recording.language!r} other than itself; given: {have}")
    random = Random(seed)
    places = [(c, end) for c, conversation in enumerate(recording.conversations) for end in _turn_ends(conversation)]
    if not places:
        raise InvalidInput(f"{recording.id} has no whole turn after which anything could be inserted")
    inserted: dict[tuple[int, int], list[Turn]] = {}
    for turn in _enough(turns, messages - own, random):
        inserted.setdefault(random.choice(places), []).append(turn)
    names = _new_ids(recording)
    conversations = tuple(_filled(c, number, inserted, names) for number, c in enumerate(recording.conversations))
    return replace(recording, conversations=conversations)


def _whole_turns(donor: Recording) -> Iterator[Turn]:
    """Turns that start with the user, hold valid pairs of calls and results, and leave no call open."""
    for conversation in donor.conversations:
        units = parse_units(conversation.messages)
        for turn in parse_turns(units):
            found = conversation.messages[units[turn[0]].start : units[turn[-1]].stop]
            if found[0].role == "user" and not validate_messages([*found, found[0]]):
                yield found


def _turn_ends(conversation: Conversation) -> list[int]:
    """Positions after each turn; none after leading system messages alone, or after calls that wait for results."""
    units = parse_units(conversation.messages)
    turns = parse_turns(units)
    ends = [units[turn[-1]].stop for turn in turns if any(units[u].kind != "system" for u in turn)]
    last = conversation.messages[units[-1].start : units[-1].stop] if units else ()
    if last and len(last) - 1 < len(last[0].tool_calls):
        ends = ends[:-1]
    return ends


def _enough(turns: Sequence[Turn], wanted: int, random: Random) -> Iterator[Turn]:
    """Turns of ``wanted`` messages in all, or of the most below it that whole turns can add up to."""
    sizes = {len(turn) for turn in turns}
    reachable = [True]
    for total in range(1, wanted + 1):
        reachable.append(any(size <= total and reachable[total - size] for size in sizes))
    left = max(total for total in range(wanted + 1) if reachable[total])
    while left:
        for turn in random.sample(turns, len(turns)):
            if len(turn) <= left and reachable[left - len(turn)]:
                left -= len(turn)
                yield turn


def _new_ids(recording: Recording) -> Iterator[str]:
    """``d00001``… without those the recording uses already, as one that was stretched before does."""
    taken = {message.id for message in recording.messages()}
    taken |= {call.id.partition("_")[0] for message in recording.messages() for call in message.tool_calls}
    return (name for name in (f"d{number:05}" for number in count(1)) if name not in taken)


def _filled(
    conversation: Conversation, number: int, inserted: Mapping[tuple[int, int], Sequence[Turn]], names: Iterator[str]
) -> Conversation:
    messages: list[Message] = []
    for position, message in enumerate(conversation.messages, 1):
        messages.append(message)
        for turn in inserted.get((number, position), ()):
            messages += _moved(turn, message, names)
    return replace(conversation, messages=tuple(messages))


def _moved(turn: Turn, before: Message, names: Iterator[str]) -> Iterator[Message]:
    """The turn under new message and call ids, at the time and in the session of the message before it."""
    ids: dict[str, str] = {}
    calls: dict[str, str] = {}
    for message in turn:
        name = next(names)
        parent = ids.get(message.parent_id or "")
        ids[message.id] = name
        calls |= {call.id: f"{name}_{n}" for n, call in enumerate(message.tool_calls, 1)}
        yield replace(
            message,
            id=name,
            timestamp=before.timestamp,
            parent_id=parent,
            tool_calls=tuple(replace(call, id=calls[call.id]) for call in message.tool_calls),
            tool_call_id=None if message.tool_call_id is None else calls[message.tool_call_id],
            extensions=_extensions(message, before),
        )


def _extensions(message: Message, before: Message) -> dict[str, Any]:
    kept = {key: value for key, value in message.extensions.items() if key != SESSION_KEY}
    return kept | ({SESSION_KEY: before.extensions[SESSION_KEY]} if SESSION_KEY in before.extensions else {})
