"""Recall over 200,000 messages; only when asked for, it takes minutes to build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from evals.speed.hydrating import _services, recalls
from evals.speed.material import history_of
from evals.speed.table import Row, Target

MESSAGES: Final = 200_000
DISTINCT: Final = 5_000


def rows() -> Iterator[Row]:
    once = history_of(DISTINCT)
    messages = [replace(message, id=f"{turn}-{message.id}") for turn in range(MESSAGES // DISTINCT) for message in once]
    yield from recalls(_services(), messages, ("hydrate(scope=100)",), Target(30e-3, unit=" s"))
