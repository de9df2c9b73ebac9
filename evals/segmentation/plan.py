"""What is measured: evals/segmentation.toml as data."""

from __future__ import annotations

import tomllib
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.combine import parse_trigger

FILE: Final = Path(__file__).resolve().parents[1] / "segmentation.toml"
Baseline = Literal["none", "even", "random", "texttiling"]
BASELINES: Final[tuple[Baseline, ...]] = ("none", "even", "random", "texttiling")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Row(_Part):
    """A trigger as typed, decided ``delay`` turns late."""

    trigger: str
    delay: int = Field(default=0, ge=0)

    @property
    def label(self) -> str:
        """The trigger as typed, with its delay where there is one."""
        return f"{self.trigger}, delay {self.delay}" if self.delay else self.trigger


class Tiling(_Part):
    """Lexical TextTiling's units: ``words`` a pseudo-sentence (0: an utterance is one), ``block`` of them a side."""

    words: int = Field(ge=0)
    block: int = Field(ge=1)


class Grid(_Part):
    """Triggers to choose from on development recordings: a text with ``{name}`` for every axis."""

    trigger: str
    delay: int = Field(ge=0)
    axes: dict[str, tuple[float | int, ...]]

    def rows(self) -> list[Row]:
        """Every combination of the axes' values."""
        combinations = product(*self.axes.values())
        made = (self.trigger.format(**dict(zip(self.axes, values, strict=True))) for values in combinations)
        return [Row(trigger=text, delay=self.delay) for text in made]


class Joint(Grid):
    """A grid for ``topic_shift``'s defaults on several sets at once; ``on`` has what stands around it by set."""

    on: dict[str, str]


class Plan(_Part):
    """One data set. ``tolerance`` counts messages; ``chosen`` is the row that claims are made for, ``at_once`` the one
    beside it that decides without delay. ``select``: what the grid's choice goes by, the least ``objective``, or the
    ``fewest cuts`` within one standard error of the least Pk + WindowDiff, held out conversation by conversation."""

    data: str
    label: str
    tolerance: int = Field(ge=0)
    texttiling: Tiling
    chosen: Row
    at_once: Row
    rows: tuple[Row, ...] = ()
    grid: tuple[Grid, ...] = ()
    select: Literal["objective", "fewest cuts"] = "objective"


class Plans(_Part):
    """All sets, the rows they share, how the defaults were chosen, and how many seeds ``random`` has."""

    seeds: int = Field(ge=1)
    rows: tuple[Row, ...]
    joint: Joint
    sets: tuple[Plan, ...]

    def rows_of(self, plan: Plan) -> list[Row]:
        """The shared rows, the set's own and the chosen ones, each once."""
        return list(dict.fromkeys([*self.rows, *plan.rows, plan.at_once, plan.chosen]))


def read_plans(file: Path = FILE) -> Plans:
    """Raises ``InvalidInput`` naming the fault."""
    try:
        values: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        plans = Plans.model_validate(values)
    except (OSError, ValueError, ValidationError) as error:
        raise InvalidInput(f"{file}: {error}; mend the file") from None
    for plan in plans.sets:
        grids = [*plan.grid, plans.joint]
        for row in [*plans.rows_of(plan), *(row for grid in grids for row in grid.rows())]:
            parse_trigger(row.trigger)
    return plans
