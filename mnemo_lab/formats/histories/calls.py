"""Ids of tool calls, unique in one conversation, and the calls that still wait for their result."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mnemo_lab.conversation import ToolCall
from mnemo_lab.formats.histories.ledger import Ledger

if TYPE_CHECKING:
    from mnemo_lab.formats.histories.drafts import Draft


class Made(NamedTuple):
    """A call as it was made: its id here, its id in the file, its name and the message that makes it."""

    id: str
    own: str
    name: str
    owner: Draft


class _Queues:
    """Calls that wait, found by a key: those of the latest message first, within it in order."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[str, str], list[tuple[Draft, deque[Made]]]] = {}
        self._waiting: set[str] = set()

    def put(self, made: Made) -> None:
        self._waiting.add(made.id)
        for key in (("id", made.own), ("name", made.name), _ANY):
            groups = self._by_key.setdefault(key, [])
            if not groups or groups[-1][0] is not made.owner:
                groups.append((made.owner, deque()))
            groups[-1][1].append(made)

    def take(self, key: tuple[str, str]) -> Made | None:
        groups = self._by_key.get(key, [])
        while groups:
            queue = groups[-1][1]
            while queue:
                made = queue.popleft()
                if made.id in self._waiting:  # it may have been taken by another key
                    self._waiting.discard(made.id)
                    return made
            groups.pop()
        return None


_ANY: Final = ("", "")


class Calls:
    """Hands out ids and finds the call that a result answers.

    An id that a tool used twice is renamed, and results find their calls in order, the latest message first. A
    result without id answers a waiting call of its name, or any that waits.
    """

    def __init__(self, format_name: str, ledger: Ledger) -> None:
        self._format, self._ledger = format_name, ledger
        self._queues = _Queues()
        self._last: dict[str, Made] = {}
        self._used: set[str] = set()
        self._repeats: dict[str, int] = {}

    def make(self, own: str, name: str, arguments: Any, owner: Draft, kept: Mapping[str, Any], pointer: str) -> None:
        """Add a call to its message; ``own`` is the id the tool gave it, ``""`` where it gave none."""
        made = Made(self._unique(own, name, owner.id, pointer), own, name, owner)
        if own and made.id != own:
            kept = {**kept, "original_id": own}
        text = self._arguments(arguments, made, pointer)
        owner.add("calls", ToolCall(made.id, name, text, {self._format: dict(kept)} if kept else {}))
        self._queues.put(made)
        self._last[own] = made

    def answer(self, own: str, name: str) -> Made | None:
        """The call that a result with this id or name answers, again if need be; ``None`` where there is none."""
        if own:
            return self._queues.take(("id", own)) or self._last.get(own)
        return (self._queues.take(("name", name)) if name else None) or self._queues.take(_ANY)

    def _unique(self, own: str, name: str, message_id: str, pointer: str) -> str:
        new = own
        while not new or new in self._used:
            self._repeats[own] = self._repeats.get(own, 0 if not own else 1) + 1
            new = f"{own or 'call'}_{self._repeats[own]}"
        self._used.add(new)
        if not own:
            self._ledger.add("tool_id_made", message_id=message_id, pointer=pointer, name=name, id=new)
        elif new != own:
            why = "an earlier call has it"
            self._ledger.add("id_renamed", message_id=message_id, pointer=pointer, id=own, new=new, reason=why)
        return new

    def _arguments(self, arguments: Any, made: Made, pointer: str) -> str:
        """JSON text of an object; text that is none is kept as it is, and listed."""
        text = arguments if isinstance(arguments, str) else dump({} if arguments is None else arguments)
        if not text.strip():
            return "{}"
        if not (isinstance(arguments, dict | None) or _is_object(text)):
            self._ledger.add("bad_arguments", message_id=made.owner.id, pointer=pointer, name=made.name)
        return text


def dump(value: Any) -> str:
    """Compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
