"""Anthropic's content blocks, as Claude.ai and Claude Code write them, to drafts of messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mnemo_lab.conversation import Role
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.histories.calls import Calls, dump
from mnemo_lab.formats.histories.drafts import Draft, Drafts
from mnemo_lab.formats.histories.fields import list_at, rest, text_at
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.histories.media import from_block, is_broken
from mnemo_lab.formats.histories.tidy import stamp

_QUIET: Final = frozenset({"token_budget", "flag"})
"""Blocks that say nothing of the conversation; kept, and no loss."""
_FOUND: Final = frozenset({"knowledge", "web_search_result", "search_result", "web_fetch_result"})
"""What a search gave: title, address and text are read."""
_CALL: Final = ("type", "id", "name", "input", "start_timestamp", "stop_timestamp", "cache_control", "flags")
_RESULT: Final = ("type", "tool_use_id", "name", "content", "is_error", "start_timestamp", "stop_timestamp", "flags")
_THINKING: Final = ("type", "thinking", "signature", "start_timestamp", "stop_timestamp", "flags")


class Place(NamedTuple):
    """Where content comes from: the message's id and time, its JSON pointer, and the model that wrote it."""

    id: str
    pointer: str
    timestamp: str | None = None
    model: str | None = None


class BlockReader:
    """Reads the content of one message after another; calls and results pair across all of them."""

    def __init__(self, format_name: str, ledger: Ledger) -> None:
        self._format, self._ledger = format_name, ledger
        self._calls = Calls(format_name, ledger)

    def read(self, role: Role, content: Any, place: Place, pointers: Sequence[str] = ()) -> list[Draft]:
        """One draft, or several where results stand between: assistant, tool, assistant …

        A user's results come before the user's own words, because they answer what was said before. ``pointers`` are
        those of the blocks, where they do not count up from the place's.
        """
        reading = _Content(self._format, self._ledger, self._calls, role, place)
        if isinstance(content, str):
            reading.spoken().add_text(content)
        elif content is not None:
            for index, block in enumerate(content if isinstance(content, list) else [content]):
                reading.block(block, pointers[index] if pointers else f"{place.pointer}/{index}")
        return reading.drafts()


class _Content:
    def __init__(self, format_name: str, ledger: Ledger, calls: Calls, role: Role, place: Place) -> None:
        self._format, self._ledger, self._calls = format_name, ledger, calls
        self._role, self._place = role, place
        self._drafts = Drafts(calls, ledger)
        self._user: Draft | None = None

    def drafts(self) -> list[Draft]:
        if self._user is not None:
            self._drafts.add(self._user)
        return self._drafts.all

    def block(self, block: Any, pointer: str) -> None:
        kind = _type(block)
        if isinstance(block, str):
            self.spoken().add_text(block)
        elif kind == "text":
            self._text(block, pointer)
        elif kind in ("image", "document"):
            self._media(self.spoken(block, pointer), block, pointer)
        elif kind.endswith("tool_result"):
            self._result(block, pointer)
        elif kind in ("thinking", "redacted_thinking") and self._role == "assistant":
            self._thinking(block, pointer)
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use") and self._role == "assistant":
            self._call(block, pointer)
        else:
            self._keep(self.spoken(block, pointer), block, pointer)

    def spoken(self, block: Any = None, pointer: str = "") -> Draft:
        """The draft that takes the speaker's own words."""
        if self._role != "assistant":
            self._user = self._user or self._new(self._role, block, pointer)
            return self._user
        last = self._drafts.all[-1] if self._drafts.all else None
        return last if last and last.role == "assistant" else self._drafts.add(self._new("assistant", block, pointer))

    def _new(self, role: Role, block: Any, pointer: str) -> Draft:
        place, moment = self._place, self._place.timestamp
        if self._drafts.all and isinstance(block, dict):
            begun = block.get("start_timestamp")
            moment = stamp(begun, self._ledger, f"{pointer}/start_timestamp", place.id) or moment
        return Draft(role, place.id, moment, pointer or place.pointer)

    def _text(self, block: dict[str, Any], pointer: str) -> None:
        draft, cited = self.spoken(block, pointer), list_at(block, "citations")
        text = text_at(block, "text")
        if text:
            draft.add_text(text, bool(cited))
        draft.add("citations", *cited)

    def _thinking(self, block: dict[str, Any], pointer: str) -> None:
        draft = self.spoken(block, pointer)
        entry = {"text": text_at(block, "thinking"), "provider": "anthropic"}
        if self._place.model:
            entry["model"] = self._place.model
        for key in ("signature", "data"):
            if text_at(block, key):
                entry[key] = text_at(block, key)
        draft.add("reasoning", entry)
        more = rest(block, (*_THINKING, "data"))
        if more.pop("cut_off", False):
            more["cut_off"] = True
        if more:
            draft.kept.setdefault("thinking", []).append(more)

    def _call(self, block: dict[str, Any], pointer: str) -> None:
        draft, kept = self.spoken(block, pointer), rest(block, _CALL)
        if block["type"] != "tool_use":
            kept["type"] = block["type"]
        self._calls.make(text_at(block, "id"), text_at(block, "name"), block.get("input"), draft, kept, pointer)

    def _result(self, block: dict[str, Any], pointer: str) -> None:
        draft = self._new("tool", block, pointer)
        draft.is_error = block.get("is_error") is True
        draft.kept.update(rest(block, _RESULT))
        if block["type"] != "tool_result":
            draft.kept["type"] = block["type"]
        content = block.get("content")
        if isinstance(content, str):
            draft.add_text(content)
        elif content is not None and not isinstance(content, list):
            draft.add_text(dump(content))
        else:
            for index, item in enumerate(content or ()):
                self._inside(draft, item, f"{pointer}/content/{index}")
        self._drafts.result(draft, text_at(block, "tool_use_id"), text_at(block, "name"))

    def _inside(self, draft: Draft, item: Any, pointer: str) -> None:
        kind = _type(item)
        if isinstance(item, str):
            draft.add_text(item)
        elif kind == "text":
            draft.add_text(text_at(item, "text"))
        elif kind in ("image", "document"):
            self._media(draft, item, pointer)
        elif kind in _FOUND:
            draft.add_text("\n".join(filter(None, (text_at(item, key) for key in ("title", "url", "text")))))
            draft.kept.setdefault("blocks", []).append(item)
        else:
            self._keep(draft, item, pointer)

    def _media(self, draft: Draft, block: dict[str, Any], pointer: str) -> None:
        found = from_block(block, self._format)
        if found is None:
            self._keep(draft, block, pointer)
            return
        if is_broken(found, self._ledger, self._place.id, pointer):
            draft.kept.setdefault("blocks", []).append(block)
            return
        if not (found.data or found.reference):
            name = found.name or block["type"]
            self._ledger.add("missing_asset", message_id=self._place.id, pointer=pointer, name=name)
        draft.add("attachments", found)

    def _keep(self, draft: Draft, block: Any, pointer: str) -> None:
        draft.kept.setdefault("blocks", []).append(block)
        kind = _type(block)
        if kind not in _QUIET:
            what = kind or shorten(block)
            self._ledger.add("unknown_block", message_id=self._place.id, pointer=pointer, type=what)


def _type(block: Any) -> str:
    return text_at(block, "type") if isinstance(block, dict) else ""
