"""Parts of Gemini contents, read: either spelling of the keys, text, thoughts and media."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mnemo_lab.conversation import Attachment
from mnemo_lab.formats.lists.values import is_base64, text_of
from mnemo_lab.formats.openai_chat.gather import At, Gathered, text_at

FORMAT: Final = "gemini"
PROVIDER: Final = "google"
PROVIDERS: Final = (PROVIDER, "gemini", "vertex")
_UNDERSCORE: Final = re.compile(r"_([a-z])")
_KNOWN: Final = frozenset({"text", "inlineData", "fileData", "functionCall", "functionResponse"})
# What a model or a program wrote stays as it is; only the API's own names are spelled anew.
_FREE: Final = frozenset({"args", "response"})


def camel(value: Any) -> Any:
    """A content or part with its own keys in camelCase; arguments and responses are left alone."""
    if isinstance(value, Mapping):
        return {(name := _spelled(key)): item if name in _FREE else camel(item) for key, item in value.items()}
    return [camel(item) for item in value] if isinstance(value, list) else value


def _spelled(key: str) -> str:
    return _UNDERSCORE.sub(lambda found: found[1].upper(), key)


def take(parts: Gathered, index: int, part: Any, model: str | None, at: At) -> None:
    """One part that is neither a call nor a result."""
    if isinstance(part, str):
        parts.text(part, at)
    elif not isinstance(part, dict):
        parts.keep(index, part, at)
    elif part.get("thought") is True and isinstance(part.get("text"), str):
        parts.reasoning.append(_thought(part, model))
    elif isinstance(part.get("text"), str) and part.keys() <= {"text", "thought", "thoughtSignature"}:
        parts.text(part["text"], at)
    elif not media(parts, part, at):
        known = next((key for key, item in part.items() if isinstance(item, Mapping)), None)
        parts.notes.add("unknown_block", at, type=known or ", ".join(part) or "an empty object")
        if part and not _KNOWN & part.keys():
            parts.parts.append({"at": index, "part": part})
        else:
            parts.broken.append(part)


def _thought(part: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    found = {
        "text": part["text"],
        "signature": text_at(part, "thoughtSignature"),
        "provider": PROVIDER,
        "model": model,
    }
    return {key: value for key, value in found.items() if value or key == "text"}


def media(parts: Gathered, part: Mapping[str, Any], at: At) -> bool:
    """Take inline data or a file; false where the part is neither."""
    inline, file = part.get("inlineData"), part.get("fileData")
    if text_at(inline, "data") is not None:
        assert isinstance(inline, Mapping)
        data = "".join(str(inline["data"]).split()).replace("-", "+").replace("_", "/")
        type_ = text_at(inline, "mimeType")
        if not is_base64(data):
            parts.notes.add(
                "image_dropped" if _is_image(type_) else "file_dropped", at, reason="its data is not base64"
            )
            parts.broken.append(part)
            return True
        found = Attachment(_kind(type_), type_, data=data, name=text_at(inline, "displayName"))
    elif text_at(file, "fileUri"):
        type_, name = text_at(file, "mimeType"), text_at(file, "displayName")
        found = Attachment(_kind(type_), type_, text_at(file, "fileUri"), name=name)
    else:
        return False
    rest = {key: item for key, item in part.items() if key not in ("inlineData", "fileData")}
    if rest:
        found = Attachment(
            found.kind, found.media_type, found.reference, found.data, found.name, {FORMAT: {"fields": rest}}
        )
    parts.attach(found, at)
    return True


def _is_image(type_: str | None) -> bool:
    return (type_ or "").lower().startswith("image/")


def _kind(type_: str | None) -> Any:
    return "image" if _is_image(type_) else "file"


def result_text(response: Any) -> tuple[str, bool]:
    """What a tool gave, as text, and whether it failed; the wrapping ``output`` or ``error`` is taken off."""
    if isinstance(response, Mapping) and len(response) == 1:
        for key in ("output", "result", "error"):
            if key in response:
                return _text(response[key]), key == "error"
    return _text(response), False


def _text(value: Any) -> str:
    return value if isinstance(value, str) else text_of(value)
