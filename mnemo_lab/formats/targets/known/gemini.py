"""Gemini generateContent.

Its error about order: a call comes directly after the user or after a result. Ids are optional, empty parts refused.
"""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Accepts, Identifier, Target

_MEDIA: Final = (
    Accepts(("image/*", "application/*", "text/*", "audio/*", "video/*"), ("url", "base64", "id", "path")),
)

TARGET: Final = Target(
    name="gemini",
    title="Gemini",
    refused_turns=frozenset({("start", "call"), ("assistant", "call")}),
    late_system="refused",
    call_name=Identifier("a-zA-Z0-9_.:-", longest=128, first="a-zA-Z_"),
    empty_refused=("user", "assistant"),
    arguments="refused",
    provider="google",
    signed_calls="gemini-3",
    attachments={"user": _MEDIA, "assistant": _MEDIA, "tool": _MEDIA},
)
