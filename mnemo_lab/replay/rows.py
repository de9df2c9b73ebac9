"""Rows: outcomes flattened with their metrics, and the keys by which a run resumes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mnemo_lab.metrics import METRICS, measure
from mnemo_lab.recording import Probe
from mnemo_lab.replay.outcome import Outcome

if TYPE_CHECKING:
    import polars as pl

ROW_SCHEMA: Final = 1
"""Raise it when a column's meaning changes: rows of an older schema are then computed again."""
TEXT_COLUMNS: Final = (
    "key", "dataset", "recording", "split", "language", "probe", "category", "strategy", "strategy_text", "error",
)  # fmt: skip
COST_COLUMNS: Final = ("write_tokens", "read_tokens", "write_dollars", "read_dollars")
NOT_PAID: Final = {"write_dollars": 0.0, "read_dollars": 0.0}
"""What rows lack that were written before any language model could be paid."""


class Cell(NamedTuple):
    """What every row of one recording under one strategy shares."""

    dataset: str
    digest: str
    recording: str
    split: str
    language: str
    strategy: str
    strategy_text: str
    services: str
    """Counter, embedder weights and seed, as far as the strategy uses them."""

    @property
    def labels(self) -> dict[str, str]:
        """Columns that are not part of the key, so that a kept row may carry older ones."""
        return {"dataset": self.dataset, "split": self.split, "language": self.language}

    def key(self, probe: str, budget: int) -> str:
        """The content address of one row."""
        parts = [ROW_SCHEMA, self.digest, self.recording, self.strategy, self.strategy_text, self.services]
        return blake2b(json.dumps([*parts, probe, budget]).encode(), digest_size=16).hexdigest()


def row_of(outcome: Outcome, cell: Cell) -> dict[str, Any]:
    """One outcome as a flat row; undefined metrics are NaN."""
    return {
        **head_of(outcome.probe, outcome.budget_tokens, cell),
        "error": outcome.error,
        "over_budget": bool(outcome.context and outcome.context.over_budget),
        **measure(outcome),
        "write_tokens": outcome.costs.write_tokens,
        "read_tokens": float(outcome.costs.read_tokens),
        "write_dollars": outcome.costs.write_dollars,
        "read_dollars": outcome.costs.read_dollars,
    }


def head_of(probe: Probe, budget: int, cell: Cell) -> dict[str, Any]:
    return {
        "key": cell.key(probe.id, budget),
        "dataset": cell.dataset,
        "recording": cell.recording,
        "split": cell.split,
        "language": cell.language,
        "probe": probe.id,
        "category": probe.category,
        "answerable": probe.answerable,
        "strategy": cell.strategy,
        "strategy_text": cell.strategy_text,
        "budget_tokens": budget,
    }


def to_json(row: dict[str, Any]) -> str:
    """A row as one JSON line; NaN becomes null."""
    return json.dumps({k: None if v != v else v for k, v in row.items()}, ensure_ascii=False)


def frame_of(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    """Rows as a polars frame with fixed columns and types; null where undefined."""
    import polars as pl

    schema: dict[str, Any] = dict.fromkeys(TEXT_COLUMNS, pl.String)
    schema |= {"answerable": pl.Boolean, "over_budget": pl.Boolean, "budget_tokens": pl.Int64}
    schema |= dict.fromkeys([*METRICS, *COST_COLUMNS], pl.Float64)
    order = [*TEXT_COLUMNS[:7], "answerable", *TEXT_COLUMNS[7:9], "budget_tokens", *METRICS, *COST_COLUMNS]
    frame = pl.DataFrame([NOT_PAID | row for row in rows], schema=schema, strict=False)
    return frame.select([*order, "over_budget", "error"]).with_columns(pl.col([*METRICS, *COST_COLUMNS]).fill_nan(None))
