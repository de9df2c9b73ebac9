"""Numbers as text, the same everywhere: shares, differences, p values, tokens, dollars, milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import Final

NONE: Final = "–"
"""Stands where a number is not defined."""
MINUS: Final = "−"

Number = float | int | None


def defined(value: Number) -> bool:
    return value is not None and isfinite(value)


def share(value: Number, digits: int = 2) -> str:
    """A share from 0 to 1, or any other mean that is shown with as many digits."""
    if value is None or not isfinite(value):
        return NONE
    return f"{value:.{digits}f}".replace("-", MINUS)


def signed(value: Number, digits: int = 3) -> str:
    """A difference with its sign; a zero has none."""
    if value is None or not isfinite(value):
        return NONE
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", MINUS)


def interval(lo: Number, hi: Number, digits: int = 2, sign: bool = False) -> str:
    """``0.71–0.92``, with signs ``−0.01 to +0.05``; empty where there is none or all recordings agree."""
    if lo is None or hi is None or not (isfinite(lo) and isfinite(hi)) or lo == hi:
        return ""
    if sign:
        return f"{signed(lo, digits)} to {signed(hi, digits)}"
    return f"{share(lo, digits)}–{share(hi, digits)}"


def p_value(value: Number) -> str:
    if value is None or not isfinite(value):
        return NONE
    return "<0.001" if value < 0.001 else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def p_equals(value: Number) -> str:
    """``p = 0.03``, or ``p < 0.001``."""
    text = p_value(value)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def tokens(value: Number) -> str:
    return f"{value:,.0f}" if value is not None and isfinite(value) else NONE


def dollars(value: Number) -> str:
    """US dollars with at least two digits that count: ``$12.50``, ``$0.00031``; ``$0`` is nothing at all."""
    if value is None or not isfinite(value):
        return NONE
    if not value:
        return "$0"
    return f"${value:,.{max(2, 1 - floor(log10(abs(value))))}f}"


def short_tokens(value: float) -> str:
    """``850``, ``1.2k``, ``12k``."""
    if abs(value) < 1000:
        return f"{value:.0f}"
    return f"{value / 1000:.1f}".removesuffix(".0") + "k" if abs(value) < 9950 else f"{value / 1000:.0f}k"


def milliseconds(value: Number) -> str:
    if value is None or not isfinite(value):
        return NONE
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def count(n: int, one: str, many: str = "") -> str:
    """``1 recording``, ``6 recordings``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listing(items: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def budget_range(budgets: Sequence[int]) -> str:
    """Neighbouring budgets as ``256–4,096 tokens``."""
    low, high = min(budgets), max(budgets)
    return f"{low:,} tokens" if low == high else f"{low:,}–{high:,} tokens"


def shorten(text: str, length: int) -> str:
    """One line of at most ``length`` characters, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
