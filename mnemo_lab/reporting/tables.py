"""Tables as data, and how they look in HTML, Markdown and plain text; every text is escaped here."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mnemo_lab.replay.run import Run

STYLE: Final = """<style>
.mnemo-table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4em 0}
.mnemo-table caption{text-align:left;font-weight:600;padding:.2em 0;caption-side:top}
.mnemo-table th,.mnemo-table td{padding:.25em .7em;text-align:right;border-bottom:1px solid #ddd;vertical-align:top}
.mnemo-table th.text,.mnemo-table td.text{text-align:left}
.mnemo-table thead th{border-bottom:2px solid #555}
.mnemo-table .sub{display:block;font-size:.8em;color:#555;white-space:nowrap}
.mnemo-table tr.reference{color:#666;font-style:italic}
</style>"""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, a second line in small print, and whether it is the best of its column."""

    text: str
    sub: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Cells from left to right; ``reference`` marks rows that do not compete."""

    cells: tuple[Cell, ...]
    reference: bool = False

    @classmethod
    def of(cls, *cells: str | Cell, reference: bool = False) -> Row:
        return cls(tuple(c if isinstance(c, Cell) else Cell(c) for c in cells), reference)


@dataclass(frozen=True, slots=True)
class Table:
    """``texts`` is the number of leading columns that hold words; the others are numbers and stand right."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    note: str = ""
    texts: int = 1


def to_html(table: Table, captioned: bool = True) -> str:
    """A ``<table>`` without style of its own: see ``STYLE``."""
    head = "".join(f'<th{_kind(i, table)} scope="col">{escape(c)}</th>' for i, c in enumerate(table.columns))
    body = "".join(_html_row(row, table) for row in table.rows)
    caption = f"<caption>{escape(table.caption)}</caption>" if captioned and table.caption else ""
    return f'<table class="mnemo-table">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _html_row(row: Row, table: Table) -> str:
    cells = "".join(_html_cell(i, cell, table) for i, cell in enumerate(row.cells))
    kind = ' class="reference"' if row.reference else ""
    return f"<tr{kind}>{cells}</tr>"


def _html_cell(place: int, cell: Cell, table: Table) -> str:
    text = f"<b>{escape(cell.text)}</b>" if cell.best else escape(cell.text)
    sub = f'<span class="sub">{escape(cell.sub)}</span>' if cell.sub else ""
    tag = 'th scope="row"' if place == 0 and table.texts else "td"
    return f"<{tag}{_kind(place, table)}>{text}{sub}</{tag[:2]}>"


def _kind(place: int, table: Table) -> str:
    return ' class="text"' if place < table.texts else ""


def to_markdown(table: Table) -> str:
    """A pipe table; caption and note as paragraphs around it."""
    rule = "|".join("---" if i < table.texts else "---:" for i in range(len(table.columns)))
    lines = [_pipes(table.columns), f"|{rule}|", *(_pipes(_flat(c, "**") for c in row.cells) for row in table.rows)]
    parts = [f"**{md(table.caption)}**" if table.caption else "", "\n".join(lines), md(table.note)]
    return "\n\n".join(filter(None, parts))


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(md(c, keep='*') for c in cells)} |"


def _flat(cell: Cell, strong: str = "") -> str:
    text = f"{strong}{cell.text}{strong}" if cell.best else cell.text
    return f"{text} ({cell.sub})" if cell.sub else text


def md(text: str, keep: str = "") -> str:
    """Text that Markdown shows as it is, on one line."""
    line = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\`*_<>[]|#$~" and c not in keep else c for c in line)


def to_text(table: Table) -> str:
    """Columns lined up with spaces; Chinese counts two places."""
    grid = [list(table.columns), *([_flat(c) for c in row.cells] for row in table.rows)]
    widths = [max(width(line[i]) for line in grid) for i in range(len(table.columns))]
    lines = ["  ".join(_padded(c, widths[i], i < table.texts) for i, c in enumerate(line)).rstrip() for line in grid]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(filter(None, [table.caption, *lines, table.note]))


def width(text: str) -> int:
    """Places a text takes in a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _padded(text: str, places: int, left: bool) -> str:
    space = " " * (places - width(text))
    return text + space if left else space + text


def boxed(tables: Sequence[Table], before: str = "") -> str:
    """Tables for a notebook: style, scrolling box, notes."""
    parts = [f"{to_html(t)}{f'<p>{escape(t.note)}</p>' if t.note else ''}" for t in tables]
    return f'{STYLE}{before}<div style="overflow-x:auto">{"".join(parts)}</div>'


def leaderboard_html(run: Run) -> str:
    """A run in a notebook: the answer, then strategies by budgets."""
    from mnemo_lab.reporting.main_table import answer_table, recall_table
    from mnemo_lab.reporting.verdict import verdict

    found = verdict(run)
    head = f"<p><b>{escape(found.headline)}</b> {escape(found.detail)}</p>"
    return boxed([recall_table(run), answer_table(run)], head)
