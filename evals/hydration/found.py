"""What was measured, asked for pairs, means and densities: always over answerable probes of the test recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, nan
from typing import TYPE_CHECKING, Final

import polars as pl

from evals.hydration.measure import Measured
from mnemo_lab.hydration.strategies.base import WithCheckpoints
from mnemo_lab.statistics import Pair, compare_pairs, group, holm
from mnemo_lab.statistics.intervals import FEWEST_CLUSTERS
from mnemo_lab.strategy_text import parse_strategy

if TYPE_CHECKING:
    from mnemo_lab.statistics.grouping import Floats

PLAIN: Final = "hybrid"
OURS: Final = "hydrate"
FIRST: Final = "checkpoint"
WITHOUT: Final = "hydrate(checkpoint=0.0, checkpoint_words=0.0)"
EVIDENCE: Final = "evidence_recall"
ANSWERS: Final = "answer_in_context"
SEARCHED: Final = "searched"
PROBE: Final = ["data", "recording", "language", "probe", "gold"]
CHANCE: Final = 0.05


@dataclass(frozen=True)
class Found:
    """Rows and cuts of all recordings; ``strategies`` are label to text, in the grid's order."""

    rows: pl.DataFrame
    cuts: pl.DataFrame
    strategies: dict[str, str]
    budgets: tuple[int, ...]

    @classmethod
    def of(cls, parts: Sequence[Measured], strategies: dict[str, str], budgets: Sequence[int]) -> Found:
        rows, cuts = pl.concat([part.rows for part in parts]), pl.concat([part.cuts for part in parts])
        return cls(rows.filter("answerable"), cuts, strategies, tuple(budgets))

    @property
    def data(self) -> list[str]:
        """Data sets, in the order in which they were measured."""
        return self.rows["data"].unique(maintain_order=True).to_list()

    @property
    def recordings(self) -> int:
        return self.rows.select("data", "recording").n_unique()

    @property
    def intervals(self) -> bool:
        """Whether there are recordings enough for any."""
        return self.recordings >= FEWEST_CLUSTERS

    def probes(self, budget: int, metric: str = EVIDENCE) -> pl.DataFrame:
        """One row per probe, one column per strategy."""
        return self._wide[budget, metric]

    @cached_property
    def _wide(self) -> dict[tuple[int, str], pl.DataFrame]:
        return {
            (budget, metric): self.rows.filter(budget=budget).pivot("strategy", index=PROBE, values=metric)
            for budget in self.budgets
            for metric in (EVIDENCE, ANSWERS, SEARCHED)
        }

    def mean(self, label: str, budget: int, data: str = "", metric: str = EVIDENCE) -> float:
        """Mean of recordings' means, of one data set or of all."""
        probes = _of(self.probes(budget, metric), data)
        return group(_floats(probes[label]), probes["recording"]).macro_mean

    def pair(self, a: str, b: str, budget: int, metric: str = EVIDENCE, part: pl.Expr | None = None) -> Pair:
        """``a`` less ``b``, every recording counting the same; ``part``: these probes alone."""
        probes = self.probes(budget, metric)
        probes = probes if part is None else probes.filter(part)
        return _paired(probes[a], probes[b], probes)

    @cached_property
    def triggers(self) -> list[str]:
        """Of the curve: those under which both ``checkpoint`` and ``hydrate`` were run, as typed."""
        curve = {"": self.strategies[FIRST]} if FIRST in self.strategies and OURS in self.strategies else {}
        typed = [label.removeprefix(f"{FIRST}(trigger='").removesuffix("')") for label in self.strategies
                 if label.startswith(f"{FIRST}(trigger='")]  # fmt: skip
        return [*curve, *(t for t in typed if under(OURS, t) in self.strategies)]

    def trigger_text(self, trigger: str) -> str:
        """The trigger as it was cut by: the default's text for ``""``."""
        strategy = parse_strategy(self.strategies[under(FIRST, trigger)])
        assert isinstance(strategy, WithCheckpoints)
        return strategy.trigger

    def cost(self, trigger: str, data: str) -> dict[str, float]:
        """Per 100 messages: ``checkpoints``, and ``passages``, ``written`` and ``asked`` (tokens); ``ms`` of describing
        a message."""
        return self._cost(data, self.strategies[under(FIRST, trigger)])

    def extra(self, label: str) -> float:
        """Tokens embedded beside the messages, by token of messages, over all data sets."""
        costs = [self._cost(data, self.strategies[label]) for data in self.data]
        return sum(cost["written"] for cost in costs) / sum(cost["passages"] for cost in costs) - 1

    def _cost(self, data: str, text: str) -> dict[str, float]:
        strategy = parse_strategy(text)
        assert isinstance(strategy, WithCheckpoints)
        cuts = self.cuts.filter(data=data, trigger=strategy.trigger, delay=strategy.delay, vector=strategy.vector)
        sums = (
            cuts.select("messages", "checkpoints", "passages", "written", "seconds", "asked").sum().row(0, named=True)
        )
        hundreds = sums["messages"] / 100
        each = {name: sums[name] / hundreds for name in ("checkpoints", "passages", "written", "asked")}
        return each | {"ms": 10 * sums["seconds"] / hundreds}

    def beside_even(self, trigger: str, strategy: str, budget: int) -> Pair | None:
        """The trigger against cutting every N turns into as many checkpoints: what lies between the two nearest N of
        the curve, by the logarithm of how many there are. ``None`` where no data set has N on both sides."""
        parts = []
        for data in self.data:
            even = self._even(trigger, data)
            if even is None:
                continue
            probes = _of(self.probes(budget), data)
            values = sum(share * probes[under(strategy, every)] for every, share in even.items())
            parts.append(probes.select(*PROBE, mine=under(strategy, trigger)).with_columns(even=values))
        if not parts:
            return None
        both = pl.concat(parts)
        return _paired(both["mine"], both["even"], both)

    def _even(self, trigger: str, data: str) -> dict[str, float] | None:
        """Shares of the two even cuts around a trigger; ``None`` outside of them, and for an even cut itself."""
        steady = sorted((self.cost(t, data)["checkpoints"], t) for t in self.triggers if is_even(t))
        mine = self.cost(trigger, data)["checkpoints"]
        below = [item for item in steady if item[0] <= mine]
        above = [item for item in steady if item[0] >= mine]
        if is_even(trigger) or not below or not above:
            return None
        (low, fewer), (high, more) = below[-1], above[0]
        share = (log(mine) - log(low)) / (log(high) - log(low)) if high > low else 1.0
        return {fewer: 1 - share, more: share} if fewer != more else {more: 1.0}


def under(strategy: str, trigger: str) -> str:
    """A strategy's label under a trigger; the default's is the bare name."""
    return f"{strategy}(trigger='{trigger}')" if trigger else strategy


def is_even(trigger: str) -> bool:
    return trigger.startswith("every(") and " " not in trigger


def sure(pairs: dict[str, Pair]) -> dict[str, float]:
    """Holm's p of every comparison."""
    return dict(zip(pairs, holm([pair.p_permutation for pair in pairs.values()]).tolist(), strict=True))


def _of(probes: pl.DataFrame, data: str) -> pl.DataFrame:
    return probes.filter(data=data) if data else probes


def _paired(a: pl.Series, b: pl.Series, probes: pl.DataFrame) -> Pair:
    recordings = (probes["data"] + "/" + probes["recording"]).to_list()
    return compare_pairs(_floats(a), _floats(b), recordings, macro=True)


def _floats(column: pl.Series) -> Floats:
    return column.cast(pl.Float64).fill_null(nan).to_numpy()
