"""What strategies keep, as tables: by data set and budget, by recording, and in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mnemo_lab.statistics import Pair, compare_pairs

BUDGETS: Final = (512, 1024, 2048, 4096)
EVIDENCE, ANSWERS = "evidence_recall", "answer_in_context"
FEWEST: Final = 10
"""Questions that must have a measure for a recording, or a data set in a table, to count: BEAM's answers are seldom
literal, and a recording with one of them would count as much as one with eighty."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kept:
    """Rows of runs: one per question, strategy and budget."""

    rows: pl.DataFrame

    @cached_property
    def datasets(self) -> list[str]:
        return self.rows["dataset"].unique(maintain_order=True).to_list()

    def of(self, strategy: str, budget: int) -> pl.DataFrame:
        """One row per question, in one order for all strategies."""
        chosen = (pl.col("strategy") == strategy) & (pl.col("budget_tokens") == budget)
        return self.rows.filter(chosen).sort("dataset", "recording", "probe")

    def mean(self, strategy: str, measure: str, budget: int, dataset: str) -> float:
        """The mean of the recordings' means, in per cent."""
        rows = self.of(strategy, budget).filter(pl.col("dataset") == dataset)
        means = rows.group_by("recording").agg(pl.col(measure).fill_nan(None).mean())[measure].drop_nulls()
        return 100 * float(np.mean(means.to_numpy()))

    def count(self, measure: str, dataset: str) -> int:
        """Questions that have the measure."""
        rows = self.rows.filter(pl.col("dataset") == dataset)
        one = self.of(rows["strategy"][0], BUDGETS[0]).filter(pl.col("dataset") == dataset)
        return int(one[measure].fill_nan(None).count())

    def pair(self, one: str, other: str, measure: str, budget: int) -> Pair:
        """In per cent, recordings counting the same, those left out where too few questions have the measure."""
        enough = pl.col(measure).fill_nan(None).count().over("recording") >= FEWEST
        left, right = (self.of(strategy, budget).filter(enough) for strategy in (one, other))
        return compare_pairs(_values(left, measure), _values(right, measure), left["recording"].to_list(), macro=True)


def _values(rows: pl.DataFrame, measure: str) -> Floats:
    return 100 * rows[measure].fill_null(np.nan).to_numpy()


def table_of(kept: Kept, strategies: Sequence[str], dataset: str) -> str:
    """One line per strategy: evidence and, where there are enough, answers at every budget."""
    recordings = kept.rows.filter(pl.col("dataset") == dataset)["recording"].n_unique()
    numbers = {name: kept.count(measure, dataset) for name, measure in (("evidence", EVIDENCE), ("answers", ANSWERS))}
    shown = {
        name: measure for name, measure in (("evidence", EVIDENCE), ("answers", ANSWERS)) if numbers[name] >= FEWEST
    }
    title = f"**{dataset}**: {recordings} recordings; questions with evidence: {numbers['evidence']}, with an answer to"
    head = [f"{name} {budget:,}" for name in shown for budget in BUDGETS]
    lines = [
        f"{title} find: {numbers['answers']}",
        "",
        f"| strategy | {' | '.join(head)} |",
        "|---" * (len(head) + 1) + "|",
    ]
    for strategy in strategies:
        cells = [kept.mean(strategy, measure, budget, dataset) for measure in shown.values() for budget in BUDGETS]
        lines.append(f"| {strategy} | {' | '.join(f'{cell:.1f}' for cell in cells)} |")
    return "\n".join(lines)


def per_recording(kept: Kept, one: str, other: str, budget: int) -> str:
    """One line per recording: both strategies and their difference with its error, for both measures."""
    left, right = kept.of(one, budget), kept.of(other, budget)
    head = [f"{name}: {part}" for name in ("evidence", "answers") for part in ("n", other, one, "difference")]
    lines = [f"| recording | language | {' | '.join(head)} |", "|---" * 10 + "|"]
    for (dataset, recording, language), _ in left.group_by("dataset", "recording", "language", maintain_order=True):
        here = pl.col("recording") == recording
        cells: list[str] = []
        for measure in (EVIDENCE, ANSWERS):
            cells += _difference(_values(left.filter(here), measure), _values(right.filter(here), measure))
        lines.append(f"| {dataset} {recording} | {language} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _difference(one: Floats, other: Floats) -> list[str]:
    defined = ~np.isnan(one) & ~np.isnan(other)
    apart, n = (one - other)[defined], int(defined.sum())
    if not n:
        return ["0", "", "", ""]
    error = f" ± {1.96 * apart.std(ddof=1) / n**0.5:.1f}" if n > 1 else ""
    return [str(n), f"{other[defined].mean():.1f}", f"{one[defined].mean():.1f}", f"{apart.mean():+.1f}{error}"]
