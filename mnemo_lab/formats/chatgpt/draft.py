"""A message in the making, and what can be told from its source alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from mnemo_lab.conversation import Attachment, Role, ToolCall
from mnemo_lab.formats.chatgpt.calls import Call
from mnemo_lab.formats.chatgpt.content import Content, filled
from mnemo_lab.formats.chatgpt.reasoning import Reasoning

_READ: Final = frozenset({"id", "author", "create_time", "content", "metadata", "weight"})
_READ_AUTHOR: Final = frozenset({"role", "name"})
_READ_METADATA: Final = frozenset(
    {"is_visually_hidden_from_conversation", "is_user_system_message", "user_context_message_data", "attachments"}
)
NO_REASONING: Final = Reasoning()
Object = dict[str, Any]


class State(NamedTuple):
    """What a node hands down to its children."""

    anchor: str | None = None
    """The nearest message at or above it."""
    calls: tuple[Call, ...] = ()
    reasoning: Reasoning = NO_REASONING
    model: str | None = None


@dataclass(slots=True)
class Draft:
    """A message in the making."""

    key: str
    source: Object
    metadata: Object
    author: Object
    role: Role
    state: State
    content: Content
    hidden: bool = False
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


def object_or_empty(value: Any) -> Object:
    return value if isinstance(value, dict) else {}


def name_of(author: Object) -> str | None:
    name = author.get("name")
    return name if isinstance(name, str) and name else None


def is_hidden(draft: Draft) -> bool:
    return draft.metadata.get("is_visually_hidden_from_conversation") is True or draft.source.get("weight") == 0


def says_nothing(draft: Draft, attachments: Sequence[Attachment]) -> bool:
    """Scaffolding: every conversation starts with empty system nodes and has hidden empty ones."""
    if draft.text or draft.tool_calls or attachments or draft.content.kept or draft.state.reasoning != NO_REASONING:
        return False
    return draft.role == "system" or (draft.hidden and draft.role != "tool")


def left_over(draft: Draft) -> Object:
    """What the tool had beside what a message holds, but for what is empty or always the same."""
    source = draft.source
    own = filled(source, _READ)
    if own.get("status") == "finished_successfully":
        del own["status"]
    if own.get("recipient") == "all":
        del own["recipient"]
    if metadata := filled(draft.metadata, _READ_METADATA):
        own["metadata"] = metadata
    if author := filled(draft.author, _READ_AUTHOR):
        own["author"] = author
    if draft.content.kept:
        own["content"] = draft.content.kept
    if draft.state.reasoning.recap:
        own["reasoning_recap"] = draft.state.reasoning.recap
    if source.get("id", draft.key) != draft.key:
        own["id"] = source["id"]
    if not draft.metadata and source.get("metadata"):
        own["metadata"] = source["metadata"]  # no object
    if not draft.author and source.get("author"):
        own["author"] = source["author"]
    return own


def failed(metadata: Object) -> bool:
    status = object_or_empty(metadata.get("aggregate_result")).get("status")
    return isinstance(status, str) and ("fail" in status or "error" in status)


def is_json_object(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
