"""The portable document as pydantic models: what a document may hold, in the order in which it is written.

Every field but ``content`` may also be ``null``, which means the same as leaving it out. Fields no model
names are kept, not refused. The JSON Schema of version 1.1.0 is made from these models (``schema.py``).
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from mnemo_lab.conversation import Role

VERSION_1_0: Final = "1.0.0"
VERSION_1_1: Final = "1.1.0"
VERSIONS: Final = (VERSION_1_0, VERSION_1_1)

Open = dict[str, Any]
OPEN: Final = "Anything else a tool wants to keep here."
TIME: Final = "ISO 8601, with a zone where one is known."


class Level(BaseModel):
    """One object of the document. Strict: a number is no string, and text is no list."""

    model_config = ConfigDict(extra="allow", strict=True)


class Function(Level):
    """What was called. The arguments are JSON text as the model wrote it, valid or not."""

    name: str | None = None
    arguments: str | None = None


class ToolCall(Level):
    """A call an assistant message makes."""

    id: str | None = None
    type: Literal["function"] = "function"
    function: Function | None = None
    extensions: Open | None = Field(None, description=OPEN)


class Attachment(Level):
    """An image or file that belongs to a message."""

    kind: Literal["image", "file"]
    media_type: str | None = Field(None, description="A MIME type such as image/png.")
    reference: str | None = Field(None, description="A URL or a path.")
    data: str | None = Field(None, description="The bytes themselves.", json_schema_extra={"contentEncoding": "base64"})
    name: str | None = None
    extensions: Open | None = Field(None, description=OPEN)


class Message(Level):
    """One entry of a conversation."""

    id: str | None = None
    role: Role
    content: str | None = Field(None, description="Text; null, left out and empty are three different things.")
    timestamp: str | None = Field(None, description=TIME)
    tool_calls: list[ToolCall] | None = None
    name: str | None = Field(None, description="Who speaks, or the tool that answers.")
    tool_call_id: str | None = Field(None, description="The call that this tool message answers.")
    parent_id: str | None = Field(None, description="The message before this one, where a conversation branches.")
    attachments: list[Attachment] | None = None
    extensions: Open | None = Field(None, description=OPEN)


class Conversation(Level):
    """An ordered list of messages with what surrounds it."""

    id: str | None = None
    title: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    messages: list[Message]
    summary: str | None = None
    extensions: Open | None = Field(None, description=OPEN)


class Meta(Level):
    """Where the document came from."""

    exporter: str | None = None
    exported_at: str = Field(description=TIME)
    source_tool: str | None = None
    extensions: Open | None = Field(None, description=OPEN)


class ConversationContext(Level):
    """A portable conversation (Mnemosyne ConversationContext)."""

    version: Literal["1.1.0"]
    meta: Meta
    conversation: Conversation
    extensions: Open | None = Field(None, description=OPEN)


# What version 1.1.0 added to the levels of 1.0.0; none of the names is a 1.0.0 field at another level.
ADDED_IN_1_1: Final[dict[type[Level], frozenset[str]]] = {
    ConversationContext: frozenset({"extensions"}),
    Meta: frozenset({"extensions"}),
    Conversation: frozenset({"summary", "extensions"}),
    Message: frozenset({"tool_call_id", "parent_id", "attachments", "extensions"}),
    ToolCall: frozenset({"extensions"}),
}
