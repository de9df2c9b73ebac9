"""Write request bodies of the Responses API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message, ToolCall
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.lists.prepare import Tally, own
from mnemo_lab.formats.lists.values import data_uri, is_audio, media_type_of
from mnemo_lab.formats.openai_chat import give
from mnemo_lab.formats.openai_chat.call_ids import Call, CallIds, Rules
from mnemo_lab.formats.openai_chat.give import Spot
from mnemo_lab.formats.openai_chat.write import TOOL_NAME
from mnemo_lab.formats.openai_responses.draft import FORMAT, PROVIDER

TARGET: Final = "OpenAI Responses"
_RULES: Final = Rules(TARGET, limit=64, names=TOOL_NAME)
_DETAILS: Final = ("auto", "low", "high", "original")
_PHASES: Final = ("commentary", "final_answer")


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One body with model, instructions and input, or several."""
    return give.write_bodies(conversations, options, _body)


def _body(conversation: Conversation, options: WriteOptions, tally: Tally) -> dict[str, Any]:
    give.note_common(tally, conversation, FORMAT, {"refusal", "citations"})
    prompt, spots = give.prompt_and_spots(conversation, tally)
    writer = _Writer(conversation, options, tally)
    items = [item for spot in spots for item in writer.items(spot)]
    body = give.body(conversation, options, FORMAT)
    if prompt is not None:
        body["instructions"] = prompt
    if "reasoning_without_follower" in own(conversation.extensions, FORMAT):
        tally.add("field_dropped", field=f"extensions.{FORMAT}.reasoning_without_follower")
    return body | {"input": items}


class _Writer:
    def __init__(self, conversation: Conversation, options: WriteOptions, tally: Tally) -> None:
        self._options, self._tally = options, tally
        self._model = give.target_model(conversation, options)
        self._ids = CallIds(conversation, tally, _RULES)
        self._open = False
        self._made = 0

    def items(self, spot: Spot) -> list[dict[str, Any]]:
        """The items of one message. A message that would melt into the one before is listed."""
        message = spot[1]
        if message.role == "assistant":
            return self._answer(spot)
        self._open = False
        if message.role == "tool":
            return [self._output(spot)]
        kept = own(message.extensions, FORMAT)
        role: str = message.role
        if role == "system" and kept.get("role") == "developer":
            role = "developer"
        item = {"type": "message", "role": role, "content": self._content(spot)}
        return [give.fields_back(item, message.extensions, FORMAT)]

    def _content(self, spot: Spot) -> str | list[dict[str, Any]]:
        message = spot[1]
        text = give.text_of(message, self._tally)
        media = [part for attachment in message.attachments if (part := self._media(spot, attachment))]
        if not media and not own(message.extensions, FORMAT).get("parts"):
            return text
        parts = [*([{"type": "input_text", "text": text}] if text else []), *media]
        return give.put_back(parts, message.extensions, FORMAT)

    def _output(self, spot: Spot) -> dict[str, Any]:
        id_, _ = self._ids.result(spot)
        custom = own(spot[1].extensions, FORMAT).get("type") == "custom_tool_call_output"
        kind = "custom_tool_call_output" if custom else "function_call_output"
        item = {"type": kind, "call_id": id_, "output": self._content(spot)}
        return give.fields_back(item, spot[1].extensions, FORMAT)

    def _answer(self, spot: Spot) -> list[dict[str, Any]]:
        message = spot[1]
        give.drop_all(self._tally, spot, f"assistant messages of {TARGET} hold text only")
        calls = [self._call(call) for call in self._ids.calls(spot)]
        said = list(self._said(spot))
        reasoning = list(self._reasoning(spot))
        kept = own(message.extensions, FORMAT)
        give.note_not_put_back(self._tally, message, FORMAT)
        items = {FORMAT: {"parts": kept.get("items")}}
        if not (calls or said or give.put_back([], items, FORMAT)):
            if reasoning:
                self._tally.add("reasoning_dropped", spot, reason="no message or call follows it")
            self._tally.add("empty_message", spot)
            return []
        if self._open and not reasoning and not said:
            self._tally.add("roles_merged", count=2, role="assistant")
        if not said:
            give.note_null(message, self._tally)
        self._open = True
        return give.put_back([*reasoning, *said, *calls], items, FORMAT)

    def _call(self, item: Call) -> dict[str, Any]:
        call: ToolCall = item.call
        if own(call.extensions, FORMAT).get("type") == "custom":
            return {"type": "custom_tool_call", "call_id": item.id, "name": call.name, "input": call.arguments}
        written = {"type": "function_call", "call_id": item.id, "name": call.name, "arguments": call.arguments}
        return give.fields_back(written, call.extensions, FORMAT)

    def _said(self, spot: Spot) -> Iterator[dict[str, Any]]:
        """The message item: short where there is only text, in full where it cites or refuses."""
        message, refusal = spot[1], give.refusal_of(spot[1])
        citations = self._citations(spot)
        if not (message.text or refusal):
            return
        item: dict[str, Any] = {"type": "message", "role": "assistant", "content": message.text}
        if citations or refusal:
            self._made += 1
            item = {"type": "message", "id": f"msg_{self._made}", "role": "assistant", "status": "completed"}
            texts = [{"type": "output_text", "text": message.text, "annotations": citations}] if message.text else []
            refusals = [{"type": "refusal", "refusal": refusal}] if refusal else []
            item["content"] = [*texts, *refusals]
        phase = own(own(message.extensions, FORMAT), "fields").get("phase")
        yield item | ({"phase": phase} if phase in _PHASES else {})

    def _citations(self, spot: Spot) -> list[dict[str, Any]]:
        found = give.citations_of(spot[1])
        written = [item for citation in found if (item := _annotation(citation, spot[1]))] if spot[1].text else []
        if len(written) < len(found):
            self._tally.add("citation_dropped", spot, count=len(found) - len(written))
        return written

    def _reasoning(self, spot: Spot) -> Iterator[dict[str, Any]]:
        """OpenAI's own reasoning with its encrypted content; others' only where it is asked for."""
        for entry in give.reasoning_of(spot[1]):
            id_, text = give.opaque(entry, "id"), give.reasoning_text(entry)
            summary = [{"type": "summary_text", "text": text}] if text else []
            if id_ and give.is_own(entry, (PROVIDER,), self._model):
                item = {"type": "reasoning", "id": id_, "summary": summary}
                signature = give.opaque(entry)
                yield item | ({"encrypted_content": signature} if signature else {})
                continue
            give.note_signature(self._tally, spot, entry)
            if text and self._options.extra.get("reasoning") == "summary":
                self._made += 1
                yield {"type": "reasoning", "id": f"rs_{self._made}", "summary": summary}
            elif text:
                self._tally.add("reasoning_dropped", spot, reason=f"{TARGET} takes back only its own, by id")

    def _media(self, spot: Spot, attachment: Attachment) -> dict[str, Any] | None:
        kept = own(attachment.extensions, FORMAT)
        id_ = kept.get("file_id")
        reason = "" if isinstance(id_, str) else give.fault_of(attachment)
        if not reason and is_audio(attachment):
            reason = f"{TARGET} takes no audio"
        if (
            not reason
            and attachment.data is None
            and not isinstance(id_, str)
            and not give.is_web(attachment.reference)
        ):
            reason = f"{TARGET} takes data or web addresses, no paths"
        if spot[1].role == "system":
            reason = f"system messages of {TARGET} hold text only"
        if reason:
            give.dropped(self._tally, spot, attachment, reason)
            return None
        return _image_part(attachment, kept) if attachment.kind == "image" else _file_part(attachment, kept)


def _image_part(attachment: Attachment, kept: Mapping[str, Any]) -> dict[str, Any]:
    part = {"type": "input_image", "detail": kept["detail"] if kept.get("detail") in _DETAILS else "auto"}
    if isinstance(kept.get("file_id"), str):
        part["file_id"] = kept["file_id"]
    if attachment.data is not None or attachment.reference:
        part["image_url"] = data_uri(attachment) if attachment.data is not None else attachment.reference
    return part


def _file_part(attachment: Attachment, kept: Mapping[str, Any]) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "input_file"}
    if isinstance(kept.get("file_id"), str):
        part["file_id"] = kept["file_id"]
    elif attachment.data is not None:
        part["file_data"] = data_uri(attachment) if media_type_of(attachment) else attachment.data
    else:
        part["file_url"] = attachment.reference
    return part | ({"filename": attachment.name} if attachment.name else {})


def _annotation(citation: Mapping[str, Any], message: Message) -> dict[str, Any] | None:
    """A citation as OpenAI writes it; ``None`` for one without an address and a place in the text."""
    start, end = citation.get("start_index"), citation.get("end_index")
    url = citation.get("url")
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(url, str)):
        return None
    if isinstance(start, bool) or isinstance(end, bool) or not 0 <= start <= end <= len(message.text):
        return None
    title = citation.get("title")
    known = {"type": "url_citation", "start_index": start, "end_index": end, "url": url}
    return known | {"title": title if isinstance(title, str) else ""}
