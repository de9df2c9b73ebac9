"""From the models at the border to the dataclasses inside."""

from __future__ import annotations

from mnemo_lab.conversation import MISSING, Attachment, Conversation, DocumentMeta, Message, ToolCall
from mnemo_lab.formats.portable import models
from mnemo_lab.formats.portable.extensions import DOCUMENT, fold


def meta_of(document: models.ConversationContext) -> DocumentMeta:
    """The document's meta; the extensions of the document itself travel under ``document_extensions``."""
    meta = document.meta
    extensions = fold(meta.extensions, meta.model_extra)
    extensions = fold(extensions, fold(document.extensions, document.model_extra), DOCUMENT)
    return DocumentMeta(meta.exported_at, meta.exporter, meta.source_tool, extensions)


def conversation_of(conversation: models.Conversation) -> Conversation:
    return Conversation(
        messages=tuple(map(_message, conversation.messages)),
        id=conversation.id or "",
        title=conversation.title,
        model=conversation.model,
        system_prompt=conversation.system_prompt,
        summary=conversation.summary,
        extensions=fold(conversation.extensions, conversation.model_extra),
    )


def _message(message: models.Message) -> Message:
    return Message(
        role=message.role,
        content=message.content if "content" in message.model_fields_set else MISSING,
        id=message.id or "",
        timestamp=message.timestamp,
        name=message.name,
        tool_calls=tuple(map(_tool_call, message.tool_calls or ())),
        tool_call_id=message.tool_call_id,
        parent_id=message.parent_id,
        attachments=tuple(map(_attachment, message.attachments or ())),
        extensions=fold(message.extensions, message.model_extra),
    )


def _tool_call(call: models.ToolCall) -> ToolCall:
    function = call.function or models.Function()
    unknown = dict(call.model_extra or {})
    if function.model_extra:
        # The function has no extensions of its own; "function" is free, because the call knows that name.
        unknown["function"] = function.model_extra
    arguments = "{}" if function.arguments is None else function.arguments
    return ToolCall(call.id or "", function.name or "", arguments, fold(call.extensions, unknown))


def _attachment(attachment: models.Attachment) -> Attachment:
    return Attachment(
        kind=attachment.kind,
        media_type=attachment.media_type,
        reference=attachment.reference,
        data=attachment.data,
        name=attachment.name,
        extensions=fold(attachment.extensions, attachment.model_extra),
    )
