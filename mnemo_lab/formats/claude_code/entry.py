"""One message of a session, which may have been written on several lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from mnemo_lab.conversation import Role
from mnemo_lab.formats.histories.fields import object_at, text_at
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.histories.linking import Node
from mnemo_lab.formats.histories.tidy import stamp

NAME: Final = "claude-code"
SYNTHETIC: Final = "<synthetic>"
"""The model's name where the tool itself wrote the answer, such as an error."""

_LOOKED_AT: Final = 64
"""Blocks of an answer among which the start of a later one is sought, so that a huge answer takes no huge time."""
_COMMAND: Final = re.compile(r"<command-name>\s*([^<]*?)\s*</command-name>")
_ARGUMENTS: Final = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_OUTPUT: Final = ("<local-command-", "<bash-stdout>", "<bash-stderr>")
_MARKS: Final = {
    "isMeta": "meta",
    "isCompactSummary": "compact_summary",
    "isVisibleInTranscriptOnly": "transcript_only",
    "isApiErrorMessage": "api_error",
}
_HIDDEN: Final = frozenset({"meta", "compact_summary", "transcript_only"})
_KNOWN: Final = frozenset(
    """type message uuid parentUuid logicalParentUuid isSidechain agentId userType cwd sessionId version gitBranch
    timestamp requestId sourceToolAssistantUUID""".split()
).union(_MARKS)


@dataclass(slots=True, eq=False)
class Entry(Node):
    """``role`` is ``None`` for a record that is no message. ``key`` is shared by the lines of one answer.

    ``pointers`` are those of the blocks, where they come from several lines.
    """

    role: Role | None = None
    blocks: list[Any] | str | None = None
    pointers: list[str] | None = None
    timestamp: str | None = None
    key: tuple[str, str] | None = None
    model: str | None = None
    hidden: bool = False
    kept: dict[str, Any] = field(default_factory=dict)

    def absorb(self, later: Entry, twice: bool) -> None:
        """Add the blocks of a later line of the same answer; a block that has grown takes the place of its start.

        ``twice``: the line's id stood in the file before.
        """
        self.pointers = self.pointers or self.own_pointers()
        self.blocks = _listed(self.blocks)
        own = range(max(0, len(self.blocks) - _LOOKED_AT), len(self.blocks))
        for block, pointer in zip(_listed(later.blocks), later.own_pointers(), strict=True):
            twin = next((at for at in own if _grew(self.blocks[at], block)), None)
            if twin is None:
                self.blocks.append(block)
                self.pointers.append(pointer)
            elif _length(block) >= _length(self.blocks[twin]):
                self.blocks[twin], self.pointers[twin] = block, pointer
        self.kept |= {key: value for key, value in later.kept.items() if key != "uuids"}
        if not twice:
            self.kept.setdefault("uuids", [self.id]).append(later.id)

    def own_pointers(self) -> list[str]:
        content = f"{self.pointer}/message/content"
        if isinstance(self.blocks, list):
            return [f"{content}/{at}" for at in range(len(self.blocks))]
        return [content] * len(_listed(self.blocks))


def _listed(blocks: list[Any] | str | None) -> list[Any]:
    if isinstance(blocks, list):
        return blocks
    return [] if blocks is None else [blocks]


def entry_of(record: dict[str, Any], parent: str | None, pointer: str, ledger: Ledger) -> Entry:
    """A ``user`` or ``assistant`` record."""
    message = object_at(record, "message")
    entry = Entry(text_at(record, "uuid") or f"line_{pointer[1:]}", parent, pointer)
    entry.role = "assistant" if record["type"] == "assistant" else "user"
    content = message.get("content")
    entry.blocks = content if content is None or isinstance(content, list | str) else [content]
    entry.timestamp = stamp(record.get("timestamp"), ledger, f"{pointer}/timestamp", entry.id)
    if entry.role == "assistant":
        ids = text_at(message, "id"), text_at(record, "requestId")
        entry.key = ids if any(ids) else None
        entry.model = text_at(message, "model") or None
        named = {"message_id": ids[0], "request_id": ids[1], "model": entry.model}
        entry.kept = {key: value for key, value in named.items() if value}
        if text_at(message, "stop_reason"):
            entry.kept["stop_reason"] = message["stop_reason"]
    if not record.keys() <= _KNOWN:
        for key in sorted(record.keys() - _KNOWN):
            ledger.count("field_dropped", pointer=f"{pointer}/{key}", field=key)
    _mark(entry, record, content)
    return entry


def _mark(entry: Entry, record: dict[str, Any], content: Any) -> None:
    if not record.keys().isdisjoint(_MARKS):
        marks = {mark for key, mark in _MARKS.items() if record.get(key) is True}
        entry.kept |= dict.fromkeys(sorted(marks), True)
        entry.hidden = not marks.isdisjoint(_HIDDEN)
    if entry.role == "user" and isinstance(content, str):
        entry.hidden = entry.hidden or content.startswith(_OUTPUT)
        command = _COMMAND.search(content) if content.lstrip().startswith("<command-") else None
        if command:
            arguments = _ARGUMENTS.search(content)
            entry.kept["command"] = {"name": command[1], "arguments": arguments[1] if arguments else ""}


def _grew(before: Any, after: Any) -> bool:
    """Whether both are the same block, one of them perhaps not finished."""
    if before == after:
        return True
    if not (isinstance(before, dict) and isinstance(after, dict)) or before.get("type") != after.get("type"):
        return False
    if before.get("type") == "tool_use":
        return bool(before.get("id")) and before.get("id") == after.get("id")
    key = _TEXT.get(str(before.get("type")), "")
    start, end = before.get(key), after.get(key)
    if not (isinstance(start, str) and isinstance(end, str)):
        return False
    signatures = before.get("signature"), after.get("signature")
    same = not all(signatures) or signatures[0] == signatures[1]
    return same and (end.startswith(start) or start.startswith(end))


_TEXT: Final = {"text": "text", "thinking": "thinking"}


def _length(block: Any) -> int:
    if not isinstance(block, dict):
        return 0
    text = block.get(_TEXT.get(str(block.get("type")), ""))
    return len(text) if isinstance(text, str) else 0
