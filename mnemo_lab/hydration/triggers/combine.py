"""Triggers from what one types: ``every(n=5) and (topic_shift() or cue()) or every(n=20)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.base import Trigger, Turns
from mnemo_lab.parsing import build, split_call
from mnemo_lab.registry import resolve

EXAMPLE: Final = "every(n=5) and topic_shift() or every(n=20)"
MODEL: Final = "language_model"


class _Said(NamedTuple):
    score: float
    part: Trigger


@dataclass(frozen=True)
class AnyOf(Trigger):
    """Fires where one of them does, as sure as the surest.

    All that are free are asked at every turn, since some learn from what they see; those that ask a language model
    only where no other fired.
    """

    name: ClassVar[str] = "or"
    parts: tuple[Trigger, ...] = ()

    @property
    def needs(self) -> frozenset[str]:
        return frozenset().union(*(part.needs for part in self.parts))

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        said = self._surest(turns, at, starts)
        return said.score if said else None

    def cause(self, turns: Turns, at: int, starts: Sequence[int]) -> Trigger:
        said = self._surest(turns, at, starts)
        return said.part.cause(turns, at, starts) if said else self

    def _surest(self, turns: Turns, at: int, starts: Sequence[int]) -> _Said | None:
        said = list(_asked(self._of(asks=False), turns, at, starts))
        return max(said or _asked(self._of(asks=True), turns, at, starts), key=lambda one: one.score, default=None)

    def _of(self, asks: bool) -> list[Trigger]:
        """The parts that do or do not ask a language model."""
        return [part for part in self.parts if (MODEL in part.needs) == asks]

    def __str__(self) -> str:
        return f" {self.name} ".join(map(str, self.parts))


@dataclass(frozen=True)
class AllOf(AnyOf):
    """Fires where all of them do, as sure as the least sure. A language model is asked only where all others fire."""

    name: ClassVar[str] = "and"

    def fires(self, turns: Turns, at: int, starts: Sequence[int]) -> float | None:
        scores: list[float] = []
        for asks in (False, True):
            parts = self._of(asks)
            said = list(_asked(parts, turns, at, starts))
            if len(said) < len(parts):
                return None
            scores += [one.score for one in said]
        return min(scores)

    def cause(self, turns: Turns, at: int, starts: Sequence[int]) -> Trigger:
        return self

    def __str__(self) -> str:
        return " and ".join(f"({part})" if part.name == "or" else str(part) for part in self.parts)


def _asked(parts: Sequence[Trigger], turns: Turns, at: int, starts: Sequence[int]) -> Iterator[_Said]:
    """Those that fire."""
    for part in parts:
        score = part.fires(turns, at, starts)
        if score is not None:
            yield _Said(score, part)


@lru_cache(maxsize=256)
def parse_trigger(text: str) -> Trigger:
    """A trigger from its text; raises ``InvalidInput`` naming the fault."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        return _made(node, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidInput(f"cannot read the trigger {text!r}; write e.g. {EXAMPLE}") from None


def _made(node: ast.expr, text: str) -> Trigger:
    if isinstance(node, ast.BoolOp):
        kind = AnyOf if isinstance(node.op, ast.Or) else AllOf
        made = [_made(value, text) for value in node.values]
        return kind(tuple(inner for part in made for inner in (part.parts if type(part) is kind else (part,))))
    if not isinstance(node, ast.Call | ast.Name):
        raise InvalidInput(f"in the trigger {text!r}: {ast.unparse(node)!r} is not a trigger; write e.g. {EXAMPLE}")
    name, settings = split_call(ast.unparse(node))
    trigger: Trigger = build(resolve("trigger", name), name, settings)
    return trigger
