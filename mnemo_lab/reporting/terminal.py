"""A run's answer in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mnemo_lab.replay.run import Run
from mnemo_lab.reporting.main_table import recall_table, split_table
from mnemo_lab.reporting.selection import scope_sentence
from mnemo_lab.reporting.tables import Cell, Row, Table
from mnemo_lab.reporting.verdict import verdict

ROOM: Final = 18
"""Places per column from which intervals are shown beside the numbers."""


def print_summary(run: Run, console: Console, report: Path | None = None) -> None:
    """The main table, the answer, and where the report lies. No text of the data is read as markup."""
    table = recall_table(run)
    console.print(_grid(table, console.width >= ROOM * len(table.columns)))
    console.print(Text(scope_sentence(run), style="dim"))
    by_split = split_table(run)
    if by_split is not None:
        console.print(_grid(by_split, with_intervals=False))
    found = verdict(run)
    console.print(Text.assemble("\n", (found.headline, "bold"), " ", found.detail))
    if report is not None:
        console.print(Text.assemble("\nreport: ", (str(report), "cyan")), soft_wrap=True)


def _grid(table: Table, with_intervals: bool) -> Grid:
    grid = Grid(title=Text(table.caption), title_justify="left", header_style="bold", expand=False)
    for place, name in enumerate(table.columns):
        left = place < table.texts
        grid.add_column(Text(name), justify="left" if left else "right", no_wrap=not left, overflow="fold")
    for row in table.rows:
        grid.add_row(*(_cell(cell, row, with_intervals) for cell in row.cells))
    return grid


def _cell(cell: Cell, row: Row, with_intervals: bool) -> Text:
    style = "dim italic" if row.reference else "bold green" if cell.best else ""
    text = Text(cell.text, style=style)
    return text.append(f" {cell.sub}", style="dim") if with_intervals and cell.sub else text
