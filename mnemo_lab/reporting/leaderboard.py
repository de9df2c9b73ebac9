"""The leaderboard: every split × category × strategy × budget as one row of ``leaderboard.csv``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.selection import ALL, ANSWERABLE, answerable, of_split, splits
from mnemo_lab.reporting.summary import DOLLARS, anything_paid, summarise

if TYPE_CHECKING:
    import polars as pl

COLUMNS: Final = (
    "dataset", "split", "category", "strategy", "budget_tokens", "n", "evidence_recall", "evidence_recall_lo",
    "evidence_recall_hi", "evidence_all", "evidence_any", "evidence_coverage", "answer_in_context", "recall_at_1",
    "recall_at_5", "recall_at_10", "mrr", "ndcg_at_10", "context_tokens", "write_tokens", "recall_ms_p50",
    "recall_ms_p95",
)  # fmt: skip
"""Dollars stand after ``write_tokens`` where a language model was paid."""
DIGITS: Final = 6
CELL: Final = ["strategy", "budget_tokens"]


def leaderboard(run: Run) -> pl.DataFrame:
    """Means over probes with the interval of evidence recall over recordings, null where undefined.

    ``split`` is ``all`` and each one in the data; ``category`` is ``all``, ``answerable`` and each one in the data;
    ``n`` counts probes whose evidence recall is defined. Milliseconds come from the timed pass alone, which knows
    strategy and budget but no category: they repeat over the others.
    """
    import polars as pl

    parts = [_of_split(run, run.rows, split) for split in (ALL, *splits(run))]
    named = (
        pl.concat(parts)
        .rename({"lo": "evidence_recall_lo", "hi": "evidence_recall_hi"})
        .join(latency(run), on=CELL, how="left", maintain_order="left")
    )
    place = COLUMNS.index("write_tokens") + 1
    columns = [*COLUMNS[:place], *(DOLLARS if anything_paid(run.rows) else ()), *COLUMNS[place:]]
    return named.with_columns(pl.lit(run.dataset.name).alias("dataset")).select(columns)


def _of_split(run: Run, rows: pl.DataFrame, split: str) -> pl.DataFrame:
    import polars as pl

    chosen = of_split(rows, split)
    named = chosen.with_columns(category=_own_names(pl.col("category")))
    stacked = pl.concat(
        [
            chosen.with_columns(category=pl.lit(ALL)),
            answerable(chosen).with_columns(category=pl.lit(ANSWERABLE)),
            named.sort("category", maintain_order=True),
        ]
    )
    board = summarise(stacked, ["category", *CELL]).with_columns(pl.lit(split).alias("split"))
    return _in_order(board, run.labels)


def _own_names(category: pl.Expr) -> pl.Expr:
    """A data set's own category called ``all`` or ``answerable`` must not melt into ours."""
    import polars as pl

    return pl.when(category.is_in([ALL, ANSWERABLE])).then(category + " (category)").otherwise(category)


def _in_order(board: pl.DataFrame, labels: list[str]) -> pl.DataFrame:
    """Categories as they come, strategies in the run's order, budgets rising."""
    import polars as pl

    places = {label: place for place, label in enumerate(labels)}
    categories = {name: place for place, name in enumerate(board["category"].unique(maintain_order=True))}
    rank = [_place(pl.col("category"), categories), _place(pl.col("strategy"), places), pl.col("budget_tokens")]
    return board.sort(rank, maintain_order=True)


def _place(column: pl.Expr, places: Mapping[str, int]) -> pl.Expr:
    import polars as pl

    return column.replace_strict(places, default=len(places), return_dtype=pl.Int64)


def latency(run: Run) -> pl.DataFrame:
    """Median and 95th percentile of recall in milliseconds per strategy and budget; no rows unless timed."""
    import polars as pl

    schema = {"strategy": pl.String, "budget_tokens": pl.Int64, "recall_ms": pl.Float64}
    frame = pl.DataFrame([{name: row.get(name) for name in schema} for row in run.store.read_timings()], schema=schema)
    return (
        frame.drop_nulls()
        .group_by(CELL, maintain_order=True)
        .agg(
            pl.col("recall_ms").quantile(0.5, "linear").alias("recall_ms_p50"),
            pl.col("recall_ms").quantile(0.95, "linear").alias("recall_ms_p95"),
        )
    )


def write_leaderboard(board: pl.DataFrame, path: Path) -> None:
    """As CSV, six digits (of dollars six that count), empty where undefined."""
    import polars.selectors as cs

    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = cs.float() - cs.by_name(DOLLARS, require_all=False)
    paid = cs.by_name(DOLLARS, require_all=False)
    board = board.with_columns(numbers.fill_nan(None).round(DIGITS), paid.fill_nan(None).round_sig_figs(DIGITS))
    board.write_csv(path)
