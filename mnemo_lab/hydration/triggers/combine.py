"""Triggers from what one types: ``every(n=5) and (topic_shift() or cue()) or every(n=20)``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns
from mnemo_lab.parsing import build, split_call
from mnemo_lab.registry import resolve

EXAMPLE: Final = "every(n=5) and topic_shift() or every(n=20)"


@dataclass(frozen=True)
class AnyOf(Trigger):
    """Fires where one of them does, as sure as the surest."""

    name: ClassVar[str] = "or"
    parts: tuple[Trigger, ...] = ()

    @property
    def needs(self) -> frozenset[str]:
        return frozenset().union(*(part.needs for part in self.parts))

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        scores = [score for part in self.parts if (score := part.fires(turns, at, starts)) is not None]
        return max(scores, default=None)

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


@dataclass(frozen=True)
class AllOf(AnyOf):
    """Fires where all of them do, as sure as the least sure. All are asked, since some learn from what they see."""

    name: ClassVar[str] = "and"

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        scores = [part.fires(turns, at, starts) for part in self.parts]
        known = [score for score in scores if score is not None]
        return min(known) if len(known) == len(scores) else None

    def __str__(self) -> str:
        return " and ".join(f"({part})" if part.name == "or" else str(part) for part in self.parts)


@lru_cache(maxsize=256)
def parse_trigger(text: str) -> Trigger:
    """A trigger from its text; raises ``InvalidInput`` naming the fault."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidInput(f"cannot read the trigger {text!r}; write e.g. {EXAMPLE}") from None
    return _made(node, text)


def _made(node: ast.expr, text: str) -> Trigger:
    if isinstance(node, ast.BoolOp):
        parts = tuple(_made(value, text) for value in node.values)
        return AnyOf(parts) if isinstance(node.op, ast.Or) else AllOf(parts)
    if not isinstance(node, ast.Call | ast.Name):
        raise InvalidInput(f"in the trigger {text!r}: {ast.unparse(node)!r} is not a trigger; write e.g. {EXAMPLE}")
    name, settings = split_call(ast.unparse(node))
    trigger: Trigger = build(resolve("trigger", name), name, settings)
    return trigger
