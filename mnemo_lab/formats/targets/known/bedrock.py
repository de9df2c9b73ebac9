"""Amazon Bedrock Converse. Roles alternate and start with the user; images and documents are bytes."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Accepts, Identifier, Target

_MEDIA: Final = (
    Accepts(("image/png", "image/jpeg", "image/gif", "image/webp"), ("base64",)),
    Accepts(("application/*", "text/*"), ("base64",)),
)

TARGET: Final = Target(
    name="bedrock",
    title="Amazon Bedrock Converse",
    refused_turns=frozenset({("start", "assistant"), ("user", "user"), ("assistant", "assistant")}),
    late_system="refused",
    call_id=Identifier("a-zA-Z0-9_.:-", longest=64),
    call_name=Identifier("a-zA-Z0-9_-", longest=64),
    empty_refused=("user", "assistant"),
    blank_is_empty=True,
    arguments="refused",
    provider="anthropic",
    attachments={"user": _MEDIA, "tool": _MEDIA},
)
