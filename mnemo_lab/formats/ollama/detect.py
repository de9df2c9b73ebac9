"""Whether a file holds messages of Ollama's chat API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mnemo_lab.formats.base import Detection, Sample
from mnemo_lab.formats.openai_chat.detect import calls, look

_ROLES: Final = frozenset({"system", "user", "assistant", "tool"})
_BODY: Final = ("options", "keep_alive", "think", "raw")


def detect(sample: Sample) -> Detection | None:
    """Judge by images beside the text, tool names, thinking, and arguments as objects."""
    found = look(sample, "messages")
    if found is None or not found.entries or not all(_is_role(entry.get("role")) for entry in found.entries):
        return None
    if any(
        not isinstance(entry.get("content", ""), str) and entry.get("content") is not None for entry in found.entries
    ):
        return None
    if any("tool_call_id" in entry for entry in found.entries):
        return None
    if not all("content" in entry or "tool_calls" in entry for entry in found.entries):
        return None
    signs = [key for key in ("images", "tool_name", "thinking") if any(key in entry for entry in found.entries)]
    objects = any(isinstance(call.get("arguments"), Mapping) for call in calls(found.entries))
    own = [key for key in _BODY if key in found.body]
    if signs:
        return Detection(0.9, f"messages with {', '.join(signs)}")
    if objects:
        return Detection(0.8 if own or "model" in found.body else 0.5, "tool calls with arguments as objects")
    return Detection(0.7, f"a body with {', '.join(own)}") if own else Detection(0.3, "messages with roles and text")


def _is_role(value: object) -> bool:
    return isinstance(value, str) and value in _ROLES
