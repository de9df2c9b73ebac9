"""Which rows a statement is about: the split for claims, answerable probes, strategies that compete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.run import Run
from mnemo_lab.strategy_text import parse_strategy

if TYPE_CHECKING:
    import polars as pl

REFERENCES: Final = ("full", "oracle")
"""Rows that show what is possible, not what to choose: everything sent, and only the evidence sent."""
ALL: Final = "all"
ANSWERABLE: Final = "answerable"


def is_reference(label: str) -> bool:
    return label.partition("(")[0] in REFERENCES


def splits(run: Run) -> list[str]:
    """Splits in the data, ``dev`` before ``test``."""
    return sorted({recording.split for recording in run.dataset.recordings})


def headline_split(run: Run) -> str:
    """Where claims are made: the test recordings where there are any, else all."""
    return "test" if "test" in splits(run) else ALL


def refuse_fitted(run: Run, split: str) -> None:
    """Raise ``InvalidInput`` where a strategy of the run was fitted on a recording that a claim would be made on."""
    name = run.dataset.name.partition("_")[0]  # an audited overlay has the same recordings
    there = [r.id for r in run.dataset.recordings if split in (ALL, r.split)]
    for label, text in run.grid.labelled().items():
        fitted = set(parse_strategy(text).fitted_on)
        seen = [id for id in there if f"{name} {id}" in fitted]
        if seen:
            raise InvalidInput(
                f"{label.partition('(')[0]} was fitted on {', '.join(seen[:5])}: figures on what a strategy has seen "
                "are no claim about others; report on the test recordings (split='test'), or leave it out of the run"
            )


def of_split(rows: pl.DataFrame, split: str) -> pl.DataFrame:
    """Rows of a split; ``all`` keeps every row."""
    import polars as pl

    return rows if split == ALL else rows.filter(pl.col("split") == split)


def answerable(rows: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return rows.filter(pl.col("answerable"))


def headline_rows(run: Run) -> pl.DataFrame:
    """Answerable probes of the split that claims are made on."""
    return answerable(of_split(run.rows, headline_split(run)))


def scope_sentence(run: Run) -> str:
    """Which recordings the headline numbers come from, and what they are good for."""
    have = splits(run)
    if have == ["dev", "test"]:
        return "Answerable questions of the test recordings; the development recordings are left for tuning."
    if have == ["dev"]:
        return "Answerable questions of development recordings: a result of tuning, not a claim about others."
    return "Answerable questions of all recordings."


def present(run: Run, rows: pl.DataFrame) -> list[str]:
    """Labels that have rows, in the order of the run."""
    there = set(rows["strategy"].unique().to_list())
    return [label for label in run.labels if label in there]


def contenders(run: Run, rows: pl.DataFrame) -> list[str]:
    """Strategies that can be chosen: all but the reference rows."""
    return [label for label in present(run, rows) if not is_reference(label)]
