"""The lines of one rollout, replayed: items become messages, rolled-back turns go, compactions are marked."""

from __future__ import annotations

from typing import Any, Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.codex.items import ItemReader
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.histories.drafts import Draft
from mnemo_lab.formats.histories.fields import object_at, plain, rest, text_at
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.histories.tidy import stamp, tidy

NAME: Final = "codex"
BARE_ITEMS: Final = frozenset(
    """message reasoning function_call function_call_output local_shell_call custom_tool_call custom_tool_call_output
    web_search_call""".split()
)
"""Items that older files hold without the envelope of type and payload."""
_EVENTS: Final = {"user_message": "user", "agent_message": "assistant"}
_META: Final = ("id", "timestamp", "base_instructions", "instructions", "model")


class Rollout:
    """Takes lines one by one. ``known``: whether one was Codex's."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.ledger = Ledger()
        self.known = False
        self._items = ItemReader(NAME, self.ledger)
        self._meta: dict[str, Any] | None = None
        self._model: str | None = None
        self._title: str | None = None
        self._compactions: list[dict[str, Any]] = []
        self._events: list[Draft] = []

    def take(self, value: dict[str, Any], pointer: str) -> None:
        kind, payload = value.get("type"), value.get("payload")
        if isinstance(payload, dict):
            moment = stamp(value.get("timestamp"), self.ledger, f"{pointer}/timestamp")
            self._enveloped(kind, payload, moment, f"{pointer}/payload")
        elif isinstance(kind, str) and kind in BARE_ITEMS:
            self.known = True
            self._item(value, stamp(value.get("timestamp"), self.ledger, f"{pointer}/timestamp"), pointer)
        elif "id" in value and "timestamp" in value and kind is None:
            self._take_meta(value, pointer)
        elif "record_type" not in value:
            self._unread(kind, pointer)

    def conversation(self, stem: str) -> Conversation:
        """``stem`` names the session where no line does."""
        meta = self._meta or {}
        # Every message stands in the file twice, as an item for the model and as an event for the screen.
        drafts = self._items.all if self._items.has_messages else [*self._items.all, *self._events]
        prompt = _prompt(meta)
        if prompt is None and drafts and drafts[0].role == "system" and not drafts[0].hidden:
            prompt = drafts.pop(0).text
        extensions = rest(meta, _META)
        if self._compactions:
            extensions["compactions"] = self._compactions
        messages = tuple(draft.message(NAME, draft.id) for draft in drafts if not self._is_dropped(draft))
        if not messages:
            self.ledger.add("empty_conversation")
        return Conversation(
            messages=messages,
            id=text_at(meta, "id") or stem,
            title=self._title,
            model=self._model or text_at(meta, "model") or None,
            system_prompt=prompt,
            extensions={NAME: extensions} if extensions else {},
        )

    def _is_dropped(self, draft: Draft) -> bool:
        if draft.is_empty:
            self.ledger.add("empty_message", message_id=draft.id, pointer=draft.pointer)
            return True
        return False

    def _enveloped(self, kind: Any, payload: dict[str, Any], moment: str | None, pointer: str) -> None:
        self.known = self.known or kind in ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
        if kind == "response_item":
            self._item(payload, moment, pointer)
        elif kind == "event_msg":
            self._event(payload, moment, pointer)
        elif kind == "compacted":
            self._compact(self._tidy(payload, pointer), moment, pointer)
        elif kind == "turn_context":
            self._model = text_at(self._tidy({"model": payload.get("model")}, pointer), "model") or self._model
            self._items.model = self._model
        elif kind == "session_meta":
            self._take_meta(payload, pointer)
        else:
            self._unread(kind, pointer.removesuffix("/payload"))

    def _item(self, value: dict[str, Any], moment: str | None, pointer: str) -> None:
        self._items.take(self._tidy(value, pointer), moment, pointer)
        if self._items.has_messages:
            self._events.clear()

    def _take_meta(self, value: dict[str, Any], pointer: str) -> None:
        """The first line of its kind is the session's own; a fork repeats that of the session it came from."""
        self.known = True
        if self._meta is None:
            self._meta = self._tidy(value, pointer)

    def _event(self, payload: dict[str, Any], moment: str | None, pointer: str) -> None:
        kind = text_at(payload, "type")
        if kind == "thread_rolled_back":
            turns = payload.get("num_turns")
            if isinstance(turns, int) and (count := self._items.roll_back(turns)):
                self.ledger.add("branch_dropped", pointer=pointer, count=count)
        elif kind == "thread_name_updated":
            self._title = text_at(self._tidy(payload, pointer), "thread_name") or self._title
        elif kind in _EVENTS and not self._items.has_messages:
            draft = Draft("user" if kind == "user_message" else "assistant", "", moment, pointer)
            draft.add_text(text_at(self._tidy(payload, pointer), "message"))
            self._events.append(draft)

    def _compact(self, payload: dict[str, Any], moment: str | None, pointer: str) -> None:
        """A summary took the place of what the model saw; the messages before it stay."""
        summary = text_at(payload, "message")
        about = {"after": len(self._items.all), **({"timestamp": moment} if moment else {})}
        self._compactions.append(about | rest(payload, ("message",)))
        if summary:
            draft = Draft("user", "", moment, pointer, hidden=True, kept={"compact_summary": True})
            draft.add_text(summary)
            self._items.all.append(draft)
            self.ledger.count("hidden_message", pointer=pointer)

    def _unread(self, kind: Any, pointer: str) -> None:
        what = plain(kind) if isinstance(kind, str) else shorten(kind)
        self.ledger.count("unknown_record", pointer=pointer, type=what)

    def _tidy(self, value: dict[str, Any], pointer: str) -> dict[str, Any]:
        trail: Any = None
        for part in pointer.split("/")[1:]:
            trail = (trail, part)
        clean: dict[str, Any] = tidy(value, self.place, trail, self.ledger)
        return clean


def _prompt(meta: dict[str, Any]) -> str | None:
    return (
        text_at(object_at(meta, "base_instructions"), "text")
        or text_at(meta, "base_instructions", "instructions")
        or None
    )
