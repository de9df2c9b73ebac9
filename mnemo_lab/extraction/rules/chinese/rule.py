"""A rule: a pattern of a clause, and what fact it makes; the tables are read from the data files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from mnemo_lab.extraction.rules.chinese.days import DATE
from mnemo_lab.extraction.rules.chinese.lexicon import read

_PART: Final = re.compile(r"(?<!\?P)<([A-Z]+)>")
FAMILIES: Final = ("answers", "person", "taste", "decisions", "projects", "open")
"""The tables, from the surest to the vaguest; the first are read only where a wish is for all times to come."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``cue``: words of which the clause must hold one (a quick test; none: it is always tried).

    ``pattern`` has a group ``v``, the value, and may have ``f`` (what it replaces) and ``s`` (what it is about).
    ``want``: what the value must be or hold, and shrinks to (``spans.narrowed`` and ``draft`` explain the words).
    ``most``: characters of the longest value. ``thing``: said of a project, not a person; ``itself``: only of the user;
    ``mine``: of the user, whoever is named.
    """

    cue: tuple[str, ...]
    pattern: re.Pattern[str]
    category: str
    attribute: str
    want: str = ""
    negative: bool = False
    changes: bool = False
    additive: bool = False
    thing: bool = False
    itself: bool = False
    mine: bool = False
    most: int = 16
    importance: int = 3
    confidence: float = 0.8


@cache
def rules(family: str) -> tuple[Rule, ...]:
    """One table."""
    return tuple(map(_rule, read(family)["rules"]))


def _rule(row: dict[str, Any]) -> Rule:
    return Rule(**{**row, "cue": tuple(row.get("cue", "").split()), "pattern": compiled(row["pattern"])})


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern with the parts it names in angle brackets (``<DATE>``) put in."""
    parts = {"DATE": DATE, **read("parts")}
    while (put := _PART.sub(lambda m: parts[m[1]], pattern)) != pattern:
        pattern = put
    return re.compile(pattern)
