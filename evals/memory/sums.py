"""Counts of scenarios added up, and as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields

from evals.memory.answers import Asked
from evals.memory.consolidation import Merged, Retired


def merged(some: Iterable[Merged]) -> Merged:
    """All together."""
    some = list(some)
    return Merged(*(sum(getattr(one, field.name) for one in some) for field in fields(Merged)))


def retired(some: Iterable[Retired]) -> Retired:
    """All together."""
    some = list(some)
    return Retired(*(sum(getattr(one, field.name) for one in some) for field in fields(Retired)))


def by(asked: Iterable[Asked], language: str | None, group: str) -> list[Asked]:
    return [one for one in asked if language in (None, one.language) and one.group == group]


def within(asked: Iterable[Asked], way: str, depth: int) -> int:
    """Questions whose answer is among the first ``depth``."""
    return sum(0 < one.ranks[way] <= depth for one in asked)


def kept_share(asked: Sequence[Asked], way: str, depth: int) -> str:
    """``0.71 (0.92)``: of all questions, and of those whose answer is in memory."""
    right, kept = within(asked, way, depth), sum(one.kept for one in asked)
    return f"{share(right, len(asked))} ({share(right, kept)})"


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "–"


def percent(part: int, whole: int) -> str:
    """``71 % (10/14)``."""
    return f"{100 * part / whole:.0f} % ({part}/{whole})" if whole else "–"


def of(part: int, whole: int) -> str:
    """``0.71 (10/14)``."""
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "–"
