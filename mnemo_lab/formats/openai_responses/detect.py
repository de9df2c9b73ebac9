"""Whether a file holds items of the Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mnemo_lab.formats.base import Detection, Sample
from mnemo_lab.formats.openai_chat.detect import look

_ITEMS: Final = frozenset({"reasoning", "function_call", "function_call_output", "item_reference", "compaction"})
_CALLS: Final = ("_call", "_call_output")
_PARTS: Final = frozenset({"input_text", "input_image", "input_file", "output_text"})


def detect(sample: Sample) -> Detection | None:
    """Judge by item types under ``input`` or ``output``, or in a bare list."""
    first = sample.first
    if isinstance(first, Mapping) and isinstance(first.get("input"), str) and "model" in first:
        return Detection(0.5, "a model and an input text")
    for key in ("input", "output"):
        found = look(sample, key)
        if found is None or not found.entries:
            continue
        signs = [sign for entry in found.entries if (sign := _sign(entry))]
        if found.body and signs:
            return Detection(0.95, f"{key} items: {signs[0]}")
        if found.body and key == "input" and all("role" in entry for entry in found.entries):
            return Detection(0.7, "input items with roles")
        if len(signs) == len(found.entries):
            return Detection(0.85, f"a list of items: {signs[0]}")
    return None


def _sign(entry: Mapping[str, Any]) -> str:
    """What shows that this is an item; ``""`` where nothing does."""
    kind = entry.get("type")
    if not isinstance(kind, str) or "payload" in entry:
        return ""
    if kind in _ITEMS or (kind.endswith(_CALLS) and ("call_id" in entry or "id" in entry)):
        return kind
    content = entry.get("content")
    if kind != "message" or "role" not in entry:
        return ""
    parts = content if isinstance(content, list) else ()
    kinds = {part.get("type") for part in parts if isinstance(part, Mapping)}
    return "messages" if isinstance(content, str) or kinds & _PARTS else ""
