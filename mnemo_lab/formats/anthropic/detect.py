"""Whether a file holds Anthropic messages."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.base import Detection, Sample
from mnemo_lab.formats.openai_chat.detect import blocks, look

_OWN: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"})


def detect(sample: Sample) -> Detection | None:
    """Judge by content blocks no other format has, and by a system prompt beside the messages."""
    found = look(sample, "messages")
    if found is None or not found.entries:
        return None
    if any(entry.get("role") not in ("user", "assistant", "system") for entry in found.entries):
        return None
    if any("content" not in entry or "tool_calls" in entry or "sender" in entry for entry in found.entries):
        return None
    parts = list(blocks(found.entries))
    signs = [f"blocks of type {part['type']}" for part in parts if part.get("type") in tuple(_OWN)]
    signs += ["images with a source" for part in parts if part.get("type") == "image" and "source" in part]
    system = found.body.get("system")
    if isinstance(system, str | list):
        signs.append("a system prompt beside the messages")
    if signs:
        return Detection(0.95, signs[0])
    if found.entries[0]["role"] == "system" or any(part.get("type") != "text" for part in parts):
        return None
    if "max_tokens" in found.body:
        return Detection(0.5, "messages of user and assistant, and max_tokens")
    return Detection(0.35, "messages of user and assistant with text; other formats look the same")
