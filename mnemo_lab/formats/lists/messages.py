"""Messages with ``role`` and ``content``, as data sets keep them: close to OpenAI's, with every liberty taken."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Conversation, Message, Role, ToolCall
from mnemo_lab.formats.faults import shorten
from mnemo_lab.formats.lists.pairing import Calls
from mnemo_lab.formats.lists.parts import Content, PartReader
from mnemo_lab.formats.lists.prepare import own
from mnemo_lab.formats.lists.values import arguments_of
from mnemo_lab.formats.times import iso_time
from mnemo_lab.losses import Loss, loss

ROLES: Final[dict[str, Role]] = {
    "system": "system", "developer": "system",
    "user": "user", "human": "user", "prompter": "user",
    "assistant": "assistant", "model": "assistant", "gpt": "assistant", "bot": "assistant", "ai": "assistant",
    "tool": "tool", "function": "tool", "ipython": "tool", "observation": "tool", "tool_response": "tool",
}  # fmt: skip
THOUGHT: Final = re.compile(r"\s*<think>\n?(.*?)\n?</think>\n{0,2}(.*)", re.DOTALL)
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")


class MessageReader:
    """Reads the messages of one conversation; what it does not understand goes to ``extensions[format_name]``."""

    def __init__(self, format_name: str, losses: list[Loss], images: list[Any] | None = None) -> None:
        self._name = format_name
        self._losses = losses
        self._parts = PartReader(images or [])
        self._calls = Calls()

    def read(self, raw: list[Any]) -> tuple[Message, ...]:
        self._calls = Calls(_ids(raw))
        found = []
        for index, item in enumerate(raw):
            if isinstance(item, dict):
                found.append(self._message(dict(item), f"/messages/{index}"))
            else:
                reason = f"{shorten(item)} is not an object"
                self._losses.append(loss("unreadable_record", pointer=f"/messages/{index}", reason=reason))
        return tuple(found)

    def _message(self, left: dict[str, Any], where: str) -> Message:
        """Take what is known from a message; the rest of ``left`` is kept as it is."""
        id_, name = _take_text(left, "id") or "", _take_text(left, "name")
        role = self._role(left, id_ or None, where)
        content = self._parts.read(left.pop("content", MISSING), id_ or None, f"{where}/content")
        self._losses += content.losses
        extensions = self._known(left, content, role)
        calls: tuple[ToolCall, ...] = ()
        answers = None
        if role == "tool":
            answers, name = self._calls.answered(_take_text(left, "tool_call_id"), name)
        else:
            self._calls.closed()
            calls = self._take_calls(left, id_ or None, where)
        timestamp = iso_time(left["timestamp"]) if "timestamp" in left else None
        if timestamp:
            del left["timestamp"]
        if content.unknown:
            left["blocks"] = content.unknown
        if left:
            extensions[self._name] = left
        attachments = tuple(content.attachments)
        return Message(role, content.text, id_, timestamp, name, calls, answers, None, attachments, extensions)

    def _role(self, left: dict[str, Any], id_: str | None, where: str) -> Role:
        raw = left.pop("role", None)
        role = ROLES.get(raw.lower()) if isinstance(raw, str) else None
        if role is None:
            reason = f"{shorten(raw)} is no role that is known" if raw is not None else "there is none"
            self._losses.append(loss("role_guessed", message_id=id_, pointer=where, role="user", reason=reason))
        elif raw != role:
            self._note_once(loss("role_mapped", role=raw, new=role))
        if raw is not None and raw != role:
            left["role"] = raw
        return role or "user"

    def _note_once(self, item: Loss) -> None:
        if item not in self._losses:
            self._losses.append(item)

    def _known(self, left: dict[str, Any], content: Content, role: Role) -> dict[str, Any]:
        """Extensions that have a meaning in every format."""
        texts = [text for key in _REASONING if (text := _take_text(left, key))]
        if role == "assistant" and isinstance(content.text, str):
            thought, content.text = split_thought(content.text)
            texts += [thought] if thought else []
        reasoning = [{"text": text} for text in dict.fromkeys(texts)] + content.reasoning
        refusal = content.refusal or _take_text(left, "refusal")
        citations = left.pop("annotations", None) if isinstance(left.get("annotations"), list) else None
        found = {"reasoning": reasoning, "refusal": refusal, "citations": citations}
        return {key: value for key, value in found.items() if value}

    def _take_calls(self, left: dict[str, Any], id_: str | None, where: str) -> tuple[ToolCall, ...]:
        raw = left.get("tool_calls")
        found = []
        if isinstance(raw, list):
            del left["tool_calls"]
            found = [self._call(item, left, id_, f"{where}/tool_calls/{index}") for index, item in enumerate(raw)]
        elif raw is None:
            left.pop("tool_calls", None)
        if isinstance(left.get("function_call"), dict):
            found.append(self._call(left.pop("function_call"), left, id_, f"{where}/function_call"))
        return tuple(call for call in found if call)

    def _call(self, raw: Any, message: dict[str, Any], id_: str | None, where: str) -> ToolCall | None:
        left = dict(raw) if isinstance(raw, dict) else {}
        kind = left.get("type", "function")
        box = left.pop(kind) if isinstance(kind, str) and isinstance(left.get(kind), dict) else left
        if not isinstance(box.get("name"), str):
            message.setdefault("unread_calls", []).append(raw)
            self._losses.append(loss("unknown_block", message_id=id_, pointer=where, type="tool_call"))
            return None
        box = dict(box) if box is not left else box
        name = box.pop("name")
        text, good = arguments_of(box.pop("arguments", box.pop("input", None)))
        if not good:
            self._losses.append(loss("bad_arguments", message_id=id_, pointer=where, name=name))
        call_id, losses = self._calls.opened(_take_text(left, "id"), name)
        self._losses += losses
        if kind == "function":
            left.pop("type", None)
        kept = {**left, **({"function": box} if box and box is not left else {})}
        return ToolCall(call_id, name, text, {self._name: kept} if kept else {})


def split_thought(text: str) -> tuple[str, str]:
    """What stands in ``<think>`` at the start of a text, and the rest; nothing for blank thoughts."""
    found = THOUGHT.fullmatch(text) if text.lstrip().startswith("<think>") else None
    return (found[1], found[2]) if found and found[1].strip() else ("", text)


def thought(text: str) -> str:
    """The opposite of ``split_thought``, to be put in front of the text."""
    return f"<think>\n{text}\n</think>\n\n"


def _take_text(left: dict[str, Any], key: str) -> str | None:
    """Remove and return a text; a number is taken as text, anything else stays. Null and ``""`` are absent."""
    value = left.get(key)
    if value is None or value == "":
        left.pop(key, None)
        return None
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(left.pop(key))
    return None


def _ids(raw: list[Any]) -> set[str]:
    messages = [item for item in raw if isinstance(item, dict)]
    calls = [call for item in messages if isinstance(item.get("tool_calls"), list) for call in item["tool_calls"]]
    ids = [call.get("id") for call in calls if isinstance(call, dict)]
    return {str(id_) for id_ in [*ids, *(item.get("tool_call_id") for item in messages)] if id_}


def conversation_of(messages: tuple[Message, ...], name: str, left: dict[str, Any], **rest: Any) -> Conversation:
    """A conversation whose leading system message, where it is text without attachments, is its system prompt.

    What else that message had is kept as ``system_message`` in the format's own extensions, which are ``left``.
    """
    first = messages[0] if messages else None
    if first and first.role == "system" and isinstance(first.content, str) and not first.attachments:
        beside = {"id": first.id, "name": first.name, "timestamp": first.timestamp, "extensions": first.extensions}
        if kept := {key: value for key, value in beside.items() if value}:
            left = {**left, "system_message": kept}
        messages, rest = messages[1:], {**rest, "system_prompt": first.content}
    return Conversation(messages, extensions={name: left} if left else {}, **rest)


def take_head(left: dict[str, Any]) -> dict[str, Any]:
    """Remove and return what a record says of its conversation, where it is text."""
    found = {key: _take_text(left, key) for key in ("id", "title", "model", "summary")}
    return {key: value for key, value in found.items() if value}


def head_of(conversation: Conversation) -> dict[str, Any]:
    """The opposite of ``take_head``."""
    found = {key: getattr(conversation, key) for key in ("id", "title", "model", "summary")}
    return {key: value for key, value in found.items() if value}


def with_system_message(conversation: Conversation, name: str) -> Conversation:
    """The opposite of ``conversation_of``: the system prompt as the first message."""
    if conversation.system_prompt is None:
        return conversation
    kept = own(own(conversation.extensions, name), "system_message")
    texts = {key: kept[key] for key in ("id", "name", "timestamp") if isinstance(kept.get(key), str)}
    first = Message("system", conversation.system_prompt, extensions=own(kept, "extensions"), **texts)
    return replace(conversation, messages=(first, *conversation.messages))
