"""Gold answers as needles: the parts that must be found for an answer to be in a context."""

from __future__ import annotations

import re
from typing import Final

from mnemo_lab.recording import Probe
from mnemo_lab.text.normalise import normalise

PARTS: Final = re.compile(r"[;；、]|,(?=\s)(?!\s*\d{4}\b)|，")
Alternative = tuple[str, ...]


def answer_alternatives(probe: Probe) -> list[Alternative]:
    """One alternative per gold answer or alias: its parts (of a list like ``a; b``), normalised.

    Parts that the question already contains say nothing and are left out; an alternative without parts is none.
    """
    question = f" {normalise(probe.question)} "
    found = []
    for answer in probe.answers:
        parts = [normalise(part) for part in PARTS.split(answer)]
        telling = tuple(dict.fromkeys(part for part in parts if part and f" {part} " not in question))
        if telling:
            found.append(telling)
    return list(dict.fromkeys(found))


def contains(text: str, needle: str) -> bool:
    """Whether a normalised text contains a normalised needle as whole words."""
    return f" {needle} " in f" {text} "
