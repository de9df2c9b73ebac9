"""Rows of the table of timings, and the table as text and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from evals.speed.clock import Pair

COLUMNS: Final = ("", "ours", "limit", "ratio", "target", "")
UNITS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


@dataclass(frozen=True)
class Target:
    """What the project promises of the ratio, or of the value where there is no limit."""

    bound: float
    sense: Literal["<=", ">="] = "<="
    unit: str = ""

    def met(self, value: float) -> bool:
        return value <= self.bound if self.sense == "<=" else value >= self.bound

    def __str__(self) -> str:
        return f"{'≤' if self.sense == '<=' else '≥'} {self.bound:,g}{self.unit}"


@dataclass(frozen=True)
class Row:
    """One measurement. ``seconds`` and ``limit`` are times, except where ``rate`` says that ``ours`` is one a second.

    ``note`` says what the limit is, or why there is no value.
    """

    what: str
    seconds: float | None = None
    limit: float | None = None
    ratio: float | None = None
    target: Target | None = None
    note: str = ""
    rate: float | None = None

    @property
    def passed(self) -> bool | None:
        """``None`` where nothing is promised or nothing was measured."""
        value = self.ratio if self.ratio is not None else self.rate if self.rate is not None else self.seconds
        return None if self.target is None or value is None else self.target.met(value)

    def cells(self) -> tuple[str, ...]:
        ours = f"{self.rate:,.0f}/s" if self.rate is not None else duration(self.seconds)
        verdict = {True: " pass", False: " FAIL", None: ""}[self.passed]
        ratio = "" if self.ratio is None else f"{self.ratio:.3g}"
        target = "" if self.target is None else f"{self.target}{verdict}"
        return self.what, ours, duration(self.limit), ratio, target, self.note


def compared(what: str, pair: Pair, against: str, target: Target | None = None) -> Row:
    """Ours beside a named limit."""
    return Row(what, pair.ours, pair.limit, pair.ratio, target, f"limit: {against}")


def skipped(what: str, reason: str) -> Row:
    """A row that says why it was not measured."""
    return Row(what, note=f"not measured: {reason}")


def duration(seconds: float | None) -> str:
    """Three digits with the unit that suits."""
    if seconds is None:
        return ""
    scale, unit = next((u for u in UNITS if seconds >= u[0]), UNITS[-1])
    return f"{float(f'{seconds / scale:.3g}'):,g} {unit}"


def as_markdown(rows: Sequence[Row]) -> str:
    head = f"| what | {' | '.join(COLUMNS[1:5])} | notes |\n|---|---:|---:|---:|---|---|"
    return "\n".join([head, *(f"| {' | '.join(row.cells())} |" for row in rows)])


def as_text(rows: Sequence[Row]) -> str:
    """Columns aligned for a terminal."""
    table = [("what", *COLUMNS[1:5], "notes"), *(row.cells() for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    lines = []
    for row in table:
        sides = [
            row[0].ljust(widths[0]),
            *(row[i].rjust(widths[i]) for i in (1, 2, 3)),
            row[4].ljust(widths[4]),
            row[5],
        ]
        lines.append("  ".join(sides).rstrip())
    return "\n".join(lines)
