"""OpenAI Responses. Results may hold images; audio is not taken; reasoning needs the item that followed it."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Accepts, Identifier, Target

_MEDIA: Final = (
    Accepts(("image/png", "image/jpeg", "image/gif", "image/webp"), ("url", "base64", "id")),
    Accepts(("application/*", "text/*"), ("url", "base64", "id")),
)

TARGET: Final = Target(
    name="openai-responses",
    title="OpenAI Responses",
    call_id=Identifier(longest=64),
    call_name=Identifier("a-zA-Z0-9_-", longest=64),
    provider="openai",
    paired_reasoning=True,
    attachments={"user": _MEDIA, "tool": _MEDIA},
)
