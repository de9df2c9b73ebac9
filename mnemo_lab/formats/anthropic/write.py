"""Write Anthropic message bodies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from mnemo_lab.conversation import Conversation
from mnemo_lab.formats.anthropic.blocks import FORMAT, PROVIDER, TARGET, block_of
from mnemo_lab.formats.anthropic.cited import cited
from mnemo_lab.formats.anthropic.turns import Turns
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.lists.prepare import Tally, own
from mnemo_lab.formats.lists.values import is_audio, object_of
from mnemo_lab.formats.openai_chat import give
from mnemo_lab.formats.openai_chat.call_ids import Call, CallIds, Rules
from mnemo_lab.formats.openai_chat.give import Spot

_RULES: Final = Rules(
    TARGET, forbidden=re.compile(r"[^a-zA-Z0-9_-]"), limit=64, names=re.compile(r"[a-zA-Z0-9_-]{1,128}")
)
Blocks = list[dict[str, Any]]


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One body with model, system and messages, or several; see the package for ``extra`` settings."""
    return give.write_bodies(conversations, options, _body)


def _body(conversation: Conversation, options: WriteOptions, tally: Tally) -> dict[str, Any]:
    give.note_common(tally, conversation, FORMAT, {"error", "citations"})
    prompt, spots = give.prompt_and_spots(conversation, tally)
    writer = _Writer(conversation, options, tally)
    for spot in spots:
        writer.message(spot)
    body = give.body(conversation, options, FORMAT)
    system = _system(conversation, [prompt, *writer.moved], tally)
    return body | system | {"messages": writer.turns.finished(give.filler(options))}


def _system(conversation: Conversation, texts: Sequence[str | None], tally: Tally) -> dict[str, Any]:
    text = "\n\n".join(text for text in texts if text and text.strip())
    if not text:
        if texts[0] is not None:
            tally.add("content_filled", found="a blank system prompt", written="none")
        return {}
    blocks = own(conversation.extensions, FORMAT).get("system_blocks")
    if isinstance(blocks, list):
        said = [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]
        if len(said) == len(blocks) and "\n\n".join(said) == text:
            return {"system": blocks}
        tally.add("field_dropped", field=f"extensions.{FORMAT}.system_blocks")
    return {"system": text}


class _Writer:
    def __init__(self, conversation: Conversation, options: WriteOptions, tally: Tally) -> None:
        self._options, self._tally = options, tally
        self._model = give.target_model(conversation, options)
        self._ids = CallIds(conversation, tally, _RULES)
        self.turns = Turns(tally)
        self.moved: list[str] = []

    def message(self, spot: Spot) -> None:
        role = spot[1].role
        if role == "system":
            self._late_system(spot)
        elif role == "tool":
            self.turns.result(spot, self._result(spot))
        else:
            self.turns.say(spot, role, self._answer(spot) if role == "assistant" else self._question(spot))

    def _late_system(self, spot: Spot) -> None:
        """Kept in place where it was in this format or is asked for, else joined to the system prompt."""
        message = spot[1]
        give.drop_all(self._tally, spot, f"system messages of {TARGET} hold text only")
        give.note_not_put_back(self._tally, message, FORMAT)
        if not message.text.strip():
            self._tally.add("empty_message", spot)
        elif self._options.extra.get("mid_system") or own(message.extensions, FORMAT).get("in_place") is True:
            self.turns.system(spot, message.text)
        else:
            self._tally.add("system_moved", spot, reason=f"most models of {TARGET} take it at the top only")
            self.moved.append(message.text)

    def _question(self, spot: Spot) -> Blocks:
        message = spot[1]
        blocks = [*self._media(spot), *_texts(give.spoken(message))]
        if blocks:
            give.note_empty(message, self._tally, '""')
        return give.put_back(blocks, message.extensions, FORMAT)

    def _answer(self, spot: Spot) -> Blocks:
        message = spot[1]
        give.drop_all(self._tally, spot, f"assistant messages of {TARGET} hold no attachments")
        calls = [self._call(spot, item) for item in self._ids.calls(spot)]
        said = [*cited(spot, self._tally), *_texts(give.refusal_of(message))]
        if calls and not said:
            give.note_null(message, self._tally)
        thinking = self._thinking(spot) if said or calls else []
        if not (said or calls):
            for entry in give.reasoning_of(message):
                give.note_signature(self._tally, spot, entry)
                self._tally.add("reasoning_dropped", spot, reason="the message says nothing else")
        return give.put_back([*thinking, *said, *calls], message.extensions, FORMAT)

    def _thinking(self, spot: Spot) -> Blocks:
        """Reasoning that Anthropic signed for this model; it refuses any other."""
        blocks: Blocks = []
        for entry in give.reasoning_of(spot[1]):
            is_own = give.is_own(entry, (PROVIDER,), self._model)
            signature, data, text = give.opaque(entry), give.opaque(entry, "data"), give.reasoning_text(entry)
            if is_own and data:
                blocks.append({"type": "redacted_thinking", "data": data})
            elif is_own and signature:
                blocks.append({"type": "thinking", "thinking": text, "signature": signature})
            else:
                give.note_signature(self._tally, spot, entry)
                reason = f"{TARGET} takes back only what it signed for the same model"
                self._tally.add("reasoning_dropped", spot, reason=reason)
        return blocks

    def _call(self, spot: Spot, item: Call) -> dict[str, Any]:
        given = object_of(item.call.arguments)
        if given is None:
            self._tally.add("bad_arguments", spot, name=item.call.name)
            given = {"raw_arguments": item.call.arguments}
        block = {"type": "tool_use", "id": item.id, "name": item.call.name, "input": given}
        return give.fields_back(block, item.call.extensions, FORMAT)

    def _result(self, spot: Spot) -> dict[str, Any]:
        message = spot[1]
        id_, _ = self._ids.result(spot)
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": id_}
        media, text = self._media(spot), give.spoken(message)
        inside = give.put_back([*_texts(text), *media], message.extensions, FORMAT)
        plain = inside == _texts(text)
        if inside:
            block["content"] = text if plain else inside
            give.note_empty(message, self._tally, '""')
        elif isinstance(message.content, str):
            block["content"] = ""
            if message.content:
                self._tally.add("content_filled", found="blank", written='""')
        elif message.content is None:
            self._tally.add("content_filled", found="null", written="missing")
        if message.extensions.get("is_error") is True:
            block["is_error"] = True
        return give.fields_back(block, message.extensions, FORMAT)

    def _media(self, spot: Spot) -> Blocks:
        blocks: Blocks = []
        for attachment in spot[1].attachments:
            block = f"{TARGET} takes no audio" if is_audio(attachment) else block_of(attachment)
            if isinstance(block, dict):
                blocks.append(block)
            else:
                give.dropped(self._tally, spot, attachment, block)
        return blocks


def _texts(text: str) -> Blocks:
    """A text block; none for blank text, which Anthropic refuses."""
    return [{"type": "text", "text": text}] if text.strip() else []
