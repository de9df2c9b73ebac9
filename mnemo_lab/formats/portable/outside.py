"""From the dataclasses inside to the tree that is written, its fields in the order of the format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mnemo_lab.conversation import MISSING, Attachment, Conversation, DocumentMeta, Message, ToolCall
from mnemo_lab.formats.portable import models
from mnemo_lab.formats.portable.extensions import DOCUMENT, UNKNOWN, take, unfold


def document_of(conversation: Conversation, meta: DocumentMeta) -> dict[str, Any]:
    """The document as version 1.1.0 has it."""
    meta_extensions = dict(meta.extensions)
    document_extensions = take(meta_extensions, DOCUMENT)
    fields = {
        "version": models.VERSION_1_1,
        "meta": _meta(meta, meta_extensions),
        "conversation": _conversation(conversation),
    }
    return _level(models.ConversationContext, fields, document_extensions)


def _meta(meta: DocumentMeta, extensions: Mapping[str, Any]) -> dict[str, Any]:
    fields = {"exporter": meta.exporter, "exported_at": meta.exported_at, "source_tool": meta.source_tool}
    return _level(models.Meta, fields, extensions)


def _conversation(conversation: Conversation) -> dict[str, Any]:
    fields = {
        "id": conversation.id or None,
        "title": conversation.title,
        "model": conversation.model,
        "system_prompt": conversation.system_prompt,
        "messages": [_message(message) for message in conversation.messages],
        "summary": conversation.summary,
    }
    return _level(models.Conversation, fields, conversation.extensions)


def _message(message: Message) -> dict[str, Any]:
    fields = {
        "id": message.id or None,
        "role": message.role,
        "content": message.content,
        "timestamp": message.timestamp,
        "tool_calls": [_tool_call(call) for call in message.tool_calls] or None,
        "name": message.name,
        "tool_call_id": message.tool_call_id,
        "parent_id": message.parent_id,
        "attachments": [_attachment(attachment) for attachment in message.attachments] or None,
    }
    return _level(models.Message, fields, message.extensions)


def _tool_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments} if call.name else {"arguments": call.arguments}
    fields = {"id": call.id or None, "type": "function", "function": function}
    written = _level(models.ToolCall, fields, call.extensions)
    unknown = written.get("extensions", {}).get(UNKNOWN)
    inner = unknown.get("function") if isinstance(unknown, Mapping) else None
    if isinstance(inner, Mapping) and inner and inner.keys().isdisjoint(models.Function.model_fields):
        written["function"] = function | dict(inner)
        _forget_function(written)
    return written


def _forget_function(written: dict[str, Any]) -> None:
    """Take the unknown fields of the function out of the call's extensions, and containers that are empty then."""
    extensions = written["extensions"]
    extensions[UNKNOWN] = {name: value for name, value in extensions[UNKNOWN].items() if name != "function"}
    if not extensions[UNKNOWN]:
        del extensions[UNKNOWN]
    if not extensions:
        del written["extensions"]


def _attachment(attachment: Attachment) -> dict[str, Any]:
    fields = {
        "kind": attachment.kind,
        "media_type": attachment.media_type,
        "reference": attachment.reference,
        "data": attachment.data,
        "name": attachment.name,
    }
    return _level(models.Attachment, fields, attachment.extensions)


def _level(model: type[models.Level], fields: dict[str, Any], extensions: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are there, the extensions, and behind them the fields no version of ours knows."""
    kept, back = unfold(extensions, model.model_fields)
    written = {k: v for k, v in fields.items() if v is not MISSING and (v is not None or k == "content")}
    return written | ({"extensions": kept} if kept else {}) | back
