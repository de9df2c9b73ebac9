"""What stands in a message, by its content type: text, attachments, and what no field of ours holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from mnemo_lab.conversation import Attachment
from mnemo_lab.formats.chatgpt.assets import Assets
from mnemo_lab.formats.faults import pointer, shorten
from mnemo_lab.losses import Loss, loss

FORMAT: Final = "chatgpt"
_SCALARS: Final = (bool, int, float)
_LOOSE_TEXT: Final = ("text", "result", "summary", "content", "output", "output_str", "title", "name")
"""Where text stands in content of types nobody documents."""
_POINTERS: Final = ("audio_asset_pointer", "video_container_asset_pointer")


class Place(NamedTuple):
    """A message's own: where losses point to, and its attachments' names and types by file id."""

    id: str
    where: str
    assets: Assets
    files: dict[str, dict[str, Any]]

    def lost(self, code: str, under: str = "/content", **values: object) -> Loss:
        return loss(code, message_id=self.id, pointer=message_pointer(self.where, self.id) + under, **values)


def message_pointer(where: str, key: str) -> str:
    """The JSON pointer of a node's message; ``where`` is that of its conversation."""
    return f"{where}{pointer(('mapping', key, 'message'))}"


class Content(NamedTuple):
    """``kept`` are fields no message of ours has. ``failed``: the tool says that it failed."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    kept: dict[str, Any] = {}
    losses: tuple[Loss, ...] = ()
    failed: bool = False


def filled(value: dict[str, Any], without: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The members of an object that say something: not null, not empty."""
    return {k: v for k, v in value.items() if k not in without and (v or v.__class__ in _SCALARS)}


def plain_text(content: Any) -> str | None:
    """The text of the commonest content: one string and nothing else."""
    if not isinstance(content, dict) or len(content) != 2 or content.get("content_type") != "text":
        return None
    parts = content.get("parts")
    return parts[0] if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], str) else None


def content_of(content: Any, place: Place) -> Content:
    """Read any content; what is not understood is kept whole and is a loss."""
    if isinstance(content, str) or content is None:
        return Content(content or "")
    if not isinstance(content, dict):
        return Content("", kept={"value": content}, losses=(place.lost("unknown_block", type=shorten(content)),))
    kind = content.get("content_type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    return reader(content, place) if reader else _unknown(content, kind, place)


def _unknown(content: dict[str, Any], kind: object, place: Place) -> Content:
    found = next((content[key] for key in _LOOSE_TEXT if isinstance(content.get(key), str)), "")
    parts = content.get("parts")
    if not found and isinstance(parts, list):
        found = "\n".join(part for part in parts if isinstance(part, str))
    return Content(found, kept=content, losses=(place.lost("unknown_block", type=kind or "null"),))


_PARTS_READ: Final = frozenset({"content_type", "parts"})


def _parts(content: dict[str, Any], place: Place) -> Content:
    parts = content.get("parts")
    if not isinstance(parts, list):
        return Content(str(content.get("text") or ""), kept=filled(content, frozenset({"content_type", "text"})))
    reader = _Parts(place)
    for number, part in enumerate(parts):
        reader.read(part, number)
    kept = filled(content, _PARTS_READ) | ({"parts": reader.unknown} if reader.unknown else {})
    return Content("\n".join(reader.texts), tuple(reader.attachments), kept, tuple(reader.losses))


class _Parts:
    """Text, attachments and unknown parts of one message, in order of appearance."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.texts: list[str] = []
        self.attachments: list[Attachment] = []
        self.unknown: list[Any] = []
        self.losses: list[Loss] = []

    def read(self, part: Any, number: int) -> None:
        if isinstance(part, str):
            self._text(part)
        elif isinstance(part, dict) and (pointers := list(_pointers(part))):
            for found in pointers:
                attachment, losses = attachment_of(found, self.place)
                self.attachments.append(attachment)
                self.losses += losses
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            self._text(part["text"])  # audio_transcription, and text in an object
        elif part is not None:
            kind = part.get("content_type") if isinstance(part, dict) else None
            self.unknown.append(part)
            under = f"/content/parts/{number}"
            self.losses.append(self.place.lost("unknown_block", under, type=kind or shorten(part)))

    def _text(self, text: str) -> None:
        if not text:
            return
        if self.attachments and not any(item.code == "parts_reordered" for item in self.losses):
            self.losses.append(self.place.lost("parts_reordered"))
        self.texts.append(text)


def _pointers(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts that point to files: itself, or those inside a part of voice and video."""
    if isinstance(part.get("asset_pointer"), str):
        yield part
        return
    frames = part.get("frames_asset_pointers")
    for inner in (*(part.get(key) for key in _POINTERS), *(frames if isinstance(frames, list) else ())):
        if isinstance(inner, str):
            yield {"content_type": "audio_asset_pointer", "asset_pointer": inner}
        elif isinstance(inner, dict) and isinstance(inner.get("asset_pointer"), str):
            yield inner


def attachment_of(part: dict[str, Any], place: Place) -> tuple[Attachment, list[Loss]]:
    """An attachment with its data where the archive has it, a stub with its name and pointer where not."""
    reference: str = part["asset_pointer"]
    kind = str(part.get("content_type") or "")
    named = place.files.get(reference.rpartition("://")[2], {})
    name, media_type = _string(named.get("name")), _string(named.get("mime_type") or named.get("mimeType"))
    if media_type is None and kind.startswith("audio"):
        media_type = f"audio/{part.get('format') or 'wav'}"
    asset = place.assets.find(reference)
    media_type = (asset.media_type if asset else None) or media_type
    image = (media_type or kind).startswith("image")
    losses = []
    if asset is None:
        losses.append(place.lost("missing_asset", name=name or reference))
    elif asset.data is None:
        losses.append(place.lost("image_dropped" if image else "file_dropped", reason=asset.reason))
    attachment = Attachment(
        kind="image" if image else "file",
        media_type=media_type,
        reference=None if asset and asset.data else reference,
        data=asset.data if asset else None,
        name=name or (asset.name if asset else None),
        extensions={FORMAT: filled(part)},
    )
    return attachment, losses


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _plain(field: str) -> Callable[[dict[str, Any], Place], Content]:
    """A type whose text stands in one field; the rest of it is kept."""
    read = frozenset({"content_type", field})

    def reader(content: dict[str, Any], place: Place) -> Content:
        text = content.get(field)
        if text is not None and not isinstance(text, str):
            return _unknown(content, content["content_type"], place)
        return Content(text or "", kept=filled(content, read))

    return reader


def _quote(content: dict[str, Any], place: Place) -> Content:
    text = _string(content.get("text")) or _string(content.get("snippet")) or _string(content.get("title"))
    return Content(text or "", kept=filled(content, frozenset({"content_type", "text"})))


def _browsing(content: dict[str, Any], place: Place) -> Content:
    shown = [text for text in (content.get("result"), content.get("summary")) if isinstance(text, str) and text]
    return Content("\n".join(shown), kept=filled(content, frozenset({"content_type", "result", "summary"})))


def _error(content: dict[str, Any], place: Place) -> Content:
    said = [text for text in (content.get("name"), content.get("text")) if isinstance(text, str) and text]
    rest = filled(content, frozenset({"content_type", "name", "text"}))
    return Content(": ".join(said), kept=rest, failed=True)


def _computer(content: dict[str, Any], place: Place) -> Content:
    shot, state = content.get("screenshot"), content.get("state")
    state = state if isinstance(state, dict) else {}
    text = "\n".join(value for key in ("title", "url") if (value := _string(state.get(key))))
    kept = filled(content, frozenset({"content_type", "screenshot"}))
    if not (isinstance(shot, dict) and isinstance(shot.get("asset_pointer"), str)):
        return Content(text, kept=kept | ({"screenshot": shot} if shot else {}))
    attachment, losses = attachment_of({"content_type": "image_asset_pointer"} | shot, place)
    return Content(text, (attachment,), kept, tuple(losses))


def _widget(content: dict[str, Any], place: Place) -> Content:
    text = next((content[key] for key in _LOOSE_TEXT if isinstance(content.get(key), str)), "")
    return Content(text, kept=content)


_READERS: Final[dict[str, Callable[[dict[str, Any], Place], Content]]] = {
    "text": _parts,
    "multimodal_text": _parts,
    "code": _plain("text"),
    "execution_output": _plain("text"),
    "tether_quote": _quote,
    "sonic_webpage": _quote,
    "tether_browsing_display": _browsing,
    "system_error": _error,
    "reasoning_recap": _plain("content"),
    "computer_output": _computer,
    "super_widget": _widget,
}
"""``thoughts`` and the contexts are read in ``reasoning`` and ``instructions``."""
