"""ShareGPT as LLaMA-Factory reads it.

``human`` and ``observation`` stand at odd places, ``gpt`` and ``function_call`` at even ones, one call a turn; the
system prompt is a field beside them.
"""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import Accepts, Target

TARGET: Final = Target(
    name="sharegpt",
    title="ShareGPT",
    parallel_calls=False,
    refused_turns=frozenset({("start", "assistant"), ("user", "user"), ("assistant", "assistant"), ("tool", "user")}),
    late_system="refused",
    several_systems="refused",
    attachments={"user": (Accepts(("image/*", "audio/*", "video/*"), ("url", "base64", "path")),)},
)
