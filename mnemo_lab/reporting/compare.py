"""Every strategy against a named baseline on the same probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.metrics import METRICS
from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.comparison import Against, Comparison
from mnemo_lab.reporting.selection import (
    ALL,
    answerable,
    headline_split,
    is_reference,
    of_split,
    present,
    refuse_fitted,
    splits,
)
from mnemo_lab.statistics import Pair, areas, compare_pairs, detectable_difference, holm
from mnemo_lab.statistics.grouping import Floats, group

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COMPARABLE", "Against", "Comparison", "Values", "compare", "pair_of"]

PROBE = ["recording", "probe"]
OF_THE_PROBE = frozenset({"evidence_age_tokens", "evidence_age_messages"})
COMPARABLE = tuple(name for name in METRICS if name not in OF_THE_PROBE)


def compare(
    run: Run,
    baseline: str | None = None,
    metric: str = "evidence_recall",
    budget: int | None = None,
    split: str | None = None,
) -> Comparison:
    """Compare at one budget on answerable probes.

    Defaults: the grid's baseline and primary budget, and the test recordings where there are any.

    Raises:
        UnknownName: no such strategy, metric or split in this run.
        InvalidInput: the budget is not in this run.
    """
    tokens = run.grid.primary if budget is None else budget
    chosen = _baseline(run) if baseline is None else baseline
    part = headline_split(run) if split is None else split
    _check(run, chosen, metric, tokens, part)
    refuse_fitted(run, part)
    rows = answerable(of_split(run.rows, part))
    values = Values(rows, metric, tokens)
    found = [_against(label, chosen, values, run.grid.seed) for label in present(run, rows)]
    return Comparison(run.dataset.name, metric, tokens, chosen, part, tuple(_adjust(found)))


def _baseline(run: Run) -> str:
    """The label under which the grid's baseline stands."""
    if run.grid.baseline in run.labels:
        return run.grid.baseline
    labelled = run.grid.model_copy(update={"strategies": ()}).labelled()
    return list(labelled)[-1]


def _check(run: Run, baseline: str, metric: str, budget: int, split: str) -> None:
    if baseline not in run.labels:
        raise UnknownName("baseline", baseline, run.labels)
    if metric not in COMPARABLE:
        raise UnknownName("metric", metric, COMPARABLE)
    if budget not in run.grid.budgets:
        known = ", ".join(map(str, run.grid.budgets))
        raise InvalidInput(f"budget {budget} is not in this run; choose one of {known} tokens")
    if split not in (ALL, *splits(run)):
        raise UnknownName("split", split, [ALL, *splits(run)])


class Values:
    """One metric as arrays per strategy over the same probes in the same order; NaN where undefined."""

    def __init__(self, rows: pl.DataFrame, metric: str, budget: int) -> None:
        self.budgets = [b for b in sorted(rows["budget_tokens"].unique().to_list()) if b > 0]
        self._rows, self._budget, self._metric = rows, budget, metric
        self.probes = rows.select(PROBE).unique(maintain_order=True)
        self.clusters: list[str] = self.probes["recording"].to_list()

    def at_budget(self, label: str, metric: str | None = None) -> Floats:
        """The strategy's value of every probe at the compared budget."""
        return self._column(label, self._budget, metric or self._metric)

    def area(self, label: str) -> Floats:
        """Every probe's mean over log tokens; NaN with fewer than two budgets."""
        import numpy as np

        columns = [self._column(label, budget, self._metric) for budget in self.budgets]
        return areas(self.budgets, np.column_stack(columns)) if columns else np.full(len(self.clusters), np.nan)

    def failed(self, label: str) -> int:
        """Probes whose context could not be made at the compared budget."""
        return int(self._part(label, self._budget)["error"].is_not_null().sum())

    def _part(self, label: str, budget: int) -> pl.DataFrame:
        import polars as pl

        return self._rows.filter((pl.col("strategy") == label) & (pl.col("budget_tokens") == budget))

    def _column(self, label: str, budget: int, metric: str) -> Floats:
        import polars as pl

        part = self._part(label, budget).select(*PROBE, pl.col(metric).cast(pl.Float64))
        joined = self.probes.join(part, on=PROBE, how="left", maintain_order="left")
        return joined[metric].fill_null(float("nan")).to_numpy()


def _against(label: str, baseline: str, values: Values, seed: int) -> Against:
    own, area = values.at_budget(label), values.area(label)
    groups = group(own, values.clusters)
    found = Against(
        strategy=label,
        reference=is_reference(label),
        mean=groups.mean,
        macro=groups.macro_mean,
        n=groups.n,
        clusters=groups.clusters,
        failed=values.failed(label),
        area=group(area, values.clusters).mean,
    )
    return found if label == baseline else _paired(found, own, area, baseline, values, seed)


def _paired(found: Against, own: Floats, area: Floats, baseline: str, values: Values, seed: int) -> Against:
    other = values.at_budget(baseline)
    pair = compare_pairs(own, other, values.clusters, seed)
    over = compare_pairs(area, values.area(baseline), values.clusters, seed)
    power = detectable_difference(own - other, values.clusters)
    return replace(
        found,
        pair=pair,
        mcnemar_p=_mcnemar(found.strategy, baseline, values),
        area_difference=over.difference,
        area_lo=over.lo,
        area_hi=over.hi,
        detectable=power.detectable,
    )


def _mcnemar(label: str, baseline: str, values: Values) -> float:
    every = "evidence_all"
    return compare_pairs(values.at_budget(label, every), values.at_budget(baseline, every), values.clusters).mcnemar_p


def _adjust(found: list[Against]) -> list[Against]:
    """Holm over the tested strategies."""
    tested = [row for row in found if row.tested]
    adjusted: Sequence[float] | Floats = holm([row.pair.p_permutation for row in tested if row.pair]) if tested else []
    by_name = {row.strategy: float(p) for row, p in zip(tested, adjusted, strict=True)}
    return [replace(row, p_holm=by_name[row.strategy]) if row.strategy in by_name else row for row in found]


def pair_of(run: Run, better: str, other: str, metric: str, budget: int, split: str) -> Pair:
    """Two strategies of a run on the same answerable probes, unadjusted."""
    values = Values(answerable(of_split(run.rows, split)), metric, budget)
    return compare_pairs(values.at_budget(better), values.at_budget(other), values.clusters, run.grid.seed)
