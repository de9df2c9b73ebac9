"""vLLM and other servers that render a chat template.

The template decides about order; it reads arguments as an object, so the server parses their text.
"""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import TURNS, Accepts, Target

TARGET: Final = Target(
    name="vllm",
    title="vLLM (OpenAI compatible)",
    pairing="misread",
    doubtful_turns=TURNS - {("start", "call"), ("assistant", "call")},
    late_system="refused",
    developer="refused",
    several_systems="refused",
    arguments="refused",
    attachments={"user": (Accepts(("image/*", "audio/*", "video/*")),)},
)
