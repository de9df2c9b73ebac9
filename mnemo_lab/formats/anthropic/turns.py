"""Turns as Anthropic takes them: roles alternate, results stand first in the user's turn, none is empty."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mnemo_lab.formats.anthropic.blocks import FORMAT, TARGET
from mnemo_lab.formats.lists.prepare import Tally, own
from mnemo_lab.formats.openai_chat.give import Spot

Blocks = list[dict[str, Any]]


@dataclass(slots=True)
class _Turn:
    spot: Spot
    role: str
    results: Blocks = field(default_factory=list)
    said: Blocks = field(default_factory=list)
    messages: int = 0


class Turns:
    """Takes messages in order and merges those that stand side by side in one role."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._turns: list[_Turn] = []

    def result(self, spot: Spot, block: dict[str, Any]) -> None:
        self._turn(spot, "user").results.append(block)

    def say(self, spot: Spot, role: str, blocks: Blocks) -> None:
        """A message's own blocks; without any it is left out."""
        if not blocks:
            self._tally.add("empty_message", spot)
            return
        turn = self._turn(spot, role)
        turn.said += blocks
        turn.messages += 1
        if "fields" in own(spot[1].extensions, FORMAT):  # those of a response, which no request takes
            self._tally.add("field_dropped", field=f"extensions.{FORMAT}.fields")

    def system(self, spot: Spot, text: str) -> None:
        self._turns.append(_Turn(spot, "system", said=[{"type": "text", "text": text}], messages=1))

    def _turn(self, spot: Spot, role: str) -> _Turn:
        if not self._turns or self._turns[-1].role != role:
            self._turns.append(_Turn(spot, role))
        return self._turns[-1]

    def finished(self, filler: str) -> list[dict[str, Any]]:
        """The turns. One that does not start with the user gets ``filler`` in front, where that is not empty."""
        for turn in self._turns:
            if turn.messages > 1:
                self._tally.add("roles_merged", count=turn.messages, role=turn.role)
        written = [_written(turn) for turn in self._turns]
        if self._turns and self._turns[0].role != "user":
            reason = "the first turn must be the user's"
            if filler:
                self._tally.add("placeholder_added", self._turns[0].spot, reason=reason)
                written.insert(0, {"role": "user", "content": filler})
            else:
                self._tally.add("refused_by_target", self._turns[0].spot, target=TARGET, reason=reason)
        return written


def _written(turn: _Turn) -> dict[str, Any]:
    blocks = [*turn.results, *turn.said]
    content: Any = blocks
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        content = blocks[0]["text"]
    return {"role": turn.role, "content": content}
