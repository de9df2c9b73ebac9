"""Write ShareGPT records; what trainers would refuse is listed, never invented around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.lists.messages import head_of, thought
from mnemo_lab.formats.lists.prepare import Prepared, note_filled, note_foreign, own, prepared, rendered, tool_names
from mnemo_lab.formats.lists.unkept import definitions, note_unkept, pictures, text_with, thoughts
from mnemo_lab.formats.lists.values import data_uri, object_of, text_of
from mnemo_lab.formats.sharegpt.read import MARK, NAME
from mnemo_lab.formats.sharegpt.turns import Turn, faults, turns_of

_TITLE: Final = "ShareGPT"


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """An array with one record per conversation; branches are taken by their active path."""
    ready = prepared(conversations)
    tree = [_Record(item).tree() for item in ready]
    return Written(rendered(tree).encode(), tuple(found for item in ready for found in item.tally.losses))


class _Record:
    def __init__(self, ready: Prepared) -> None:
        self._conversation, self._tally = ready.conversation, ready.tally
        self._images: list[str] = []
        self._names = tool_names(self._conversation.messages)

    def tree(self) -> dict[str, Any]:
        conversation, tally = self._conversation, self._tally
        for at in enumerate(conversation.messages):
            note_unkept(tally, at, NAME)
        written = self._merged(list(turns_of(conversation.messages, tally)))
        left = own(conversation.extensions, NAME)
        tools = definitions(conversation)
        known = {NAME}
        if tools:
            known |= {tools[0]} if own(conversation.extensions, tools[0]).keys() == {"tools"} else set()
        note_foreign(tally, conversation.extensions, known)
        system = self._system()
        extra = {key: value for key, value in left.items() if key not in _RESERVED}
        return {
            **head_of(conversation),
            "conversations": written,
            **({"system": system} if system is not None else {}),
            **_tools(tools[1] if tools else None, left.get("tools")),
            **({"images": self._images} if self._images else {}),
            **extra,
        }

    def _system(self) -> str | None:
        """All system texts as one, because trainers take one and only in front."""
        parts = [self._conversation.system_prompt]
        for index, message in enumerate(self._conversation.messages):
            if message.role == "system":
                parts.append(message.text)
                if index or self._conversation.system_prompt:
                    self._tally.add("system_moved", (index, message), reason="one system text, in front, is allowed")
                self._nothing_but_text((index, message))
        texts = [part for part in parts if part]
        return "\n\n".join(texts) if texts else self._conversation.system_prompt

    def _nothing_but_text(self, at: tuple[int, Message]) -> None:
        thoughts(self._tally, at)
        list(pictures(self._tally, at))

    def _merged(self, turns: list[Turn]) -> list[dict[str, str]]:
        """Turns as they are written; texts of the same kind in a row become one turn."""
        kept: list[Turn] = []
        written: list[dict[str, str]] = []
        for turn in turns:
            value = self._value(turn, first=not kept or kept[-1].at is not turn.at)
            if kept and kept[-1].kind == turn.kind and turn.kind in ("human", "gpt"):
                role = "user" if turn.kind == "human" else "assistant"
                self._tally.add("roles_merged", count=2, role=role)
                written[-1]["value"] = "\n\n".join(filter(None, (written[-1]["value"], value)))
                continue
            kept.append(turn)
            written.append({"from": turn.kind, "value": value})
        for at, reason in faults(kept):
            self._tally.add("refused_by_target", at, target=_TITLE, reason=reason)
        return written

    def _value(self, turn: Turn, first: bool) -> str:
        message = turn.at[1]
        if not isinstance(message.content, str) and not turn.call:
            note_filled(self._tally, message)
        if turn.call:
            return self._call(turn.call, turn.at, first)
        if message.role == "tool":
            self._result(turn)
        text = text_with(self._tally, turn.at, message.text)
        marks = "".join(self._picture(item) for item in pictures(self._tally, turn.at))
        reasoning = self._reasoning(turn.at)
        return marks + reasoning + self._unmarked(text, turn.at)

    def _result(self, turn: Turn) -> None:
        message = turn.at[1]
        if message.tool_call_id:
            self._tally.add("tool_id_dropped")
        if message.name and message.name != self._names[turn.at[0]]:
            self._tally.add("name_dropped", turn.at, name=message.name)

    def _reasoning(self, at: tuple[int, Message]) -> str:
        text = thoughts(self._tally, at)
        if "</think>" in text:
            self._tally.add("reasoning_dropped", at, reason="it contains </think>")
            return ""
        return thought(self._unmarked(text, at)) if text else ""

    def _unmarked(self, text: str, at: tuple[int, Message]) -> str:
        if MARK not in text:
            return text
        self._tally.add("placeholder_added", at, reason=f"the text says {MARK}, which stands for a picture")
        return text.replace(MARK, "< image>")

    def _picture(self, item: Attachment) -> str:
        if item.name:
            self._tally.add("field_dropped", field="attachment.name")
        if item.media_type and not item.data:
            self._tally.add("field_dropped", field="attachment.media_type")
        self._images.append(data_uri(item) if item.data else str(item.reference))
        return MARK

    def _call(self, call: ToolCall, at: tuple[int, Message], first: bool) -> str:
        """A call as JSON; text beside it has no turn of its own and goes into the first one's JSON."""
        if call.id:
            self._tally.add("tool_id_dropped")
        arguments = object_of(call.arguments)
        if arguments is None:
            self._tally.add("bad_arguments", at, name=call.name)
        written = {"name": call.name, "arguments": call.arguments if arguments is None else arguments}
        written |= {key: value for key, value in own(call.extensions, NAME).items() if key not in _CALL}
        text = text_with(self._tally, at, at[1].text) if first else ""
        if text:
            reason = "text beside a call; kept as content in the call's JSON, which trainers pass over"
            self._tally.add("refused_by_target", at, target=_TITLE, reason=reason)
            written["content"] = self._unmarked(text, at)
        if first:
            list(pictures(self._tally, at))
        return (self._reasoning(at) if first else "") + text_of(written).replace(MARK, "<image\\u003e")


_RESERVED: Final = frozenset(
    {"id", "title", "model", "summary", "conversations", "conversation", "messages", "items", "system", "tools"}
    | {"images", "system_message"}
)
_CALL: Final = frozenset({"name", "arguments", "parameters", "content"})


def _tools(definitions: list[dict[str, Any]] | None, raw: Any) -> dict[str, str]:
    if definitions:
        return {"tools": text_of(definitions)}
    return {"tools": raw if isinstance(raw, str) else text_of(raw)} if raw else {}
