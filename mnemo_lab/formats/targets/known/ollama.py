"""Ollama /api/chat. No call ids: results are paired by order. Arguments are objects, images raw base64."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Accepts, Target

TARGET: Final = Target(
    name="ollama",
    title="Ollama",
    pairing="misread",
    arguments="refused",
    attachments={"user": (Accepts(("image/*",), ("base64",)),)},
)
