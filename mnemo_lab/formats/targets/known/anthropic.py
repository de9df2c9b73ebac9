"""Anthropic Messages.

Turns of one role in a row are combined by the API. A system message inside the list is taken by flagged models only.
"""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Accepts, Identifier, Target

_MEDIA: Final = (
    Accepts(("image/jpeg", "image/png", "image/gif", "image/webp"), ("url", "base64", "id")),
    Accepts(("application/pdf",), ("url", "base64", "id")),
    Accepts(("text/*",), ("base64", "id")),
)

TARGET: Final = Target(
    name="anthropic",
    title="Anthropic Messages",
    refused_turns=frozenset({("start", "assistant")}),
    late_system="refused",
    call_id=Identifier("a-zA-Z0-9_-"),
    call_name=Identifier("a-zA-Z0-9_-", longest=128),
    empty_refused=("user", "assistant"),
    blank_is_empty=True,
    arguments="refused",
    provider="anthropic",
    unsigned_reasoning="refused",
    attachments={"user": _MEDIA, "tool": _MEDIA},
)
