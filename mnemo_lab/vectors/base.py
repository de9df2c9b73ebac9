"""What a search gives back, and which ids an index takes."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mnemo_lab.errors import InvalidInput

if TYPE_CHECKING:
    from mnemo_lab.context import FloatArray, IntArray


class Hits(NamedTuple):
    """Ids and scores from best to worst; higher is closer."""

    ids: IntArray
    scores: FloatArray


def refuse_taken(ids: Sequence[int], known: Container[int]) -> None:
    """Raise ``InvalidInput`` for an id that is negative, indexed already or given twice: before anything is indexed."""
    given: set[int] = set()
    for key in ids:
        if key < 0:
            raise InvalidInput(f"id {key}: must be 0 or more")
        if key in known or key in given:
            raise InvalidInput(f"id {key} is already indexed; remove it first")
        given.add(key)
