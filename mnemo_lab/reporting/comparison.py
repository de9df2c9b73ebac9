"""Comparison: every strategy against a baseline, as data and as text, HTML, Markdown and frame."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.tables import Cell, Row, Table, boxed, to_markdown, to_text

if TYPE_CHECKING:
    import polars as pl

    from mnemo_lab.statistics import Pair


@dataclass(frozen=True)
class Against:
    """One strategy against the baseline at the comparison's budget.

    ``pair`` is the strategy less the baseline (``None`` for the baseline itself); ``p_holm`` is NaN where the
    strategy is not tested (references, the baseline). ``mcnemar_p`` is of evidence_all, probe by probe. ``area`` is
    the mean metric over log tokens and all budgets. ``mean`` and ``macro`` are over probes and over recordings.
    """

    strategy: str
    reference: bool
    mean: float
    macro: float
    n: int
    clusters: int
    failed: int = 0
    pair: Pair | None = None
    p_holm: float = nan
    mcnemar_p: float = nan
    area: float = nan
    area_difference: float = nan
    area_lo: float = nan
    area_hi: float = nan
    detectable: float = nan

    @property
    def tested(self) -> bool:
        return self.pair is not None and not self.reference


@dataclass(frozen=True)
class Comparison:
    """Every strategy against ``baseline`` at ``budget`` on answerable probes of ``split``, in the run's order."""

    dataset: str
    metric: str
    budget: int
    baseline: str
    split: str
    rows: tuple[Against, ...]

    def __getitem__(self, strategy: str) -> Against:
        """The line of a strategy; raises ``UnknownName``."""
        from mnemo_lab.errors import UnknownName

        for row in self.rows:
            if row.strategy == strategy:
                return row
        raise UnknownName("strategy", strategy, [row.strategy for row in self.rows])

    @property
    def clusters(self) -> int:
        """Recordings with a defined value for any strategy."""
        return max((row.clusters for row in self.rows), default=0)

    @property
    def smallest_p(self) -> float:
        """The least p that these recordings could have given to any tested strategy; NaN where none is tested."""
        return min((row.pair.smallest_p for row in self.rows if row.pair and row.tested), default=nan)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(_notes(self))

    def table(self) -> Table:
        columns = (
            "strategy", "mean", "mean of recordings", f"less {self.baseline}", "p", "p (Holm)", "wins / ties / losses",
            "McNemar p", "area", f"area less {self.baseline}", "n",
        )  # fmt: skip
        rows = tuple(_row(row, row.strategy == self.baseline) for row in self.rows)
        caption = f"{self.metric} at {self.budget:,} tokens against {self.baseline}"
        small = "Small print: 95 % intervals over recordings. " if self.clusters >= 6 else ""
        return Table(columns, rows, caption, small + " ".join(self.notes))

    def to_markdown(self) -> str:
        return to_markdown(self.table())

    def __str__(self) -> str:
        return to_text(self.table())

    def _repr_html_(self) -> str:
        return boxed([self.table()])

    def to_frame(self) -> pl.DataFrame:
        """One row per strategy with full precision; null where undefined."""
        import polars as pl

        frame = pl.DataFrame([_flat(row) for row in self.rows], schema=dict(_schema()), strict=False)
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _row(row: Against, is_baseline: bool) -> Row:
    pair = row.pair
    middle: list[str | Cell] = ["baseline" if is_baseline else say.NONE, "", "", "", ""]
    if pair is not None:
        counts = f"{pair.wins} / {pair.ties} / {pair.losses}"
        tests = [say.p_value(pair.p_permutation), say.p_value(row.p_holm)] if row.tested else ["", ""]
        mcnemar = say.p_value(row.mcnemar_p) if row.tested else ""
        difference = Cell(say.signed(pair.difference), say.interval(pair.lo, pair.hi, 3, sign=True))
        middle = [difference, *tests, counts, mcnemar]
    area = Cell(say.signed(row.area_difference), say.interval(row.area_lo, row.area_hi, 3, sign=True)) if pair else ""
    means = [say.share(row.mean, 3), say.share(row.macro, 3)]
    tail = [say.share(row.area, 3), area, Cell(f"{row.n:,}", say.count(row.clusters, "recording"))]
    return Row.of(row.strategy, *means, *middle, *tail, reference=row.reference)


def _notes(found: Comparison) -> list[str]:
    from mnemo_lab.statistics.intervals import CONDITIONAL, FEWEST_CLUSTERS

    tested = [row for row in found.rows if row.tested]
    notes = [_frame_note(found, len(tested))]
    if 0 < found.clusters < FEWEST_CLUSTERS:
        notes.append(f"Fewer than six recordings: no intervals; all of this is {CONDITIONAL}.")
    if say.defined(found.smallest_p):
        notes.append(f"The smallest p these recordings can give is {say.p_value(found.smallest_p)}.")
    powers = [row for row in tested if say.defined(row.detectable)]
    if powers:
        worst = max(powers, key=lambda row: row.detectable)
        notes.append(
            f"Minimum detectable difference: {_range([row.detectable for row in powers])} "
            f"(largest for {worst.strategy}), with 80 % power over {say.count(worst.clusters, 'recording')}."
        )
    notes += [
        f"{row.strategy}: {say.count(row.failed, 'probe')} failed and are left out." for row in found.rows if row.failed
    ]
    if found.metric in ("context_tokens",):
        notes.append("Here more is not better.")
    return notes


def _frame_note(found: Comparison, tested: int) -> str:
    where = "all recordings" if found.split == "all" else f"the {found.split} recordings"
    if not found.clusters:
        return f"No answerable question of {where} has a defined {found.metric} at {found.budget:,} tokens."
    tests = f"Holm over {say.count(tested, 'strategy', 'strategies')}" if tested else "nothing to test"
    return (
        f"Answerable questions of {where}; p by sign flips over recordings, {tests}; McNemar on evidence_all takes "
        "questions as independent and is a secondary view; reference rows are shown, not tested."
    )


def _range(values: list[float]) -> str:
    low, high = say.share(min(values), 3), say.share(max(values), 3)
    return low if low == high else f"{low} to {high}"


def _flat(row: Against) -> dict[str, object]:
    pair = row.pair._asdict() if row.pair else {}
    own = {name: getattr(row, name) for name in _OWN}
    return own | {name: pair.get(name) for name in _OF_PAIR}


_OWN = (
    "strategy", "reference", "mean", "macro", "n", "clusters", "failed", "p_holm", "mcnemar_p", "area",
    "area_difference", "area_lo", "area_hi", "detectable",
)  # fmt: skip
_OF_PAIR = ("difference", "lo", "hi", "p_permutation", "smallest_p", "wins", "ties", "losses")


def _schema() -> list[tuple[str, type[pl.DataType]]]:
    import polars as pl

    whole = {"n", "clusters", "failed", "wins", "ties", "losses"}
    kinds: dict[str, type[pl.DataType]] = {"strategy": pl.String, "reference": pl.Boolean}
    kinds |= dict.fromkeys(whole, pl.Int64)
    order = (*_OWN[:4], *_OF_PAIR[:4], *_OWN[7:9], *_OF_PAIR[4:], *_OWN[9:], *_OWN[4:7])
    return [(name, kinds.get(name, pl.Float64)) for name in order]
