"""Whether mined probes rank strategies as gold probes do: Kendall's tau-b over strategies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import polars as pl
from scipy.stats import kendalltau

from mnemo_lab.api import run_grid
from mnemo_lab.corpora.base import Dataset
from mnemo_lab.probes import mine
from mnemo_lab.replay.grid import make_grid

STRATEGIES: Final = ("recent", "random", "seed_truncator", "bm25", "dense", "rrf", "hybrid")
BUDGETS: Final = (512, 1024, 2048, 4096)
Scores = Mapping[tuple[str, int], float]
"""Mean evidence recall by strategy and budget."""


@dataclass(frozen=True)
class Measured:
    """Rows of one replay: recording, probe, strategy, budget, evidence recall; answerable probes with evidence."""

    rows: pl.DataFrame

    @property
    def probes(self) -> int:
        return self.rows.select("recording", "probe").unique().height

    @property
    def recordings(self) -> list[str]:
        return sorted(self.rows["recording"].unique().to_list())

    def scores(self, without: str | None = None) -> Scores:
        kept = self.rows.filter(pl.col("recording") != without) if without else self.rows
        return _means(kept)

    def halves(self) -> tuple[Scores, Scores]:
        """Every other probe, by id: how well gold agrees with gold."""
        ids = self.rows["probe"].unique().sort().to_list()
        even = set(ids[::2])
        parts = self.rows.with_columns(pl.col("probe").is_in(even).alias("even"))
        return _means(parts.filter("even")), _means(parts.filter(~pl.col("even")))


def _means(rows: pl.DataFrame) -> Scores:
    found = rows.group_by("strategy", "budget_tokens").agg(pl.col("evidence_recall").mean())
    return {(strategy, budget): value for strategy, budget, value in found.iter_rows()}


def measure(data: Dataset, cache_dir: str | None) -> Measured:
    """Replay a data set through all strategies and budgets."""
    grid = make_grid({"dataset": data.name, "strategies": STRATEGIES, "budgets": BUDGETS})
    rows = run_grid(grid, data, None, cache_dir, progress=False).rows
    wanted = pl.col("answerable") & pl.col("strategy").is_in(STRATEGIES) & pl.col("evidence_recall").is_not_null()
    return Measured(rows.filter(wanted).select("recording", "probe", "strategy", "budget_tokens", "evidence_recall"))


def mined(data: Dataset, masked: bool) -> Dataset:
    """The same recordings, with mined probes in place of their own; those without any are left out."""
    found = [replace(r, probes=tuple(mine(r, masked=masked))) for r in data]
    return Dataset.of(data.name, [r for r in found if r.probes], data.card)


def tau(one: Scores, two: Scores, budgets: Iterable[int] = BUDGETS) -> float:
    """Over the strategies' means of these budgets; ties count as ties."""
    budgets = tuple(budgets)
    pairs = [(_mean(one, s, budgets), _mean(two, s, budgets)) for s in STRATEGIES]
    return float(kendalltau([a for a, _ in pairs], [b for _, b in pairs]).statistic)


def _mean(scores: Scores, strategy: str, budgets: tuple[int, ...]) -> float:
    # rounded, because equal sums in another order must stay ties
    return round(sum(scores[strategy, budget] for budget in budgets) / len(budgets), 9)


def turned_round(gold: Scores, own: Scores) -> list[tuple[str, str]]:
    """Pairs of strategies in the other order, by the mean over budgets; the better by gold first."""
    pairs = [(a, b) for a in STRATEGIES for b in STRATEGIES if _mean(gold, a, BUDGETS) > _mean(gold, b, BUDGETS)]
    return [(a, b) for a, b in pairs if _mean(own, a, BUDGETS) < _mean(own, b, BUDGETS)]


def left_out(gold: Measured, mined_: Measured) -> tuple[float, float]:
    """The least and the greatest tau with one recording left out of both."""
    values = [tau(gold.scores(r), mined_.scores(r)) for r in gold.recordings]
    return min(values), max(values)
