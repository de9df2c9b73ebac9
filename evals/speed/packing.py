"""Packing one context from a long history whose lines are counted."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evals.speed.clock import alone
from evals.speed.material import history_of
from evals.speed.table import Row
from mnemo_lab.context import Budget
from mnemo_lab.history import History
from mnemo_lab.packing.pack import pack_lines
from mnemo_lab.services import ServicesSpec

MESSAGES, BUDGET = 600, 2048


def rows() -> Iterator[Row]:
    services = ServicesSpec().open()
    history = History(services)
    history.extend(history_of(MESSAGES))
    order = Random(0).sample(range(len(history)), len(history))
    budget = Budget(BUDGET, services.counter)
    seconds = alone(lambda: pack_lines(order, history, budget, services))
    what = f"pack {BUDGET:,} tokens from {len(history)} ranked messages"
    yield Row(what, seconds, note=f"{1 / seconds:,.0f} contexts a second")
