"""Call ids as a target takes them: unique in one conversation, in its alphabet, the same for call and result."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from typing import Final, NamedTuple

from mnemo_lab.conversation import Conversation, ToolCall
from mnemo_lab.formats.lists.prepare import Tally
from mnemo_lab.formats.openai_chat.give import Spot

_DIGEST: Final = 8


class Rules(NamedTuple):
    """What a target demands: of ids, characters that are not allowed and the length; of tool names, the pattern."""

    target: str
    forbidden: re.Pattern[str] | None = None
    limit: int = 64
    names: re.Pattern[str] | None = None


class Call(NamedTuple):
    """A call as it is written."""

    id: str
    call: ToolCall


class CallIds:
    """Hands out ids in the order of the conversation; the same conversation always gets the same ones.

    Where an id stands twice, later calls are renamed and their results with them, in order.
    """

    def __init__(self, conversation: Conversation, tally: Tally, rules: Rules) -> None:
        self._tally, self._rules = tally, rules
        calls = [call.id for message in conversation.messages for call in message.tool_calls]
        self._reserved = {id_ for id_ in calls if id_ and self._fitting(id_) == id_}
        self._used: set[str] = set()
        self._waiting: dict[str, deque[Call]] = {}
        self._last: dict[str, Call] = {}

    def calls(self, spot: Spot) -> list[Call]:
        """The calls of an assistant message."""
        made: list[Call] = []
        fresh: dict[str, deque[Call]] = {}
        for call in spot[1].tool_calls:
            item = Call(self._new(call.id, call.name), call)
            fresh.setdefault(call.id, deque()).append(item)
            self._check_name(spot, call.name)
            made.append(item)
        self._waiting.update(fresh)
        self._last |= {key: items[-1] for key, items in fresh.items()}
        return made

    def result(self, spot: Spot) -> tuple[str, str]:
        """Id and name of the call that a tool message answers; an id of its own and its name where there is none."""
        said = spot[1].tool_call_id or ""
        name = spot[1].name or ""
        waiting = self._waiting.get(said)
        found = waiting.popleft() if waiting else self._last.get(said)
        if found is None:
            # No call: the id is kept as far as it goes, and a second result with it gets the same.
            found = self._last[said] = Call(self._new(said, name), ToolCall(said, name))
        self._note_name(spot, found.call.name)
        return found.id, found.call.name or name

    def _note_name(self, spot: Spot, name: str) -> None:
        if spot[1].name and spot[1].name != name:
            self._tally.add("name_dropped", spot, name=spot[1].name)

    def _check_name(self, spot: Spot, name: str) -> None:
        if self._rules.names and not self._rules.names.fullmatch(name):
            reason = f"the tool name {name!r} must match {self._rules.names.pattern}"
            self._tally.add("refused_by_target", spot, target=self._rules.target, reason=reason)

    def _new(self, said: str, name: str) -> str:
        start = self._fitting(said) if said else "call"
        new, number = start if said else "call_1", 1
        while new in self._used or (new in self._reserved and new != said):
            number += 1
            new = self._fitting(f"{start}_{number}")
        self._used.add(new)
        if not said:
            self._tally.add("tool_id_made", name=name, id=new)
        elif new != said:
            reason = "an earlier call has it" if self._fitting(said) == said else f"{self._rules.target} refuses it"
            self._tally.add("id_renamed", id=said, new=new, reason=reason)
        return new

    def _fitting(self, id_: str) -> str:
        """Within the alphabet and the length; what is cut off is told apart by a digest."""
        clean = self._rules.forbidden.sub("_", id_) if self._rules.forbidden else id_
        if len(clean) <= self._rules.limit:
            return clean
        digest = hashlib.sha256(id_.encode("utf-8", "replace")).hexdigest()[:_DIGEST]
        return f"{clean[: self._rules.limit - _DIGEST - 1]}_{digest}"
