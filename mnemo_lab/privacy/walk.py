"""Every string of a conversation that a person may have written, visited in one order and put back.

What links things stays: ids of messages and calls, names of tools, roles, models, times, and opaque data
(signatures, encrypted reasoning, base64 of attachments). Images and files are not looked into.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall

_OPAQUE: Final = re.compile(
    r"(?i:signature|encrypted_content|thoughtsignature|^data$|^type$|^role$|^model$)|(?:^|_|[a-z])(?:[iI]d|ID"
    r"|uuid)s?$|^(?:uu)?id$"
)
_TOKEN: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|[\[\]{}:,]|[a-z]+", re.S)
_ANONYMOUS: Final = re.compile(
    r"(?i:user|assistant|system|tool|bot|ai|model|human|you|me|gpt.*|chatgpt|claude.*|gemini.*|llama.*|deepseek.*"
    r"|qwen.*|用户|助手|我)"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A string and what its place tells: the key it stands under, or that it names a speaker or a file."""

    text: str
    label: str = ""
    speaker: bool = False
    file: bool = False


Visit = Callable[[Slot], str]


def rewrite(conversation: Conversation, visit: Visit) -> Conversation:
    """The conversation with each string replaced by what ``visit`` gives for it."""
    return replace(
        conversation,
        messages=tuple(_message(message, visit) for message in conversation.messages),
        title=_maybe(conversation.title, visit),
        system_prompt=_maybe(conversation.system_prompt, visit),
        summary=_maybe(conversation.summary, visit),
        extensions=_mapping(conversation.extensions, visit),
    )


def _message(message: Message, visit: Visit) -> Message:
    content = message.content
    if isinstance(content, str) and content:
        is_json = message.role == "tool" and content.lstrip()[:1] in ("{", "[")
        content = _text_or_json(content, visit) if is_json else visit(Slot(content))
    name = visit(Slot(message.name, speaker=True)) if message.name and _is_person(message) else message.name
    if content is message.content and name is message.name and not _has_more(message):
        return message
    return replace(
        message,
        content=content,
        name=name,
        tool_calls=tuple(_call(call, visit) for call in message.tool_calls),
        attachments=tuple(_attachment(attachment, visit) for attachment in message.attachments),
        extensions=_mapping(message.extensions, visit),
    )


def _is_person(message: Message) -> bool:
    return message.role in ("user", "assistant") and not _is_anonymous(message.name or "")


@lru_cache(maxsize=1024)
def _is_anonymous(name: str) -> bool:
    return _ANONYMOUS.fullmatch(name) is not None


def _has_more(message: Message) -> bool:
    return bool(message.tool_calls or message.attachments or message.extensions)


def _call(call: ToolCall, visit: Visit) -> ToolCall:
    arguments = _text_or_json(call.arguments, visit)
    return replace(call, arguments=arguments, extensions=_mapping(call.extensions, visit))


def _attachment(attachment: Attachment, visit: Visit) -> Attachment:
    reference = attachment.reference
    if reference and not reference.startswith("data:"):
        reference = visit(Slot(reference, file=True))
    name = visit(Slot(attachment.name, file=True)) if attachment.name else attachment.name
    return replace(attachment, reference=reference, name=name, extensions=_mapping(attachment.extensions, visit))


def _maybe(text: str | None, visit: Visit) -> str | None:
    return visit(Slot(text)) if text else text


def _mapping(values: Mapping[str, Any], visit: Visit) -> Mapping[str, Any]:
    return {_key(key, visit): _value(key, value, visit) for key, value in values.items()} if values else values


def _key(key: Any, visit: Visit) -> Any:
    return visit(Slot(key)) if isinstance(key, str) else key


def _value(key: Any, value: Any, visit: Visit) -> Any:
    if isinstance(value, str):
        return value if _is_opaque(key) else visit(Slot(value, label=str(key)))
    if isinstance(value, Mapping):
        return _mapping(value, visit)
    if isinstance(value, list | tuple):
        return type(value)([_value(key, item, visit) for item in value])
    return value


def _is_opaque(key: Any) -> bool:
    return isinstance(key, str) and _OPAQUE.search(key) is not None


def _text_or_json(text: str, visit: Visit) -> str:
    """JSON is read string by string, so that escapes hide nothing and the result stays JSON; else it is plain text."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return visit(Slot(text))
    return "".join(_tokens(text, visit))


def _tokens(text: str, visit: Visit) -> Iterator[str]:
    """The text piece by piece; white space and untouched tokens stay as they were written."""
    at = 0
    label = ""
    for match in _TOKEN.finditer(text):
        yield text[at : match.start()]
        at = match.end()
        token = match[0]
        if token[0] == '"':
            is_key = text[at:].lstrip()[:1] == ":" if len(text) - at < 200 else text[at : at + 200].lstrip()[:1] == ":"
            value = json.loads(token, strict=False)
            if is_key:
                label = value
                yield _encoded(token, value, visit(Slot(value)))
            else:
                yield token if _is_opaque(label) else _encoded(token, value, visit(Slot(value, label=label)))
        elif token[0].isdigit() and len(token) >= 6:
            yield _encoded(token, token, token if _is_opaque(label) else visit(Slot(token, label=label)))
        else:
            yield token
    yield text[at:]


def _encoded(token: str, value: str, new: str) -> str:
    """A number that became a placeholder becomes a string."""
    return token if new == value else json.dumps(new, ensure_ascii=token.isascii())
