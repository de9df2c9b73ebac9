"""Read items of the Responses API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mnemo_lab.conversation import Conversation, Message, Role
from mnemo_lab.formats.base import Reading
from mnemo_lab.formats.faults import Refused, shorten
from mnemo_lab.formats.lists.each import readings
from mnemo_lab.formats.lists.pairing import Calls
from mnemo_lab.formats.lists.values import text_of
from mnemo_lab.formats.openai_chat.gather import At, Gathered, Notes, conversation_of, ids_in, role_of, text_at
from mnemo_lab.formats.openai_responses.draft import FORMAT, Draft, part, rest_of_item
from mnemo_lab.formats.source import Source
from mnemo_lab.losses import Loss

_EXPECTED: Final = 'an object with "input" or "output", or a list of items with a type'
_LISTS: Final = ("input", "output")
_CALLS: Final = frozenset({"function_call", "custom_tool_call"})
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})


def read(source: Source) -> Iterator[Reading]:
    """Every conversation of JSON and JSONL files; raises ``InvalidInput`` where there is none at all."""
    return readings(source, _is_item, _convert)


def _is_item(value: Any) -> bool:
    # Items have inputs and outputs, too; no body has a type.
    return isinstance(value, dict) and ("type" in value or ("role" in value and not set(_LISTS) & value.keys()))


def _convert(value: Any, losses: list[Loss]) -> Conversation:
    notes = Notes(losses)
    fields = value if isinstance(value, dict) else {}
    items = list(_items(value))
    instructions = fields.get("instructions")
    prompt = instructions if isinstance(instructions, str) else None
    if isinstance(instructions, list):
        items = [(item, ("instructions", index)) for index, item in enumerate(instructions)] + items
    reader = _Reader(notes, set(ids_in([item for item, _ in items])), text_at(fields, "model"))
    for item, at in items:
        if isinstance(item, dict):
            reader.item(item, at)
        else:
            notes.add("unknown_record", at, type=shorten(item))
    reader.finish()
    known = (*_LISTS, "instructions", "model")
    found = conversation_of(reader.messages, fields, FORMAT, notes, known=known, at=(), prompt=prompt)
    return _with_lone(found, reader.lone)


def _with_lone(conversation: Conversation, lone: list[dict[str, Any]]) -> Conversation:
    """With the reasoning that nothing followed kept beside the messages."""
    if not lone:
        return conversation
    kept = {**conversation.extensions.get(FORMAT, {}), "reasoning_without_follower": lone}
    return Conversation(
        conversation.messages,
        model=conversation.model,
        system_prompt=conversation.system_prompt,
        extensions={**conversation.extensions, FORMAT: kept},
    )


def _items(value: Any) -> Iterator[tuple[Any, At]]:
    """The items with their places: what went in, then what came out."""
    if isinstance(value, list):
        yield from ((item, (index,)) for index, item in enumerate(value))
        return
    found = [key for key in _LISTS if isinstance(value, dict) and isinstance(value.get(key), list | str)]
    if not found:
        raise Refused("(file)", [f"found {shorten(value)}; expected {_EXPECTED}; name the format with --from"])
    for key in found:
        if isinstance(value[key], str):
            yield {"role": "user" if key == "input" else "assistant", "content": value[key]}, (key,)
        else:
            yield from ((item, (key, index)) for index, item in enumerate(value[key]))


class _Reader:
    """Takes items one after another; those of an answer gather in a draft until something else comes."""

    def __init__(self, notes: Notes, taken: set[str], model: str | None) -> None:
        self._notes, self._model = notes, model
        self._calls = Calls(taken)
        self._draft: Draft | None = None
        self.messages: list[Message] = []
        self.lone: list[dict[str, Any]] = []

    def item(self, item: dict[str, Any], at: At) -> None:
        kind = item.get("type", "message" if "role" in item else None)
        if kind == "message":
            self._message(item, at)
        elif kind == "reasoning":
            self._answer(at, fresh=self._draft is not None and self._draft.has_said).reasoning(item, self._model)
        elif kind in _CALLS:
            if self._draft is None:
                self._calls.closed()
            self._answer(at).call(item, at, self._calls)
        elif kind in _OUTPUTS:
            self._output(item, at)
        else:
            self._answer(at).keep(item, at)

    def finish(self) -> None:
        """End the answer that is being gathered."""
        draft, self._draft = self._draft, None
        if draft is None:
            return
        if draft.is_lone:
            self._notes.add("reasoning_dropped", draft.at, reason="no message or call follows it")
            self.lone += draft.raw_reasoning
        else:
            self.messages.append(draft.message())

    def _answer(self, at: At, fresh: bool = False) -> Draft:
        if fresh:
            self.finish()
        if self._draft is None:
            self._draft = Draft(self._notes, at)
        return self._draft

    def _message(self, item: dict[str, Any], at: At) -> None:
        role = role_of(item, at, self._notes)
        if role == "assistant":
            self._answer(at, fresh=self._draft is not None and self._draft.has_said).said(item, at)
            return
        self.finish()
        self._calls.closed()
        parts = Gathered(FORMAT, self._notes, at)
        content = _content(item.get("content"), parts, role, (*at, "content"))
        self.messages.append(
            Message(
                role if role != "tool" else "user",
                content,
                text_at(item, "id") or "",
                attachments=tuple(parts.attachments),
                extensions=parts.extensions(_own(item, role)),
            )
        )

    def _output(self, item: dict[str, Any], at: At) -> None:
        self.finish()
        parts = Gathered(FORMAT, self._notes, at)
        call, name = self._calls.answered(text_at(item, "call_id"), None)
        output = item.get("output")
        if output is None or isinstance(output, str | list):
            content = _content(output, parts, "tool", (*at, "output"))
        else:
            content = text_of(output)
        own = rest_of_item(item, ("call_id", "output"))
        if item["type"] == "custom_tool_call_output":
            own["type"] = item["type"]
        self.messages.append(
            Message(
                "tool",
                content,
                tool_call_id=call,
                name=name,
                attachments=tuple(parts.attachments),
                extensions=parts.extensions(own),
            )
        )


def _own(item: dict[str, Any], role: Role) -> dict[str, Any]:
    said = item.get("role")
    own = rest_of_item(item, ("role", "content"))
    return own | ({"role": said} if said != role else {})


def _content(content: Any, parts: Gathered, role: Role, at: At) -> str | None:
    if content is None or isinstance(content, str):
        return content
    for index, value in enumerate(content if isinstance(content, list) else [content]):
        part(parts, index, value, (*at, index))
    return parts.content(role)
