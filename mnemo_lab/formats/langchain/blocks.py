"""Content blocks: LangChain's own of two generations, and those that providers leave in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from mnemo_lab.conversation import Attachment
from mnemo_lab.formats.lists.values import attachment_of, is_base64
from mnemo_lab.losses import Loss, loss

CALLS: Final = frozenset({"tool_use", "tool_call", "function_call", "tool_call_chunk"})
_MEDIA: Final = {
    "image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "input_audio": "audio",
    "video": "video", "file": "file", "document": "file", "text-plain": "file",
}  # fmt: skip
_LOST: Final = {"image": "image_dropped", "audio": "audio_dropped", "video": "file_dropped", "file": "file_dropped"}
_REASON: Final = "its data is missing or not base64; the block is kept under extensions"


@dataclass
class Blocks:
    """What the blocks of one message came to; ``calls`` are as they stood."""

    text: str = ""
    attachments: list[Attachment] = field(default_factory=list)
    reasoning: list[dict[str, Any]] = field(default_factory=list)
    citations: list[Any] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    refusal: str = ""
    unknown: list[Any] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)


def blocks_of(raw: list[Any], id_: str | None, where: str) -> Blocks:
    """Text blocks are pieces of one text, as LangChain joins them itself."""
    found = Blocks()
    kinds = ""
    for index, block in enumerate(raw):
        if isinstance(block, str):
            found.text += block
            kinds += "t"
        elif isinstance(block, dict):
            kinds += _take(block, found, id_, f"{where}/{index}")
        else:
            _unknown(block, found, id_, f"{where}/{index}")
    if "mt" in kinds:
        found.losses.append(loss("parts_reordered", message_id=id_, pointer=where))
    return found


def _take(block: dict[str, Any], found: Blocks, id_: str | None, where: str) -> str:
    """Read one block: ``t`` for text, ``m`` for an attachment, ``""`` for anything else."""
    kind = str(block.get("type"))
    if kind in ("text", "output_text", "input_text") and isinstance(block.get("text"), str):
        found.text += block["text"]
        cited = block.get("annotations") or block.get("citations")
        found.citations += cited if isinstance(cited, list) else []
        return "t"
    if kind in CALLS:
        found.calls.append(block)
    elif kind == "refusal" and isinstance(block.get("refusal"), str):
        found.refusal += block["refusal"]
    elif kind in _MEDIA:
        return _media(block, _MEDIA[kind], found, id_, where)
    elif thought := _thought(kind, block):
        found.reasoning.append(thought)
    else:
        _unknown(block, found, id_, where)
    return ""


def _unknown(block: Any, found: Blocks, id_: str | None, where: str) -> None:
    kind = block.get("type") if isinstance(block, dict) else type(block).__name__
    found.unknown.append(block)
    found.losses.append(loss("unknown_block", message_id=id_, pointer=where, type=kind))


def _media(block: dict[str, Any], kind: str, found: Blocks, id_: str | None, where: str) -> str:
    attachment = _attachment(block, kind)
    if attachment:
        found.attachments.append(attachment)
        return "m"
    found.unknown.append(block)
    found.losses.append(loss(_LOST[kind], message_id=id_, pointer=where, reason=_REASON))
    return ""


def _attachment(block: dict[str, Any], kind: str) -> Attachment | None:
    box = next((block[key] for key in ("source", "image_url", "input_audio", "file") if block.get(key)), block)
    if isinstance(box, str):
        box = {"url": box}
    if not isinstance(box, dict):
        return None
    extras = block.get("extras")
    name = _text(block, "name", "filename", "title") or _text(box, "filename") or _text(extras, "filename", "name")
    media_type = _text(block, "mime_type") or _text(box, "media_type", "mime_type")
    if kind == "audio" and _text(box, "format"):
        media_type = media_type or f"audio/{box['format']}"
    data = _text(box, "base64", "data", "file_data")
    if data and data[:5].lower() != "data:":
        is_text = box.get("type") == "text" or block.get("type") == "text-plain"
        if is_text or not is_base64(data):
            return None
        return Attachment("image" if kind == "image" else "file", media_type, None, data, name)
    address = data or _text(box, "url", "file_id", "uri")
    if not address:
        return None
    if kind in ("audio", "video") and not media_type:
        media_type = f"{kind}/unknown"
    return attachment_of(kind, address, media_type, name)


def _thought(kind: str, block: dict[str, Any]) -> dict[str, Any] | None:
    """Reasoning of LangChain, Anthropic, Bedrock and OpenAI, in that order."""
    if kind == "reasoning" and isinstance(block.get("reasoning"), str):
        return {"text": block["reasoning"]} | _only_texts(block.get("extras"), "signature", "provider", "model")
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return {"text": block["thinking"]} | _signed(block.get("signature"))
    if kind == "redacted_thinking" and isinstance(block.get("data"), str):
        return {"text": ""} | _signed(block["data"])
    if kind == "reasoning_content" and isinstance(block.get("reasoning_content"), dict):
        box = block["reasoning_content"]
        return {"text": _text(box, "text") or ""} | _only_texts(box, "signature")
    if kind == "reasoning" and isinstance(block.get("summary"), list):
        texts = [item["text"] for item in block["summary"] if isinstance(item, dict) and _text(item, "text")]
        opaque = _text(block, "encrypted_content")
        return {"text": "\n\n".join(texts)} | ({"signature": opaque, "provider": "openai"} if opaque else {})
    return None


def _signed(signature: Any) -> dict[str, Any]:
    return {"signature": signature, "provider": "anthropic"} if isinstance(signature, str) and signature else {}


def _only_texts(box: Any, *keys: str) -> dict[str, Any]:
    return {key: box[key] for key in keys if isinstance(box.get(key), str)} if isinstance(box, dict) else {}


def _text(box: Any, *keys: str) -> str | None:
    """The first of these that is a text with anything in it."""
    return next(iter(_only_texts({k: v for k, v in box.items() if v}, *keys).values()), None) if box else None
