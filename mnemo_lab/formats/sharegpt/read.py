"""Read ShareGPT records: one kind of turn is a call, another its result, and pictures are marks in the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.formats.base import Detection, Reading, Sample
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.lists.each import readings
from mnemo_lab.formats.lists.messages import conversation_of, split_thought, take_head
from mnemo_lab.formats.lists.pairing import Calls
from mnemo_lab.formats.lists.values import arguments_of, attachment_of, text_of
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss, loss

NAME: Final = "sharegpt"
MARK: Final = "<image>"
_LISTS: Final = ("conversations", "conversation", "messages", "items")
_KINDS: Final = {
    "human": "user", "user": "user", "prompter": "user",
    "gpt": "assistant", "assistant": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant",
    "model": "assistant", "chatbot": "assistant", "bot": "assistant",
    "system": "system", "function_call": "call", "tool_call": "call",
    "observation": "tool", "tool": "tool", "tool_response": "tool", "function_response": "tool",
}  # fmt: skip
_PLAIN: Final = frozenset({"human", "user", "gpt", "assistant", "system", "function_call", "observation", "tool"})


def detect(sample: Sample) -> Detection | None:
    turns = _turns(sample.first)
    if turns and isinstance(turns[0], dict) and {"from", "value"} <= turns[0].keys():
        return Detection(0.97, "conversations with from and value")
    return Detection(0.8, "turns with from and value") if _is_turn(sample.first) else None


def read(source: Source) -> Iterator[Reading]:
    """Every conversation, one at a time; raises ``InvalidInput`` where nothing can be read."""
    return readings(source, _is_turn, _conversation)


def _is_turn(value: Any) -> bool:
    return isinstance(value, dict) and {"from", "value"} <= value.keys()


def _turns(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    return value if isinstance(value, list) else None


def _conversation(value: Any, losses: list[Loss]) -> Conversation:
    raw = _turns(value)
    if raw is None or (raw and not any(isinstance(item, dict) and "from" in item for item in raw)):
        raise Refused("", ['no list of turns; expected {"conversations": [{"from": "human", "value": …}, …]}'])
    left = {key: item for key, item in value.items() if item is not raw} if isinstance(value, dict) else {}
    head, images = take_head(left), left.pop("images", None)
    turns = _Turns(losses, images if isinstance(images, list) else [])
    messages = turns.read(raw)
    if turns.images:
        left["images"] = turns.images
        losses.append(loss("unknown_block", pointer="/images", type=f"image without {MARK} in the text"))
    left |= _tools(left.pop("tools", None), losses)
    system = left.pop("system", None)
    if isinstance(system, str) and system:
        return Conversation(messages, system_prompt=system, extensions={NAME: left} if left else {}, **head)
    if not messages:
        losses.append(loss("empty_conversation", pointer="/conversations"))
    return conversation_of(messages, NAME, left, **head)


def _tools(raw: Any, losses: list[Loss]) -> dict[str, Any]:
    """Definitions of tools, which are JSON text; kept as text where they are not."""
    if raw in (None, ""):
        return {}
    try:
        found = json.loads(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError):
        losses.append(loss("unknown_block", pointer="/tools", type="tools that are not JSON"))
        found = raw
    return {"tools": found}


class _Turns:
    """Turns of one conversation as messages. ``images`` are those that no mark has taken yet."""

    def __init__(self, losses: list[Loss], images: list[Any]) -> None:
        self._losses = losses
        self.images = images
        self._calls = Calls()

    def read(self, raw: list[Any]) -> tuple[Message, ...]:
        found = []
        for index, item in enumerate(raw):
            where = f"/conversations/{index}"
            if isinstance(item, dict):
                found.append(self._message(dict(item), where))
            else:
                reason = f"{shorten(item)} is not an object"
                self._losses.append(loss("unreadable_record", pointer=where, reason=reason))
        return tuple(found)

    def _message(self, left: dict[str, Any], where: str) -> Message:
        kind = self._kind(left, where)
        text = self._text(left.pop("value", ""), where)
        if kind != "tool":
            self._calls.closed()
        if kind == "call":
            return self._call(text, left, where)
        text, attachments = self._pictures(text, where)
        if kind == "tool":
            answers, name = self._calls.answered(None, None)
            return Message("tool", text, name=name, tool_call_id=answers, extensions=_kept(left))
        thought, text = split_thought(text) if kind == "assistant" else ("", text)
        extensions = _kept(left) | ({"reasoning": [{"text": thought}]} if thought else {})
        role: Any = kind
        return Message(role, text, attachments=attachments, extensions=extensions)

    def _kind(self, left: dict[str, Any], where: str) -> str:
        raw = left.pop("from", None)
        kind = _KINDS.get(raw.lower()) if isinstance(raw, str) else None
        if kind is None:
            reason = f"{shorten(raw)} is no role that is known" if raw is not None else "there is none"
            self._losses.append(loss("role_guessed", pointer=where, role="user", reason=reason))
        elif raw not in _PLAIN:
            mapped = loss("role_mapped", role=raw, new="assistant" if kind == "call" else kind)
            self._losses += [] if mapped in self._losses else [mapped]
        if raw is not None and raw not in _PLAIN:
            left["from"] = raw
        return kind or "user"

    def _text(self, value: Any, where: str) -> str:
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        self._losses.append(loss("unknown_block", pointer=f"{where}/value", type=type(value).__name__))
        return text_of(value)

    def _pictures(self, text: str, where: str) -> tuple[str, tuple[Attachment, ...]]:
        """Take a picture for every mark, as long as there are any; other marks stay text."""
        found: list[Attachment] = []
        taken = 0
        while taken < len(self.images) and text.count(MARK) > taken:
            picture = self.images[taken]
            attachment = attachment_of("image", picture) if isinstance(picture, str) else None
            if attachment is None:
                reason = "its data is broken" if isinstance(picture, str) else "it is neither an address nor data"
                self._losses.append(loss("image_dropped", pointer=where, reason=reason))
            found += [attachment] if attachment else []
            taken += 1
        if taken and not text.startswith(MARK * taken):
            self._losses.append(loss("parts_reordered", pointer=where))
        self.images = self.images[taken:]
        return text.replace(MARK, "", taken), tuple(found)

    def _call(self, text: str, left: dict[str, Any], where: str) -> Message:
        """A call is JSON text, or a list of them; thoughts may stand before it. What is none is an assistant's text."""
        thought, rest = split_thought(text)
        extensions = {"reasoning": [{"text": thought}]} if thought else {}
        try:
            found = json.loads(rest)
        except (ValueError, RecursionError):
            found = None
        raw = found if isinstance(found, list) else [found]
        if not raw or not all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in raw):
            self._losses.append(loss("unknown_block", pointer=where, type="function_call that is not JSON"))
            return Message("assistant", rest, extensions=extensions | _kept({**left, "from": "function_call"}))
        content = raw[0].pop("content", None)
        calls = tuple(self._one(item, where) for item in raw)
        content = content if isinstance(content, str) else None
        return Message("assistant", content, tool_calls=calls, extensions=extensions | _kept(left))

    def _one(self, raw: dict[str, Any], where: str) -> ToolCall:
        name = raw.pop("name")
        text, good = arguments_of(raw.pop("arguments", raw.pop("parameters", None)))
        if not good:
            self._losses.append(loss("bad_arguments", pointer=where, name=name))
        id_, losses = self._calls.opened(None, name)
        self._losses += losses
        return ToolCall(id_, name, text, _kept(raw))


def _kept(left: dict[str, Any]) -> dict[str, Any]:
    return {NAME: left} if left else {}
