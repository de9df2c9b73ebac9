"""Messages of a Hugging Face data set or chat template. Templates differ, so most rules are doubts."""

from __future__ import annotations

from typing import Final

from mnemo_lab.formats.targets.rules import TURNS, Accepts, Target

TARGET: Final = Target(
    name="hf-messages",
    title="Hugging Face messages",
    pairing="misread",
    doubtful_turns=TURNS - {("start", "call"), ("assistant", "call")},
    late_system="misread",
    several_systems="misread",
    arguments="refused",
    attachments={"user": (Accepts(("image/*", "audio/*", "video/*"), ("url", "base64", "path")),)},
)
