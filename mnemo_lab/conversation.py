"""Messages and conversations: frozen, slotted, cheap; validated at the border, not here.

The shape follows the portable Mnemosyne *ConversationContext* (see ``mnemo_lab.formats.portable``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from html import escape
from typing import Any, Final, Literal

Role = Literal["system", "user", "assistant", "tool"]
ROLES: Final[tuple[Role, ...]] = ("system", "user", "assistant", "tool")
NOTHING: Final[Mapping[str, Any]] = {}


def nothing() -> Mapping[str, Any]:
    """The one empty mapping, as a default."""
    return NOTHING


class Missing(Enum):
    """The one value of content that was not there at all, as opposed to ``null`` or ``""``."""

    MISSING = "missing"

    def __bool__(self) -> bool:
        return False


MISSING: Final = Missing.MISSING


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the assistant made; ``arguments`` is the JSON text as the model wrote it, valid or not."""

    id: str
    name: str
    arguments: str = "{}"
    extensions: Mapping[str, Any] = field(default_factory=nothing)


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image or file, by ``reference`` (a URL or path) or by ``data`` (base64)."""

    kind: Literal["image", "file"]
    media_type: str | None = None
    reference: str | None = None
    data: str | None = None
    name: str | None = None
    extensions: Mapping[str, Any] = field(default_factory=nothing)


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation, and what evidence points to.

    ``id`` is ``""`` where the source had none. ``timestamp`` is the text as written (ISO 8601 in
    portable documents) or ``None``; ``time_of`` reads it.
    """

    role: Role
    content: str | Missing | None = ""
    id: str = ""
    timestamp: str | None = None
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    parent_id: str | None = None
    attachments: tuple[Attachment, ...] = ()
    extensions: Mapping[str, Any] = field(default_factory=nothing)

    @property
    def text(self) -> str:
        """The content as text; ``""`` where it is null or missing."""
        return self.content if isinstance(self.content, str) else ""


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """What a strategy may know of a conversation before its first message."""

    id: str = ""
    title: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    started_at: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """An ordered list of messages with what surrounds it."""

    messages: tuple[Message, ...]
    id: str = ""
    title: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    summary: str | None = None
    extensions: Mapping[str, Any] = field(default_factory=nothing)

    @property
    def info(self) -> ConversationInfo:
        started = next((m.timestamp for m in self.messages if m.timestamp), None)
        return ConversationInfo(self.id, self.title, self.model, self.system_prompt, started)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(m.id)}</td><td>{m.role}</td><td style='text-align:left;white-space:pre-wrap'>"
            f"{escape(_shorten(m.text))}</td></tr>"
            for m in self.messages[:12]
        )
        more = len(self.messages) - 12
        note = f"<p>… and {more} more messages</p>" if more > 0 else ""
        head = escape(self.title or self.id or "conversation")
        return f"<b>{head}</b> ({len(self.messages)} messages)<table>{rows}</table>{note}"


def _shorten(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def time_of(timestamp: str | None) -> datetime | None:
    """Read an ISO 8601 timestamp; a naive one is taken as UTC. ``None`` where absent or unreadable."""
    if not timestamp:
        return None
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DocumentMeta:
    """Where a portable document came from."""

    exported_at: str
    exporter: str | None = None
    source_tool: str | None = None
    extensions: Mapping[str, Any] = field(default_factory=nothing)
