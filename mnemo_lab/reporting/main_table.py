"""The main table: strategies by budgets, on the probes that claims are made on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.selection import (
    ALL,
    answerable,
    contenders,
    headline_rows,
    is_reference,
    of_split,
    present,
    scope_sentence,
    splits,
)
from mnemo_lab.reporting.summary import METRIC, summarise
from mnemo_lab.reporting.tables import Cell, Row, Table

if TYPE_CHECKING:
    import polars as pl

ANSWER = "answer_in_context"


def recall_table(run: Run) -> Table:
    """Evidence recall with its interval over recordings."""
    table = _by_budget(run, METRIC, "Evidence recall: share of the gold messages wholly verbatim in the context")
    return Table(table.columns, table.rows, table.caption, _note(run))


def answer_table(run: Run) -> Table:
    """Whether the gold answer can be read off the context."""
    return _by_budget(run, ANSWER, "Answer in context: share of questions whose gold answer stands in the context")


def split_table(run: Run) -> Table | None:
    """Recall at 10 and evidence recall on ``dev``, ``test`` and all recordings; ``None`` where there is one split.

    A strategy that was tuned shows how much of its lead is tuning: by what it loses from dev to test.
    """
    if len(splits(run)) < 2:
        return None
    rows = answerable(run.rows)
    lines = [
        Row.of(label, split, *_split_cells(run, of_split(rows, split), label))
        for label in contenders(run, rows)
        for split in (*splits(run), ALL)
    ]
    columns = ("strategy", "split", "R@10", *(f"{budget:,}" for budget in run.grid.budgets))
    caption = "By split: recall at 10, and evidence recall by budget in tokens"
    return Table(columns, tuple(lines), caption, "Parameters are chosen on dev; claims are made on test.", texts=2)


def _split_cells(run: Run, rows: pl.DataFrame, label: str) -> list[Cell]:
    import polars as pl

    mine = rows.filter(pl.col("strategy") == label)
    means = mine.group_by("budget_tokens").agg(pl.col(METRIC).mean(), pl.col("recall_at_10").mean())
    by_budget = {budget: (recall, at_10) for budget, recall, at_10 in means.iter_rows()}
    shown = [by_budget.get(budget, (None, None)) for budget in run.grid.budgets]
    return [Cell(say.share(shown[-1][1])), *(Cell(say.share(recall)) for recall, _ in shown)]


def _by_budget(run: Run, metric: str, caption: str) -> Table:
    rows = headline_rows(run)
    board = summarise(rows, ["strategy", "budget_tokens"], metric)
    values = {(r["strategy"], r["budget_tokens"]): r for r in board.iter_rows(named=True)}
    labels = present(run, rows)
    best = _best(board, metric)
    lines = [
        Row.of(
            label,
            *(_cell(values.get((label, b)), metric, label, best.get(b)) for b in run.grid.budgets),
            reference=is_reference(label),
        )
        for label in labels
    ]
    columns = ("strategy", *(f"{budget:,}" for budget in run.grid.budgets))
    return Table(columns, tuple(lines), f"{caption}, by budget in tokens")


def _cell(found: dict[str, float | None] | None, metric: str, label: str, best: float | None) -> Cell:
    if found is None:
        return Cell(say.NONE)
    value = found[metric]
    top = value is not None and best is not None and value >= best - 1e-9 and not is_reference(label)
    return Cell(say.share(value), say.interval(found["lo"], found["hi"]), top)


def _best(board: pl.DataFrame, metric: str) -> dict[int, float]:
    """The highest mean of each budget among strategies that compete."""
    best: dict[int, float] = {}
    for label, budget, value in board.select("strategy", "budget_tokens", metric).iter_rows():
        if value is not None and not is_reference(label):
            best[budget] = max(value, best.get(budget, value))
    return best


def _note(run: Run) -> str:
    from mnemo_lab.statistics.intervals import CONDITIONAL, FEWEST_CLUSTERS

    rows = headline_rows(run)
    known = rows.drop_nulls(METRIC)
    probes = known.select("recording", "probe").n_unique() if known.height else 0
    clusters = known["recording"].n_unique() if known.height else 0
    notes = [scope_sentence(run), f"{say.count(probes, 'question')} of {say.count(clusters, 'recording')}."]
    if clusters >= FEWEST_CLUSTERS:
        notes.append(
            "Small print: 95 % interval over recordings (CR2), left out where all of them agree. "
            "Bold: highest of the column."
        )
    elif clusters:
        notes.append(
            f"Fewer than six recordings: no intervals; the numbers are {CONDITIONAL}. Bold: highest of the column."
        )
    if clusters and len(run.grid.budgets) > 1:
        notes.append(f"Tested at {run.grid.primary:,} tokens; other budgets are exploratory.")
    return " ".join([*notes, _over_budget(rows)]).strip()


def _over_budget(rows: pl.DataFrame) -> str:
    """Whoever sends more than the budget is named: such a row is no fair comparison."""
    import polars as pl

    over = rows.filter(pl.col("over_budget"))["strategy"].unique(maintain_order=True).to_list()
    if not over:
        return "Italic: reference rows, not strategies to choose."
    return f"Italic: reference rows, not strategies to choose. Over the budget: {say.listing(over)}."
