"""Means per group with intervals over recordings; one polars group_by, Python only for the intervals."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

MEANS: Final = (
    "evidence_recall", "evidence_all", "evidence_any", "evidence_coverage", "answer_in_context", "recall_at_1",
    "recall_at_5", "recall_at_10", "mrr", "ndcg_at_10", "context_tokens", "write_tokens",
)  # fmt: skip
METRIC: Final = "evidence_recall"
DOLLARS: Final = ("write_dollars", "read_dollars")


def summarise(rows: pl.DataFrame, by: Sequence[str], metric: str = METRIC) -> pl.DataFrame:
    """One row per group, in order of first appearance.

    Columns: ``by``, ``n`` (probes whose ``metric`` is defined), ``recordings`` (that have such a probe), the means (of
    dollars only where all are known), and ``lo`` and ``hi`` of the metric, null below six recordings. The metric must
    lie within 0 and 1.
    """
    import polars as pl

    known = pl.col(metric).is_not_null()
    grouped = rows.group_by(by, maintain_order=True).agg(
        known.sum().cast(pl.Int64).alias("n"),
        pl.col("recording").filter(known).n_unique().cast(pl.Int64).alias("recordings"),
        pl.col([*MEANS, *(() if metric in MEANS else (metric,))]).mean(),
        *(pl.when(pl.col(name).null_count() == 0).then(pl.col(name).mean()) for name in DOLLARS),
        pl.col(metric).filter(known).alias("_values"),
        pl.col("recording").filter(known).alias("_clusters"),
    )
    pairs = zip(grouped["_values"].to_list(), grouped["_clusters"].to_list(), strict=True)
    bounds = [_bounds(values, clusters) for values, clusters in pairs]
    return grouped.drop("_values", "_clusters").with_columns(
        pl.Series("lo", [lo for lo, _ in bounds], dtype=pl.Float64),
        pl.Series("hi", [hi for _, hi in bounds], dtype=pl.Float64),
    )


def anything_paid(rows: pl.DataFrame) -> bool:
    """Whether a language model was paid, or may have been: its price is not known."""
    import polars as pl

    return bool(rows.select(pl.any_horizontal((pl.col(DOLLARS).is_null() | (pl.col(DOLLARS) > 0)).any())).item())


def _bounds(values: list[float], clusters: list[str]) -> tuple[float | None, float | None]:
    from mnemo_lab.statistics import mean_interval

    found = mean_interval(values, clusters, bounds=(0.0, 1.0))
    return (None, None) if isnan(found.lo) else (found.lo, found.hi)
