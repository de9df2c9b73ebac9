"""Custom instructions and system text before the first turn: together they are the system prompt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from mnemo_lab.losses import Loss, loss

CONTEXTS: Final = ("user_editable_context", "model_editable_context")
MOVED: Final = "custom instructions became the system prompt; they may hold personal data"


class SystemPrompt(NamedTuple):
    """The text, the nodes it came from, and the single texts, so that a copy on another branch is known as one."""

    text: str | None
    nodes: frozenset[str]
    texts: frozenset[str]
    losses: tuple[Loss, ...]


def system_prompt(path: Iterable[str], messages: dict[str, dict[str, Any]], where: str) -> SystemPrompt:
    """From the nodes of a path up to the first message of a user, an assistant or a tool."""
    texts: dict[str, str] = {}
    losses: list[Loss] = []
    for key in path:
        message = messages.get(key)
        if message is None:
            continue
        context = is_context(message)
        if not context and not is_system(message):
            break
        text = context_text(message) if context else system_text(message)
        if text is None:
            break  # content that is not plain text becomes a message like any other
        texts[key] = text
        if context and text:
            losses.append(loss("system_moved", message_id=key, pointer=f"{where}/mapping/{key}", reason=MOVED))
    parts = dict.fromkeys(text for text in texts.values() if text)
    return SystemPrompt("\n\n".join(parts) or None, frozenset(texts), frozenset(parts), tuple(losses))


def is_context(message: dict[str, Any]) -> bool:
    """Whether a hidden node tells the model about the user, whoever its author is said to be."""
    content = message.get("content")
    if isinstance(content, dict) and content.get("content_type") in CONTEXTS:
        return True
    metadata = message.get("metadata")
    return isinstance(metadata, dict) and metadata.get("is_user_system_message") is True


def is_system(message: dict[str, Any]) -> bool:
    author = message.get("author")
    return isinstance(author, dict) and author.get("role") in ("system", "developer")


def context_text(message: dict[str, Any]) -> str:
    """About the user, then how to answer; as the user wrote it where the metadata has that."""
    content, metadata = message.get("content"), message.get("metadata")
    content = content if isinstance(content, dict) else {}
    written = metadata.get("user_context_message_data") if isinstance(metadata, dict) else None
    written = written if isinstance(written, dict) else {}
    for source, keys in (
        (written, ("about_user_message", "about_model_message")),
        (content, ("user_profile", "user_instructions")),
        (content, ("model_set_context", "structured_context", "repository", "repo_summary")),
    ):
        if parts := [source[key] for key in keys if isinstance(source.get(key), str) and source[key].strip()]:
            return "\n\n".join(parts)
    return system_text(message) or ""


def system_text(message: dict[str, Any]) -> str | None:
    """Plain text of a system node; ``None`` where it has anything else."""
    content = message.get("content")
    if not isinstance(content, dict):
        return content if isinstance(content, str) else ""
    parts = content.get("parts")
    if content.get("content_type") != "text" or not isinstance(parts, list):
        return "" if content.get("content_type") in CONTEXTS else None
    if not all(isinstance(part, str) for part in parts):
        return None
    return "\n".join(filter(str.strip, parts))
