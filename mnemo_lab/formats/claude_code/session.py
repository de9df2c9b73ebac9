"""The records of one session file, gathered: messages and what stands between them, the session's chain and subagents.

Records that say nothing of the conversation are passed over; where they have an id they stay as steps from a message
to its parent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from mnemo_lab.formats.claude_code.entry import NAME, Entry, entry_of
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.histories.fields import object_at, plain, text_at
from mnemo_lab.formats.histories.ledger import Ledger
from mnemo_lab.formats.histories.tidy import tidy

__all__ = ["NAME", "Chain", "Session"]

_BOOKKEEPING: Final = frozenset(
    "progress file-history-snapshot queue-operation last-prompt mode permission-mode tag agent-name agent-color".split()
)
_QUIET_SYSTEM: Final = frozenset("compact_boundary microcompact_boundary turn_duration stop_hook_summary".split())
_TITLES: Final = {"custom-title": "customTitle", "ai-title": "aiTitle"}
_DUPLICATES: Final = frozenset({"toolUseResult"})
"""Fields that repeat what the message says, often at great length."""


@dataclass(slots=True, eq=False)
class Chain:
    """The session's own messages (``agent`` is ``""``) or those of one subagent, in the order of the file."""

    agent: str
    entries: list[Entry] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    aliases: dict[str, str] = field(default_factory=dict)
    replies: dict[tuple[str, str], Entry] = field(default_factory=dict)


class Session:
    """Takes records one by one. ``known``: whether one was Claude Code's."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.ledger = Ledger()
        self.known = False
        self.titles: dict[str, str] = {}
        self.about: dict[str, Any] = {}
        self.compactions: list[dict[str, Any]] = []
        self._summaries: dict[str, tuple[str, str]] = {}
        self._chains = {"": Chain("")}
        self._chain_of: dict[str, Chain] = {}
        self._last_side: Chain | None = None

    def take(self, value: dict[str, Any], pointer: str) -> None:
        kind = text_at(value, "type")
        if kind in ("user", "assistant") and isinstance(value.get("message"), dict):
            self.known = True
            self._message(value, pointer)
        elif kind == "summary":
            self.known = self.known or "leafUuid" in value
            clean = self._tidy(value, pointer)
            self._summaries[text_at(clean, "leafUuid")] = text_at(clean, "summary"), pointer
        elif kind in _TITLES:
            self.titles[kind] = text_at(self._tidy(value, pointer), _TITLES[kind])
        else:
            self._step(value, kind, pointer)

    def spoken_chains(self) -> list[Chain]:
        """The session's chain and its subagents, those with messages; the session's own if there are none at all."""
        found = [chain for chain in self._chains.values() if any(entry.role for entry in chain.entries)]
        return found or [self._chains[""]]

    def title(self) -> str | None:
        """The user's title, the last summary that is about this session, or the title the tool made.

        Summaries of other sessions, which the tool writes here too, become a loss of this one.
        """
        summary = ""
        for leaf, (text, pointer) in self._summaries.items():
            if leaf in self._chain_of:
                summary = text
            else:
                self.ledger.count("unknown_record", pointer=pointer, type="summary (of another session)")
        return self.titles.get("custom-title") or summary or self.titles.get("ai-title") or None

    def _message(self, record: dict[str, Any], pointer: str) -> None:
        if not _DUPLICATES.isdisjoint(record):
            record = {key: value for key, value in record.items() if key not in _DUPLICATES}
            self.ledger.count("field_dropped", pointer=f"{pointer}/toolUseResult", field="toolUseResult")
        record = self._tidy(record, pointer)
        chain = self._chain(record)
        uuid, parent = text_at(record, "uuid"), self._parent(record, chain)
        twice = bool(uuid) and uuid in self._chain_of
        if twice:
            chain.ledger.count("duplicate_record", message_id=uuid, pointer=pointer)
        reply = entry_of(record, parent, pointer, chain.ledger)
        first = chain.replies.get(reply.key) if reply.key else None
        if first is not None:  # one answer of the model, written line by line
            first.absorb(reply, twice)
            chain.aliases.setdefault(reply.id, first.id)
        elif not twice:
            if reply.key:
                chain.replies[reply.key] = reply
            chain.entries.append(reply)
        self._chain_of.setdefault(reply.id, chain)
        self._learn(record)

    def _step(self, record: dict[str, Any], kind: str, pointer: str) -> None:
        """A record that is no message: a step on the way to its parent."""
        uuid, subtype = _plain(record, "uuid"), _plain(record, "subtype")
        self.known = self.known or kind == "file-history-snapshot" or (bool(uuid) and "sessionId" in record)
        if kind not in _BOOKKEEPING and not (kind == "system" and subtype in _QUIET_SYSTEM):
            what = f"{kind}/{subtype}" if kind == "system" and subtype else _plain(record, "type")
            self.ledger.count("unknown_record", pointer=pointer, type=what or shorten(record.get("type")))
        if not uuid or uuid in self._chain_of:
            return
        chain = self._chain(record)
        parent = _plain(record, "logicalParentUuid") or self._parent(record, chain)
        chain.entries.append(Entry(uuid, parent, pointer))
        self._chain_of[uuid] = chain
        if subtype == "compact_boundary":
            self.compactions.append({"uuid": uuid, **self._tidy(object_at(record, "compactMetadata"), pointer)})

    def _chain(self, record: dict[str, Any]) -> Chain:
        """The chain a record belongs to: that of its agent, else of its parent, else the subagent before it."""
        if record.get("isSidechain") is not True:
            return self._chains[""]
        agent, parent = _plain(record, "agentId"), _plain(record, "parentUuid")
        above = self._chain_of.get(parent)
        if not agent and above is not None and above.agent:
            chain = above
        elif not agent and parent and above is None and self._last_side is not None:
            chain = self._last_side
        else:
            agent = agent or _plain(record, "uuid") or "sidechain"
            chain = self._chains.setdefault(agent, Chain(agent))
        self._last_side = chain
        return chain

    def _parent(self, record: dict[str, Any], chain: Chain) -> str | None:
        """A subagent's first message may point into the session that called it; there it is a root."""
        parent = _plain(record, "parentUuid") or None
        there = self._chain_of.get(parent) if parent else None
        return None if there is not None and there is not chain else parent

    def _learn(self, record: dict[str, Any]) -> None:
        """Session-wide fields, as the first message has them."""
        for key in ("sessionId", "cwd", "version", "gitBranch"):
            if key not in self.about and text_at(record, key):
                self.about[key] = record[key]

    def _tidy(self, record: dict[str, Any], pointer: str) -> dict[str, Any]:
        clean: dict[str, Any] = tidy(record, self.place, (None, pointer[1:]), self.ledger)
        return clean


def _plain(record: dict[str, Any], key: str) -> str:
    """An id as ``tidy`` would leave it."""
    return plain(text_at(record, key))
