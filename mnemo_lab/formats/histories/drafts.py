"""Messages while they are being put together from blocks or items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from mnemo_lab.conversation import Message, Role
from mnemo_lab.formats.histories.calls import Calls, Made
from mnemo_lab.formats.histories.ledger import Ledger

_LOOKED_BACK: Final = 4096
"""Messages among which a result seeks its call, so that a hostile file takes no hostile time."""
Part = Literal["calls", "attachments", "reasoning", "citations"]


@dataclass(slots=True, eq=False)
class Draft:
    """A message to be. ``id`` is that of the tool's message; several drafts may come from one.

    Its lists are made when something is put in: there is a draft for every message of a large file, and the time
    Python takes to go through its objects counts.
    """

    role: Role
    id: str = ""
    timestamp: str | None = None
    pointer: str = ""
    answers: Made | None = None
    call_id: str | None = None
    name: str | None = None
    refusal: str | None = None
    is_error: bool = False
    hidden: bool = False
    kept: dict[str, Any] = field(default_factory=dict)
    _parts: dict[str, list[Any]] = field(default_factory=dict)
    _text: str | None = None
    _more: list[str] | None = None
    _cited: bool = False

    def add(self, part: Part, *items: Any) -> None:
        if items:
            self._parts.setdefault(part, []).extend(items)

    def has(self, part: Part) -> bool:
        return part in self._parts

    def add_text(self, text: str, cited: bool = False) -> None:
        """Append text; a blank line parts it from the text before, unless a citation cut one text in pieces."""
        if self._text is None:
            self._text = text
        else:
            self._more = self._more or []
            self._more.append(text if cited or self._cited else f"\n\n{text}")
        self._cited = cited

    @property
    def text(self) -> str:
        return "".join((self._text or "", *(self._more or ())))

    @property
    def says_nothing(self) -> bool:
        """Whether neither words, calls nor attachments stand in it."""
        return not (self._text or self._more or self.has("calls") or self.has("attachments"))

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands in it that a conversation has."""
        return self.role != "tool" and self.says_nothing and not (self.has("reasoning") or "blocks" in self.kept)

    def message(self, format_name: str, message_id: str, parent: str | None = None) -> Message:
        parts = self._parts
        return Message(
            role=self.role,
            content=None if self._text is None and "calls" in parts else self.text,
            id=message_id,
            timestamp=self.timestamp,
            name=self.name,
            tool_calls=tuple(parts.get("calls", ())),
            tool_call_id=self.call_id,
            parent_id=parent,
            attachments=tuple(parts.get("attachments", ())),
            extensions=self._extensions(format_name),
        )

    def _extensions(self, format_name: str) -> dict[str, Any]:
        found: dict[str, Any] = {key: self._parts[key] for key in ("reasoning", "citations") if key in self._parts}
        if self.is_error:
            found["is_error"] = True
        if self.refusal:
            found["refusal"] = self.refusal
        if self.hidden:
            found["hidden"] = True
        if self.kept:
            found[format_name] = self.kept
        return found


class Drafts:
    """A list of drafts in which results stand directly behind the message whose call they answer."""

    def __init__(self, calls: Calls, ledger: Ledger) -> None:
        self.all: list[Draft] = []
        self._calls, self._ledger = calls, ledger

    def add(self, draft: Draft) -> Draft:
        self.all.append(draft)
        return draft

    def result(self, draft: Draft, own: str, name: str) -> None:
        """Place a result; ``own`` and ``name`` are the call's id and name as the tool wrote them."""
        made = self._calls.answer(own, name)
        draft.answers, draft.name = made, name or (made.name if made else None) or None
        draft.call_id = made.id if made else own or None
        if made is None:
            self._orphan(draft, own)
        elif made.id != made.own and made.own:
            draft.kept["original_id"] = made.own
        at = self._behind(made)
        if at < len(self.all):
            why = "a result was moved behind its call"
            self._ledger.add("pair_repaired", message_id=draft.id, pointer=draft.pointer, reason=why)
        self.all.insert(at, draft)

    def _orphan(self, draft: Draft, own: str) -> None:
        if own:
            self._ledger.add("orphan_tool_result", message_id=draft.id, pointer=draft.pointer, call=own)
        else:
            self._ledger.add("result_without_call_id", message_id=draft.id, pointer=draft.pointer)

    def _behind(self, made: Made | None) -> int:
        """Behind the results that already follow the call; the end of the list where the call is not near it."""
        end = len(self.all)
        if made is None or not self.all or _is_of(self.all[-1], made.owner):
            return end
        for at in range(end - 1, max(-1, end - 1 - _LOOKED_BACK), -1):
            if _is_of(self.all[at], made.owner):
                return at + 1
        return end


def _is_of(draft: Draft, owner: Draft) -> bool:
    """Whether it is the message itself or a result of one of its calls."""
    return draft is owner or (draft.answers is not None and draft.answers.owner is owner)
