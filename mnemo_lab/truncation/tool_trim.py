"""``tool_trim``: old tool results go first, as Anthropic's ``clear_tool_uses`` and LangChain's ``ClearToolUses`` do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

from mnemo_lab.context import Budget, Piece, Query, Source
from mnemo_lab.conversation import Message
from mnemo_lab.errors import InvalidInput
from mnemo_lab.history import History
from mnemo_lab.services import Services
from mnemo_lab.truncation.base import Truncation
from mnemo_lab.truncation.choice import Choice
from mnemo_lab.truncation.cutting import shortened
from mnemo_lab.truncation.head_tail import fill_ends
from mnemo_lab.truncation.notes import Note

ELIDED: Final = 64
"""Tokens of a tool result that stay where it is elided."""


@dataclass(frozen=True)
class ToolTrim(Truncation):
    """Where the history does not fit, shorten its old tool results; drop units only where that is not enough.

    ``keep_results``: so many of the newest tool results stay as they are. ``exclude``: tools, by name, whose results
    always do. ``mode``: ``clear`` puts a marker with the size in place of a result, ``elide`` keeps 64 tokens of its
    beginning and end. All old results are shortened at once, so that the beginning of the prompt stays the same from
    then on; none is where that saves fewer than ``clear_at_least`` tokens. ``clear_inputs``: empty the arguments of
    their calls, too. ``then``: what is dropped where it still does not fit, the oldest units (``recent``) or the
    middle (``head_tail``). ``note``: say how many messages were omitted, in English or Chinese, the language of the
    markers.
    """

    name: ClassVar[str] = "tool_trim"
    keep_results: int = 3
    exclude: tuple[str, ...] = ()
    mode: Literal["clear", "elide"] = "clear"
    clear_at_least: int = 0
    clear_inputs: bool = False
    then: Literal["recent", "head_tail"] = "recent"
    note: Note = "off"

    def __post_init__(self) -> None:
        for name, value in (("keep_results", self.keep_results), ("clear_at_least", self.clear_at_least)):
            if value < 0:
                raise InvalidInput(f"tool_trim({name}={value}): must be 0 or more")

    @property
    def drop_code(self) -> str:
        return "older" if self.then == "recent" else "middle"

    def keep(self, history: History, query: Query, budget: Budget, services: Services) -> Sequence[Piece]:
        choice = Choice(history, budget, services, self.note)
        sent = (index for index in range(choice.head, len(choice.units)) if choice.units[index].kind != "orphan")
        if sum(map(choice.cost, sent)) > choice.whole:
            choice = Choice(history, budget, services, self.note, instead=self._shorter(history, services))
        fill_ends(choice, 0.0 if self.then == "recent" else 0.5)
        return choice.pieces()

    def _shorter(self, history: History, services: Services) -> dict[int, Piece]:
        """By position, what stands for old results (and for the messages that called them); nothing where it saves
        too little."""
        found: dict[int, Piece] = {}
        for position, call in self._old_results(history):
            short = self._short(history.chat(position), services)
            if short.tokens >= history.chat(position).tokens:
                continue
            found[position] = short
            if self.clear_inputs:
                bare = _without_inputs(found.get(call) or history.chat(call), history.messages[position], services)
                if bare.tokens < history.chat(call).tokens:
                    found[call] = bare
        saved = sum(history.chat(position).tokens - piece.tokens for position, piece in found.items())
        return found if saved >= self.clear_at_least else {}

    def _old_results(self, history: History) -> Iterator[tuple[int, int]]:
        """Positions of the tool results that may be shortened and of the messages that called them."""
        steps = [unit for unit in history.units if unit.kind == "step"]
        results = [(position, step.start) for step in steps for position in step.positions[1:]]
        for position, call in results[: max(len(results) - self.keep_results, 0)]:
            if _tool(history.messages[position], history.messages[call]) not in self.exclude:
                yield position, call

    def _short(self, piece: Piece, services: Services) -> Piece:
        if self.mode == "elide":
            return shortened(piece, ELIDED, services) or piece
        return _cleared(piece, self.note, services)


def _tool(result: Message, caller: Message) -> str | None:
    return result.name or next((call.name for call in caller.tool_calls if call.id == result.tool_call_id), None)


def _cleared(piece: Piece, note: Note, services: Services) -> Piece:
    """A marker with the size of what it stands for; the id of the call stays, so that the pair does."""
    assert piece.message is not None
    frame = services.message_tokens(replace(piece.message, content="", attachments=()))
    total = piece.tokens - frame
    text = f"[已清除：{total} 个词元]" if note == "zh" else f"[cleared: {total} tokens]"
    message = replace(piece.message, content=text, attachments=())
    return Piece(text, frame + services.count(text), (Source(message.id),), message, (total, total))


def _without_inputs(piece: Piece, result: Message, services: Services) -> Piece:
    """The calling message with the arguments emptied of the call that a result answers."""
    assert piece.message is not None
    calls = tuple(replace(c, arguments="{}") if c.id == result.tool_call_id else c for c in piece.message.tool_calls)
    message = replace(piece.message, tool_calls=calls)
    tokens = services.message_tokens(message)
    dropped, total = piece.elided or (0, piece.tokens)
    return replace(piece, tokens=tokens, message=message, elided=(dropped + piece.tokens - tokens, total))
