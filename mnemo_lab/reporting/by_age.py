"""Recall by the age of the evidence: quantile bins of the tokens said between evidence and question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.drawing import bin_names, bins
from mnemo_lab.reporting.selection import headline_rows
from mnemo_lab.reporting.summary import summarise

if TYPE_CHECKING:
    import polars as pl

AGE = "evidence_age_tokens"


def by_age(run: Run) -> tuple[list[str], pl.DataFrame]:
    """Names of the bins from young to old, and the primary budget's summary per strategy and ``bin`` (its index)."""
    import polars as pl

    rows = headline_rows(run).filter((pl.col("budget_tokens") == run.grid.primary) & pl.col(AGE).is_not_null())
    ages = rows.unique(["recording", "probe"], maintain_order=True)[AGE].to_list()
    edges = bins(ages)
    inner = edges[1:-1]
    index = pl.sum_horizontal([pl.lit(0), *((pl.col(AGE) > edge).cast(pl.Int64) for edge in inner)]).alias("bin")
    found = summarise(rows.with_columns(index), ["strategy", "bin"])
    return bin_names(edges), found.sort("bin", maintain_order=True)
