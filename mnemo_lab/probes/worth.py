"""How sure one thing alone makes it that two messages mean the same."""

from __future__ import annotations

from typing import Final

from mnemo_lab.probes.common import everyday, known, pieces
from mnemo_lab.probes.rare import holds_everyday
from mnemo_lab.probes.things import Kind, Thing, is_long_number

WORTH: Final[dict[Kind, float]] = {
    "path": 3.0, "error_code": 3.0, "identifier": 2.5, "number": 1.0, "title": 3.0, "quoted": 2.0, "name": 2.0,
    "cjk": 1.0, "phrase": 1.0,
}  # fmt: skip
"""By shape alone. What is missing to ``mining.ENOUGH`` must come from other rare words the two messages share."""
SHORT_CJK: Final = 3
"""Characters of a Chinese wording that may well be the same by chance."""


def worth(thing: Thing, surface: str) -> float:
    """By kind, and by how common the words are; ``surface`` is the thing as it is written."""
    base = WORTH[thing.kind]
    match thing.kind:
        case "number":
            return base + is_long_number(thing.key)
        case "cjk":
            return 0.0 if holds_everyday(thing.key) else base + 0.5 * (len(thing.key) > SHORT_CJK)
        case "identifier" if not any(map(str.isdecimal, thing.key)):
            return base - 0.5
        case "name":
            return base / 2 if known(surface) or (surface.isupper() and pieces(surface) == 1) else base
        case "phrase":
            return base if any(map(everyday, surface.split())) else base + 0.5
    return base
