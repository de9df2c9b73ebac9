"""Write request bodies of the Gemini API."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mnemo_lab.conversation import Attachment, Conversation, Message
from mnemo_lab.formats.base import WriteOptions, Written
from mnemo_lab.formats.gemini.parts import FORMAT, PROVIDERS
from mnemo_lab.formats.lists.prepare import Tally, own
from mnemo_lab.formats.lists.values import media_type_of, object_of, text_of
from mnemo_lab.formats.openai_chat import give
from mnemo_lab.formats.openai_chat.call_ids import Call, CallIds, Rules
from mnemo_lab.formats.openai_chat.give import Spot
from mnemo_lab.formats.openai_chat.read import ANY_AUDIO

TARGET: Final = "Gemini"
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)")
"""A signature is opaque bytes; the API refuses what is not base64."""
SKIP: Final = "skip_thought_signature_validator"
_RULES: Final = Rules(TARGET, names=re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"))
_URIS: Final = ("http://", "https://", "gs://")
_SIGNED_SINCE: Final = re.compile(r"gemini-([3-9]|\d\d)")
Parts = list[dict[str, Any]]


def write(conversations: Sequence[Conversation], options: WriteOptions) -> Written:
    """One body with model, systemInstruction and contents, or several; see the package for ``extra`` settings."""
    return give.write_bodies(conversations, options, _body)


def _body(conversation: Conversation, options: WriteOptions, tally: Tally) -> dict[str, Any]:
    give.note_common(tally, conversation, FORMAT, {"error"})
    prompt, spots = give.prompt_and_spots(conversation, tally)
    writer = _Writer(conversation, options, tally)
    for spot in spots:
        writer.message(spot)
    body = give.body(conversation, options, FORMAT)
    if prompt is not None:
        body["systemInstruction"] = {"parts": [{"text": prompt}]}
    return body | {"contents": writer.finished(give.filler(options))}


class _Writer:
    """Collects contents; results stand in one of their own, other neighbours of one role are merged."""

    def __init__(self, conversation: Conversation, options: WriteOptions, tally: Tally) -> None:
        self._options, self._tally = options, tally
        self._model = give.target_model(conversation, options)
        self._ids = CallIds(conversation, tally, _RULES)
        self._contents: list[dict[str, Any]] = []
        self._spots: list[Spot] = []
        self._kind = ""

    def message(self, spot: Spot) -> None:
        role = spot[1].role
        if role == "tool":
            self._add(spot, "results", [{"functionResponse": self._result(spot)}])
        elif role == "assistant":
            self._add(spot, "model", self._answer(spot))
        else:
            self._add(spot, "user", self._question(spot))

    def _add(self, spot: Spot, kind: str, parts: Parts) -> None:
        """Add the parts; those of a message without any are left out."""
        if not parts:
            self._tally.add("empty_message", spot)
            return
        fields = give.fields_back({}, spot[1].extensions, FORMAT)
        if fields and kind != "results":
            self._tally.add("field_dropped", field=f"extensions.{FORMAT}.fields")
        if kind == self._kind and self._contents:
            last = self._contents[-1]["parts"]
            if kind != "results":
                self._tally.add("roles_merged", count=2, role="assistant" if kind == "model" else kind)
                _part_texts(last, parts)
            last += parts
            return
        self._kind = kind
        self._spots.append(spot)
        self._contents.append({"role": "model" if kind == "model" else "user", "parts": parts})

    def finished(self, filler: str) -> list[dict[str, Any]]:
        """The contents. Where the model comes first, ``filler`` stands in front, unless it is empty."""
        if self._contents and self._contents[0]["role"] != "user":
            reason = "the first turn must be the user's"
            if filler:
                self._tally.add("placeholder_added", self._spots[0], reason=reason)
                return [{"role": "user", "parts": [{"text": filler}]}, *self._contents]
            self._tally.add("refused_by_target", self._spots[0], target=TARGET, reason=reason)
        return self._contents

    def _question(self, spot: Spot) -> Parts:
        message = spot[1]
        if message.role == "system":
            self._tally.add("system_moved", spot, reason=f"{TARGET} has no system turns; written as the user's")
        parts = [*_texts(give.spoken(message)), *self._media(spot)]
        if parts:
            give.note_empty(message, self._tally, '""')
        return self._back(parts, message)

    def _answer(self, spot: Spot) -> Parts:
        message = spot[1]
        said = _texts(give.spoken(message))
        signature = self._signature(spot, own(message.extensions, FORMAT))
        if said and signature:
            said[-1]["thoughtSignature"] = signature
        elif signature:
            self._tally.add("signature_dropped", spot, provider=PROVIDERS[0])
        calls = [self._call(spot, item, first=not index) for index, item in enumerate(self._ids.calls(spot))]
        parts = [*self._thoughts(spot), *said, *self._media(spot), *calls]
        if parts and not said:
            give.note_null(message, self._tally)
        return self._back(parts, message)

    def _back(self, parts: Parts, message: Message) -> Parts:
        return give.put_back(parts, message.extensions, FORMAT)

    def _thoughts(self, spot: Spot) -> Parts:
        parts: Parts = []
        for entry in give.reasoning_of(spot[1]):
            text, signature = give.reasoning_text(entry), give.opaque(entry)
            part: dict[str, Any] = {"text": text, "thought": True}
            if _BASE64.fullmatch(signature or "") and give.is_own(entry, PROVIDERS, self._model):
                part["thoughtSignature"] = signature
            else:
                give.note_signature(self._tally, spot, entry)
            if text or "thoughtSignature" in part:
                parts.append(part)
        return parts

    def _signature(self, spot: Spot, kept: Mapping[str, Any]) -> str:
        """A signature that this format's reader kept, where the model is the same."""
        signature, model = kept.get("thoughtSignature"), kept.get("model")
        if not isinstance(signature, str):
            return ""
        if not _BASE64.fullmatch(signature):
            self._tally.add("signature_dropped", spot, provider=f"{PROVIDERS[0]} (not base64)")
            return ""
        if model is not None and self._model is not None and model != self._model:
            self._tally.add("signature_dropped", spot, provider=f"{PROVIDERS[0]} ({model})")
            return ""
        return signature

    def _call(self, spot: Spot, item: Call, first: bool) -> dict[str, Any]:
        given = object_of(item.call.arguments)
        if given is None:
            self._tally.add("bad_arguments", spot, name=item.call.name)
            given = {"raw_arguments": item.call.arguments}
        kept = own(item.call.extensions, FORMAT)
        call = {"id": item.id, "name": item.call.name, "args": given}
        part: dict[str, Any] = {"functionCall": give.fields_back(call, item.call.extensions, FORMAT)}
        signature = self._signature(spot, kept)
        if signature:
            return part | {"thoughtSignature": signature}
        if first and self._options.extra.get("skip_signatures"):
            self._tally.add("placeholder_added", spot, reason=f"{TARGET} 3 refuses calls without a signature")
            return part | {"thoughtSignature": SKIP}
        if first and _SIGNED_SINCE.search(self._model or ""):
            reason = "its first call of a step has no signature (extra skip_signatures=True)"
            self._tally.add("refused_by_target", spot, target=self._model, reason=reason)
        return part

    def _result(self, spot: Spot) -> dict[str, Any]:
        message = spot[1]
        id_, name = self._ids.result(spot)
        if not name:
            name = "unknown"
            self._tally.add("placeholder_added", spot, reason=f"{TARGET} wants the name of the function")
        key = "error" if message.extensions.get("is_error") is True else "output"
        value = _value(give.text_of(message, self._tally))
        written: dict[str, Any] = {"id": id_, "name": name, "response": {key: value}}
        media = self._media(spot)
        parts = give.put_back(media, message.extensions, FORMAT)
        if parts:
            written["parts"] = parts
        return give.fields_back(written, message.extensions, FORMAT)

    def _media(self, spot: Spot) -> Parts:
        parts: Parts = []
        for attachment in spot[1].attachments:
            part = _media_part(attachment)
            if isinstance(part, dict):
                parts.append(give.fields_back(part, attachment.extensions, FORMAT))
            else:
                give.dropped(self._tally, spot, attachment, part)
        return parts


def _texts(text: str) -> Parts:
    return [{"text": text}] if text else []


def _part_texts(before: Parts, behind: Parts) -> None:
    """Put a blank line between the texts of two messages that become one; Gemini joins texts without any."""
    texts = [part.get("text") for part in (before[-1], behind[0])]
    if all(isinstance(text, str) for text in texts) and not (before[-1].get("thought") or behind[0].get("thought")):
        before[-1] = before[-1] | {"text": f"{texts[0]}\n\n"}


def _value(text: str) -> Any:
    """A JSON container where that says exactly the text, else the text itself."""
    if text[:1] not in ("{", "["):
        return text
    try:
        value = json.loads(text)
        if isinstance(value, list):
            return value if object_of(f'{{"_":{text}}}') and text_of(value) == text else text
        return value if object_of(text) is not None and text_of(value) == text else text
    except (ValueError, RecursionError):
        return text


def _media_part(attachment: Attachment) -> dict[str, Any] | str:
    reason = give.fault_of(attachment)
    if reason:
        return reason
    kind = media_type_of(attachment)
    name = {"displayName": attachment.name} if attachment.name else {}
    if attachment.data is not None:
        if kind is None or kind == ANY_AUDIO:
            return "its type is not known"
        return {"inlineData": {"mimeType": kind, "data": attachment.data, **name}}
    if not str(attachment.reference).lower().startswith(_URIS):
        return f"{TARGET} takes addresses, not paths"
    return {"fileData": {"fileUri": attachment.reference, **({"mimeType": kind} if kind else {}), **name}}
