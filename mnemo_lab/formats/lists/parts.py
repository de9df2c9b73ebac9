"""Content of messages as text or as a list of parts, the way Hugging Face templates and OpenAI write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from mnemo_lab.conversation import MISSING, Attachment, Missing
from mnemo_lab.formats.lists.values import attachment_of, is_base64, text_of
from mnemo_lab.losses import Loss, loss

MEDIA: Final = {
    "image": "image", "image_url": "image", "audio": "audio", "audio_url": "audio", "input_audio": "audio",
    "video": "video", "video_url": "video", "file": "file",
}  # fmt: skip
_LOST: Final = {"image": "image_dropped", "audio": "audio_dropped", "video": "file_dropped", "file": "file_dropped"}
_NO_DATA: Final = "its data is missing or not base64; the part is kept under extensions"
_SOURCES: Final = ("url", "path", "base64", "image_url", "audio_url", "video_url", "image", "audio", "video", "data")


@dataclass
class Content:
    """What the parts of one message came to."""

    text: str | Missing | None = MISSING
    attachments: list[Attachment] = field(default_factory=list)
    reasoning: list[dict[str, Any]] = field(default_factory=list)
    refusal: str = ""
    unknown: list[Any] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)


class PartReader:
    """Reads contents; pictures without an address of their own are the next of ``images``."""

    def __init__(self, images: list[Any]) -> None:
        self._images = iter(images)

    def read(self, raw: Any, id_: str | None, where: str) -> Content:
        """Content from text, null or parts; ``MISSING`` stands for a message without any."""
        if raw is None or isinstance(raw, str | Missing):
            return Content(raw)
        if not isinstance(raw, list):
            lost = loss("unknown_block", message_id=id_, pointer=where, type=type(raw).__name__)
            return Content(text_of(raw), unknown=[raw], losses=[lost])
        found = Content("")
        texts: list[str] = []
        kinds = ""
        for index, part in enumerate(raw):
            if isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("text"), str)):
                texts.append(part if isinstance(part, str) else part["text"])
                kinds += "t"
            else:
                kinds += "m" * self._other(part, found, id_, f"{where}/{index}")
        found.text = "\n\n".join(filter(None, texts))
        if "tm" in kinds:
            found.losses.append(loss("parts_reordered", message_id=id_, pointer=where))
        return found

    def _other(self, part: Any, found: Content, id_: str | None, where: str) -> bool:
        """Read a part that is no text; true where it became an attachment."""
        kind = str(part.get("type")) if isinstance(part, dict) else type(part).__name__
        if kind in MEDIA:
            attachment = self._attachment(part, MEDIA[kind])
            found.attachments += [attachment] if attachment else []
            if attachment is None:
                found.unknown.append(part)
                found.losses.append(loss(_LOST[MEDIA[kind]], message_id=id_, pointer=where, reason=_NO_DATA))
            return attachment is not None
        if kind in ("thinking", "reasoning") and isinstance(part.get(kind), str):
            found.reasoning.append({"text": part[kind]})
        elif kind == "refusal" and isinstance(part.get(kind), str):
            found.refusal += part[kind]
        else:
            found.unknown.append(part)
            found.losses.append(loss("unknown_block", message_id=id_, pointer=where, type=kind))
        return False

    def _attachment(self, part: dict[str, Any], kind: str) -> Attachment | None:
        source = next((part[key] for key in _SOURCES if part.get(key)), None) or part.get(part["type"])
        if source is None and kind == "image":
            source = next(self._images, None)
        if isinstance(source, dict):
            name = source.get("filename")
            source = next((source[key] for key in ("url", "path", "data", "file_data") if source.get(key)), None)
        else:
            name = part.get("name")
        if not isinstance(source, str):
            return None
        name = name if isinstance(name, str) else None
        media_type = part.get("mime_type") if isinstance(part.get("mime_type"), str) else None
        if kind in ("audio", "video"):
            media_type = media_type or f"{kind}/{_ending(source) or 'unknown'}"
        if part.get("base64") == source and is_base64(source):
            return Attachment("image" if kind == "image" else "file", media_type, None, source, name)
        return attachment_of(kind, source, media_type, name)


def _ending(source: str) -> str:
    ending = source.rpartition(".")[2] if not source.startswith("data:") else ""
    return ending.lower() if ending.isalnum() and len(ending) < 5 else ""
