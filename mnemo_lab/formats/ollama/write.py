"""Write bodies of Ollama's chat API."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from mnemo_lab.conversation import Conversation, ToolCall
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.lists.prepare import Tally
from mnemo_lab.formats.lists.values import object_of
from mnemo_lab.formats.ollama.read import FORMAT
from mnemo_lab.formats.openai_chat import give
from mnemo_lab.formats.openai_chat.give import Spot

TARGET: Final = "Ollama"
_BY_PLACE: Final = 10**9


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One body with model and messages, or several."""
    return give.write_bodies(conversations, options, _body)


def _body(conversation: Conversation, options: WriteOptions, tally: Tally) -> dict[str, Any]:
    give.note_common(tally, conversation, FORMAT)
    writer = _Writer(tally)
    messages = [writer.message(spot) for spot in _by_calls(give.spots_of(conversation, tally), tally)]
    if conversation.system_prompt is not None:
        messages.insert(0, {"role": "system", "content": conversation.system_prompt})
    return give.body(conversation, options, FORMAT) | {"messages": messages}


def _by_calls(spots: Sequence[Spot], tally: Tally) -> list[Spot]:
    """With the results of a step in the order of its calls, because that order alone pairs them."""
    found: list[Spot] = []
    order: dict[str, int] = {}
    for is_result, run in groupby(spots, key=lambda spot: spot[1].role == "tool"):
        several = list(run)
        if is_result:
            ordered = sorted(several, key=lambda spot: order.get(spot[1].tool_call_id or "", _BY_PLACE))
            if ordered != several:
                tally.add("pair_repaired", several[0], reason="results stand in the order of their calls")
            found += ordered
        else:
            calls = several[-1][1].tool_calls
            order = {call.id: index for index, call in reversed(list(enumerate(calls)))}
            found += several
    return found


class _Writer:
    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._names: dict[str, str] = {}

    def message(self, spot: Spot) -> dict[str, Any]:
        message = spot[1]
        written: dict[str, Any] = {"role": message.role, "content": give.text_of(message, self._tally)}
        images = self._images(spot)
        if images:
            written["images"] = images
        if message.role == "assistant":
            written |= self._thinking(spot) | self._calls(spot)
        elif message.role == "tool":
            written |= self._tool_name(spot)
        return give.fields_back(written, message.extensions, FORMAT)

    def _thinking(self, spot: Spot) -> dict[str, Any]:
        entries = give.reasoning_of(spot[1])
        for entry in entries:
            give.note_signature(self._tally, spot, entry)
        text = "\n\n".join(filter(None, map(give.reasoning_text, entries)))
        return {"thinking": text} if text else {}

    def _calls(self, spot: Spot) -> dict[str, Any]:
        calls = []
        for call in spot[1].tool_calls:
            self._names[call.id] = call.name
            if call.id:
                self._tally.add("tool_id_dropped")
            calls.append({"function": {"name": call.name, "arguments": self._arguments(spot, call)}})
        return {"tool_calls": calls} if calls else {}

    def _arguments(self, spot: Spot, call: ToolCall) -> dict[str, Any]:
        given = object_of(call.arguments)
        if given is None:
            self._tally.add("bad_arguments", spot, name=call.name)
            return {"raw_arguments": call.arguments}
        return given

    def _tool_name(self, spot: Spot) -> dict[str, Any]:
        own, known = spot[1].name or "", self._names.get(spot[1].tool_call_id or "", "")
        if own and known and own != known:
            self._tally.add("name_dropped", spot, name=own)
        name = known or own
        return {"tool_name": name} if name else {}

    def _images(self, spot: Spot) -> list[str]:
        images = []
        for attachment in spot[1].attachments:
            reason = give.fault_of(attachment)
            if attachment.kind != "image":
                reason = f"{TARGET} takes images only"
            elif attachment.data is None and not reason:
                reason = f"{TARGET} takes images by their data, not by address"
            elif spot[1].role in ("system", "tool"):
                reason = f"{TARGET} takes images of user and assistant only"
            if reason:
                give.dropped(self._tally, spot, attachment, reason)
            else:
                images.append(str(attachment.data))
        return images
