"""The tuner without its widgets: knobs in, metrics and comparisons out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mnemo_lab.errors import InvalidInput, UnknownName
from mnemo_lab.recording import Probe
from mnemo_lab.replay.repack import METRICS, Repacked, Repacker
from mnemo_lab.replay.run import Run
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.strategy_text import parse_strategy
from mnemo_lab.widgets.tuner_knobs import ALL, Knobs, Mixer, budget_steps, k_steps, text_of

if TYPE_CHECKING:
    import polars as pl

KEYS = ("recording", "probe")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: means of the metrics (NaN where undefined) and, against the current settings, the probes
    that those won and lost by evidence recall."""

    name: str
    budget: int
    means: dict[str, float]
    won: tuple[Probe, ...] = ()
    lost: tuple[Probe, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What the tuner shows for one setting. ``baseline.budget`` is the run's nearest budget that is not smaller."""

    knobs: Knobs
    text: str
    now: Line
    own: Line
    baseline: Line
    n: int
    cut_short: int
    has_dev: bool
    changed: bool
    """Whether these settings are other than the run's own."""


class TunerState:
    """Knobs over one hybrid of a run. ``turn`` changes knobs, ``reading`` says what they give.

    Raises ``InvalidInput`` where the run has no hybrid to tune.
    """

    def __init__(self, run: Run, strategy: str | None = None, baseline: str = "recent") -> None:
        if baseline not in run.labels:
            raise UnknownName("strategy of this run", baseline, run.labels)
        self.run, self.baseline = run, baseline
        self.strategy = strategy or _first_hybrid(run)
        self.repacker = Repacker(run, self.strategy)
        self.mixer = Mixer(self.repacker.own, self.repacker.signals)
        self.languages = [ALL, *sorted({r.language for r in run.dataset.recordings})]
        self.splits = [*sorted({r.split for r in run.dataset.recordings}), ALL]
        self.budgets = budget_steps(run.grid.budgets)
        self.ks = k_steps(self.repacker.own.k)
        self.knobs = self.at_first()
        self._probes = {(r.id, p.id): p for r in run.dataset.recordings for p in r.probes}
        self._kept: dict[tuple[Any, ...], Repacked] = {}

    def at_first(self) -> Knobs:
        """The run's own settings at its primary budget, on development recordings where there are any."""
        own, split = self.repacker.own, "dev" if "dev" in self.splits else ALL
        share, budget = self.mixer.own_share, self.run.grid.primary
        return Knobs(share, own.session, own.speaker, own.neighbours, own.k, budget, ALL, split)

    def turn(self, **changes: Any) -> None:
        """Set knobs by name."""
        self.knobs = replace(self.knobs, **changes)

    @property
    def settings(self) -> Hybrid:
        return self.mixer.hybrid(self.knobs)

    @property
    def text(self) -> str:
        """The settings as you would type them into a grid."""
        return text_of(self.settings)

    def reading(self) -> Reading:
        """Metrics now, beside the run's own settings at the same budget and the frozen baseline.

        As in the leaderboard, over answerable probes.
        """
        repacked, budget = self._repacked(self.settings), self.knobs.budget
        now, own = _answerable(repacked.probes), _answerable(self._repacked(self.repacker.own).probes)
        frozen = _answerable(self._baseline_rows())
        return Reading(
            self.knobs,
            self.text,
            Line(self.text, budget, _means(now)),
            self._line(self.strategy, budget, own, now),
            self._line(self.baseline, self.baseline_budget, frozen, now),
            n=now["evidence_recall"].count(),
            cut_short=repacked.cut_short,
            has_dev="dev" in self.splits,
            changed=self.settings != self.repacker.own,
        )

    @property
    def baseline_budget(self) -> int:
        """The run's smallest budget that is not below the chosen one: the baseline never gets less room."""
        return next(budget for budget in self.run.grid.budgets if budget >= self.knobs.budget)

    def _repacked(self, settings: Hybrid) -> Repacked:
        """The run's own settings are packed once per budget and filter."""
        knobs = self.knobs
        chosen = [
            r.id for r in self.run.dataset.recordings if _is(r.language, knobs.language) and _is(r.split, knobs.split)
        ]
        if settings != self.repacker.own:
            return self.repacker.evaluate(settings, knobs.budget, chosen)
        key = (knobs.budget, knobs.language, knobs.split)
        if key not in self._kept:
            self._kept[key] = self.repacker.evaluate(settings, knobs.budget, chosen)
        return self._kept[key]

    def _baseline_rows(self) -> pl.DataFrame:
        import polars as pl

        rows = self.run.rows.filter(strategy=self.baseline, budget_tokens=self.baseline_budget)
        for column in ("language", "split"):
            if getattr(self.knobs, column) != ALL:
                rows = rows.filter(pl.col(column) == getattr(self.knobs, column))
        return rows

    def _line(self, name: str, budget: int, theirs: pl.DataFrame, mine: pl.DataFrame) -> Line:
        import polars as pl

        both = mine.select(*KEYS, "evidence_recall").join(
            theirs.select(*KEYS, other="evidence_recall"), on=KEYS, maintain_order="left"
        )
        difference = pl.col("evidence_recall") - pl.col("other")
        won: list[tuple[str, str]] = both.filter(difference > 0).select(KEYS).rows()
        lost: list[tuple[str, str]] = both.filter(difference < 0).select(KEYS).rows()
        return Line(name, budget, _means(theirs), self._named(won), self._named(lost))

    def _named(self, keys: Iterable[tuple[str, str]]) -> tuple[Probe, ...]:
        return tuple(self._probes[key] for key in keys)


def _answerable(probes: pl.DataFrame) -> pl.DataFrame:
    return probes.filter("answerable")


def _means(probes: pl.DataFrame) -> dict[str, float]:
    import polars as pl

    return probes.select(pl.col(METRICS).mean().fill_null(float("nan"))).row(0, named=True)


def _is(value: str, wanted: str) -> bool:
    return wanted in (ALL, value)


def _first_hybrid(run: Run) -> str:
    labelled = run.grid.labelled()
    for label, text in labelled.items():
        if isinstance(parse_strategy(text), Hybrid):
            return label
    raise InvalidInput(
        f"this run has no hybrid to tune (it has {', '.join(labelled)}); add one to the grid and run it: "
        'ml.run(data, [..., "hybrid"])'
    )
