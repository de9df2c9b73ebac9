"""Mistral chat completions, by the order that its own package mistral-common checks.

A user message directly after a result was refused by the API (error 3230) until early 2026, and is taken by
mistral-common 1.13. A system message is taken directly after a user message; a call is not taken as the first message.
"""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Accepts, Identifier, Target

TARGET: Final = Target(
    name="mistral",
    title="Mistral",
    refused_turns=frozenset({("start", "call")}),
    doubtful_turns=frozenset({("tool", "user")}),
    late_system="refused",
    developer="refused",
    system_after=("user",),
    call_id=Identifier("a-zA-Z0-9", 9, 9),
    call_name=Identifier("a-zA-Z0-9_-", longest=64),
    empty_refused=("assistant",),
    attachments={"user": (Accepts(("image/*",)), Accepts(("audio/*",)))},
)
