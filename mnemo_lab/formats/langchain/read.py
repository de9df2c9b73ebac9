"""Read LangChain messages, from types and fields alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Conversation, Message, Missing, Role, ToolCall
from mnemo_lab.formats.base import Detection, Reading, Sample
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.langchain.blocks import Blocks, blocks_of
from mnemo_lab.formats.langchain.calls import calls_of
from mnemo_lab.formats.langchain.shapes import NAME, TYPES, Shape, is_message, joined, messages_in, shape_of
from mnemo_lab.formats.lists.each import readings
from mnemo_lab.formats.lists.messages import conversation_of
from mnemo_lab.formats.lists.pairing import Calls
from mnemo_lab.formats.lists.values import text_of
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss, loss

_ROLES: Final[dict[str, Role]] = {
    "human": "user", "user": "user", "ai": "assistant", "assistant": "assistant",
    "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
_ITS_OWN: Final = frozenset({"human", "ai", "system", "tool"})


def detect(sample: Sample) -> Detection | None:
    first = sample.first
    if isinstance(first, dict) and first.get("lc") == 1 and "id" in first:
        return Detection(0.95, "LangChain's serialised form (lc, id, kwargs)")
    first = (messages_in(first) or [None])[0] if not is_message(first) else first
    shape = shape_of(first)
    if shape is None or not (shape.type in TYPES or shape.chunk):
        return None
    if "data" in first or "lc" in first:
        return Detection(0.95, "messages with type and data")
    return Detection(0.7, "messages with type and content") if shape.type in ("human", "ai") else None


def read(source: Source) -> Iterator[Reading]:
    """Every conversation, one at a time; raises ``InvalidInput`` where nothing can be read."""
    found = False
    for reading in readings(source, is_message, _conversation):
        found = True
        yield reading
    if not found:  # an empty array is what an empty conversation is written as
        yield Reading(Conversation(()), (loss("empty_conversation", pointer=""),), None, str(source.path))


def _conversation(value: Any, losses: list[Loss]) -> Conversation:
    raw = [value] if is_message(value) else messages_in(value)
    if raw is None or (raw and not any(shape_of(item) for item in raw)):
        raise Refused("", ['no list of messages; expected [{"type": "human", "data": {"content": …}}, …]'])
    reader = _Messages(losses)
    messages = reader.read(raw)
    if not messages:
        losses.append(loss("empty_conversation", pointer=""))
    return conversation_of(messages, NAME, reader.left, model=reader.model)


class _Messages:
    """``model`` is the first that answered; ``left`` is kept for the conversation."""

    def __init__(self, losses: list[Loss]) -> None:
        self._losses = losses
        self._calls = Calls()
        self.model: str | None = None
        self.left: dict[str, Any] = {}

    def read(self, raw: list[Any]) -> tuple[Message, ...]:
        shapes = []
        for index, item in enumerate(raw):
            if shape := shape_of(item):
                shapes.append((index, shape))
            else:
                reason = f"{shorten(item)} is no message"
                self._losses.append(loss("unreadable_record", pointer=f"/{index}", reason=reason))
        self._calls = Calls(_ids([shape for _, shape in shapes]))
        found = [self._message(shape, f"/{index}", count) for index, shape, count in joined(shapes)]
        return tuple(message for message in found if message)

    def _message(self, shape: Shape, where: str, count: int) -> Message | None:
        left = shape.data
        id_, name = _text(left, "id") or "", _text(left, "name")
        if shape.type == "remove":
            self._losses.append(loss("unknown_record", message_id=id_ or None, pointer=where, type="remove"))
            self.left.setdefault("removed", []).append(id_)
            return None
        role = self._role(shape, left, id_ or None, where)
        if count > 1:
            self._losses.append(loss("roles_merged", message_id=id_ or None, count=count, role=role))
        raw = left.pop("content", MISSING)
        blocks = blocks_of(raw if isinstance(raw, list) else [], id_ or None, f"{where}{shape.where}/content")
        content = self._content(raw, blocks, id_ or None, f"{where}{shape.where}/content")
        self._losses += blocks.losses
        calls, answers = self._calling(role, left, blocks, id_ or None, where)
        if role == "tool":
            answers, name = self._calls.answered(answers, name)
        extensions = _extensions(left, blocks)
        return Message(role, content, id_, None, name, calls, answers, None, tuple(blocks.attachments), extensions)

    def _role(self, shape: Shape, left: dict[str, Any], id_: str | None, where: str) -> Role:
        said = left.get("role") if shape.type == "chat" and isinstance(left.get("role"), str) else shape.type
        role = _ROLES.get(str(said).lower())
        if role is None:
            reason = f"{shorten(said)} is no role that is known"
            self._losses.append(loss("role_guessed", message_id=id_, pointer=where, role="user", reason=reason))
        if shape.type not in _ITS_OWN:
            left["type"] = shape.type
            mapped = loss("role_mapped", role=said, new=role)
            self._losses += [] if role is None or said == role or mapped in self._losses else [mapped]
        return role or "user"

    def _content(self, raw: Any, blocks: Blocks, id_: str | None, where: str) -> str | Missing | None:
        if raw is None or isinstance(raw, str | Missing):
            return raw
        if isinstance(raw, list):
            return blocks.text
        self._losses.append(loss("unknown_block", message_id=id_, pointer=where, type=type(raw).__name__))
        return text_of(raw)

    def _calling(
        self, role: Role, left: dict[str, Any], blocks: Blocks, id_: str | None, where: str
    ) -> tuple[tuple[ToolCall, ...], str | None]:
        """The calls an assistant makes, and the call a tool answers."""
        if role == "tool":
            return (), _text(left, "tool_call_id")
        self._calls.closed()
        if role != "assistant":
            blocks.unknown += blocks.calls
            kinds = [str(block.get("type")) for block in blocks.calls]
            self._losses += [loss("unknown_block", message_id=id_, pointer=where, type=kind) for kind in kinds]
            return (), None
        self._note_model(left)
        raw, again = calls_of(left, blocks.calls)
        if again and not any(item.code == "duplicate_record" for item in self._losses):
            self._losses.append(loss("duplicate_record"))
        found = []
        for call in raw:
            if not call.good or call.extra.get("invalid"):
                self._losses.append(loss("bad_arguments", message_id=id_, pointer=where, name=call.name))
            call_id, losses = self._calls.opened(call.id, call.name)
            self._losses += losses
            found.append(ToolCall(call_id, call.name, call.arguments, {NAME: call.extra} if call.extra else {}))
        return tuple(found), None

    def _note_model(self, left: dict[str, Any]) -> None:
        box = left.get("response_metadata")
        names = [box.get(key) for key in ("model_name", "model", "model_id")] if isinstance(box, dict) else []
        self.model = self.model or next((name for name in names if isinstance(name, str) and name), None)


def _extensions(left: dict[str, Any], blocks: Blocks) -> dict[str, Any]:
    """What has a meaning in every format, and all that is left under our name."""
    kwargs = left.get("additional_kwargs")
    kwargs = dict(kwargs) if isinstance(kwargs, dict) else {}
    thought, refusal = _text(kwargs, "reasoning_content"), blocks.refusal or _text(kwargs, "refusal")
    left["additional_kwargs"] = kwargs or left.get("additional_kwargs") or None
    if not kwargs:
        del left["additional_kwargs"]
    reasoning = [*([{"text": thought}] if thought and not blocks.reasoning else []), *blocks.reasoning]
    is_error = left.pop("status", None) == "error"
    known = {"reasoning": reasoning, "is_error": is_error, "citations": blocks.citations, "refusal": refusal}
    found: dict[str, Any] = {key: value for key, value in known.items() if value}
    if blocks.unknown:
        left["blocks"] = blocks.unknown
    kept = {key: value for key, value in left.items() if value not in (None, [], {}) and key not in _IDLE}
    return found | ({NAME: kept} if kept else {})


_IDLE: Final = frozenset({"example", "chunk_position"})


def _text(box: dict[str, Any], key: str) -> str | None:
    """Remove and return a text; anything else that says something stays."""
    value = box.get(key)
    if value in (None, ""):
        box.pop(key, None)
        return None
    return str(box.pop(key)) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _ids(shapes: list[Shape]) -> set[str]:
    calls = [item for shape in shapes for item in shape.data.get("tool_calls") or () if isinstance(item, dict)]
    return {str(item["id"]) for item in calls if item.get("id")} | {str(s.data.get("tool_call_id")) for s in shapes}
