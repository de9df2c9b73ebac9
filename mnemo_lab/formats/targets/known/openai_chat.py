"""OpenAI Chat Completions. Patterns and lengths are those that its errors quote; results hold text only."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Accepts, Identifier, Target

TARGET: Final = Target(
    name="openai-chat",
    title="OpenAI Chat Completions",
    call_id=Identifier(longest=40),
    call_name=Identifier("a-zA-Z0-9_-", longest=64),
    speaker=Identifier(r"^\s<|\\/>", longest=64),
    attachments={
        "user": (
            Accepts(("image/png", "image/jpeg", "image/gif", "image/webp")),
            Accepts(("application/pdf",), ("base64", "id")),
            Accepts(("audio/wav", "audio/x-wav", "audio/mp3", "audio/mpeg"), ("base64",)),
        ),
    },
)
