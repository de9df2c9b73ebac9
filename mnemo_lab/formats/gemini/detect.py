"""Whether a file holds contents of the Gemini API."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.base import Detection, Sample
from mnemo_lab.formats.openai_chat.detect import blocks, look

_PARTS: Final = frozenset(
    {"text", "thought", "inlineData", "inline_data", "fileData", "file_data", "functionCall", "function_call"}
    | {"functionResponse", "function_response", "executableCode", "executable_code", "codeExecutionResult"}
    | {"code_execution_result", "thoughtSignature", "thought_signature"}
)


def detect(sample: Sample) -> Detection | None:
    """Judge by ``contents`` with ``parts``; parts that state a type belong to other formats."""
    found = look(sample, "contents")
    if found is None or not found.entries:
        return None
    if not all(isinstance(entry.get("parts"), list) for entry in found.entries):
        return None
    if any(entry.get("role", "user") not in ("user", "model", "function") for entry in found.entries):
        return None
    parts = list(blocks(found.entries, "parts"))
    if any("type" in part or not _PARTS & part.keys() for part in parts) or not parts:
        return Detection(0.4, "contents with parts of an unknown kind") if found.body else None
    if found.body:
        return Detection(0.95, "contents with parts")
    if any("id" in entry for entry in found.entries):
        return None
    return Detection(0.85, "a list of contents with role and parts")
