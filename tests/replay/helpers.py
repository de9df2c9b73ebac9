"""Small data sets and grids for replay tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from mnemo_lab.corpora.base import Dataset
from mnemo_lab.corpora.card import Card
from mnemo_lab.recording import Recording
from mnemo_lab.replay.grid import make_grid
from mnemo_lab.replay.run import Run, execute, open_run
from tests.conversations import office_recording

CARD = Card(name="office", title="office", licence="CC0-1.0")
STRATEGIES = ("bm25", "hybrid")


def dataset(*recordings: Recording) -> Dataset:
    """Two offices, dev and test, unless recordings are given."""
    pair = (office_recording(), replace(office_recording(), id="office2", split="test"))
    return Dataset.of("office", recordings or pair, CARD)


def run_of(
    out: Path | None = None, strategies: Sequence[str] = STRATEGIES, budgets: Sequence[int] = (64, 200),
    data: Dataset | None = None, **fields: Any,
) -> Run:  # fmt: skip
    raw = {"dataset": "office", "strategies": strategies, "budgets": budgets, "embedder": "hashing"} | fields
    return open_run(make_grid(raw), data or dataset(), out, cache="")


def done(*args: Any, **fields: Any) -> Run:
    run = run_of(*args, **fields)
    execute(run)
    return run


def same_rows(one: Run | pl.DataFrame, two: Run | pl.DataFrame) -> bool:
    frames: Iterable[pl.DataFrame] = (x.rows if isinstance(x, Run) else x for x in (one, two))
    first, second = frames
    return first.equals(second)
