"""The comparison as Markdown, with its verdict worked out from the figures."""

from __future__ import annotations

from typing import Final

import polars as pl

from evals.stretched.measure import BUDGETS
from mnemo_lab.statistics import Pair, compare_pairs

POINTS: Final = 5.0
HALF: Final = 0.5
LEVEL: Final = 1.0
"""Points within which evidence counts as the same."""


def render(rows: pl.DataFrame, messages: int) -> str:
    names = rows["strategy"].unique(maintain_order=True).to_list()
    first, recordings, seeds = names[0], rows["recording"].n_unique(), rows["seed"].n_unique()
    probes = rows.select("recording", "probe").unique().height
    lines = [
        f"# Checkpoints against plain retrieval in {messages:,} messages",
        "",
        f"Written by `python -m evals.stretched`. LoCoMo, {recordings} recordings, {probes} answerable questions with",
        f"evidence, each recording stretched to {messages:,} messages by turns of others in {seeds} ways (seeds); a",
        "question's seeds are averaged before anything is compared. Evidence: recall of the gold messages, whole.",
        "Compared: vectors that a question is compared with, checkpoints included. Written: tokens embedded for the",
        f"index, against `{first}`. Differences in points, in brackets the 95 % interval over recordings, which five",
        "recordings do not give: then the range of the recordings' own differences.",
        "",
        "| strategy | written | compared | share | "
        + " | ".join(f"evidence {b:,} | less `{first}`" for b in BUDGETS)
        + " |",
        "|---|---:|---:|---:|" + "---:|---:|" * len(BUDGETS),
    ]
    base = _means(rows, first)
    lines += [_line(rows, name, first, base) for name in names]
    return "\n".join([*lines, "", *_verdict(rows, names), ""])


def _line(rows: pl.DataFrame, name: str, first: str, base: dict[str, float]) -> str:
    own = _means(rows, name)
    cells = [
        f"`{name}`",
        f"{own['written'] / base['written']:.2f}",
        f"{own['compared']:,.0f}",
        f"{own['compared'] / base['compared']:.2f}",
    ]
    for budget in BUDGETS:
        evidence = 100 * own[f"evidence {budget}"]
        cells += [f"{evidence:.1f}", "" if name == first else _difference(rows, name, first, budget)]
    return f"| {' | '.join(cells)} |"


def _means(rows: pl.DataFrame, name: str) -> dict[str, float]:
    own = rows.filter(pl.col("strategy") == name)
    found = {column: float(own[column].mean()) for column in ("written", "compared")}  # type: ignore[arg-type]
    for budget in BUDGETS:
        found[f"evidence {budget}"] = float(own.filter(pl.col("budget") == budget)["evidence"].mean())  # type: ignore[arg-type]
    return found


def pair(rows: pl.DataFrame, one: str, other: str, budget: int) -> Pair:
    """By question, seeds averaged; recordings are the clusters."""
    left, right = (
        rows.filter((pl.col("strategy") == name) & (pl.col("budget") == budget))
        .group_by("recording", "probe")
        .agg(pl.col("evidence").mean())
        .sort("recording", "probe")
        for name in (one, other)
    )
    return compare_pairs(left["evidence"].to_numpy(), right["evidence"].to_numpy(), left["recording"].to_list())


def _difference(rows: pl.DataFrame, one: str, other: str, budget: int) -> str:
    found = pair(rows, one, other, budget)
    lo, hi = 100 * found.lo, 100 * found.hi
    if lo != lo:  # too few recordings for an interval
        by = _by_recording(rows, one, other, budget)
        lo, hi = min(by), max(by)
    return f"{100 * found.difference:+.1f} [{lo:+.1f}, {hi:+.1f}]"


def _by_recording(rows: pl.DataFrame, one: str, other: str, budget: int) -> list[float]:
    means = [
        rows.filter((pl.col("strategy") == name) & (pl.col("budget") == budget))
        .group_by("recording")
        .agg(pl.col("evidence").mean())
        .sort("recording")["evidence"]
        for name in (one, other)
    ]
    return [100 * (a - b) for a, b in zip(*means, strict=True)]


def _verdict(rows: pl.DataFrame, names: list[str]) -> list[str]:
    """Whether checkpoints bring the same evidence at half the search work, or 5 points more at the smallest budget."""
    first, plain = names[0], names[1] if len(names) > 1 else names[0]
    lines = ["## Verdict", ""]
    base = _means(rows, first)
    cheaper, better = [], []
    for name in names[2:]:
        own = _means(rows, name)
        gains = [100 * pair(rows, name, first, budget).difference for budget in BUDGETS]
        equal_cost = own["written"] <= 1.01 * base["written"]
        if own["compared"] <= HALF * base["compared"] and min(gains) >= -LEVEL and equal_cost:
            cheaper.append(f"`{name}` ({own['compared'] / base['compared']:.0%} of the vectors compared)")
        if gains[0] >= POINTS and equal_cost:
            better.append(f"`{name}` ({gains[0]:+.1f})")
    lines.append(
        f"- The same evidence (no budget more than {LEVEL:g} point below `{first}`) at half the search work and equal "
        f"write cost: {', '.join(cheaper) or 'none'}."
    )
    lines.append(f"- {POINTS:g} points more at {BUDGETS[0]} tokens at equal write cost: {', '.join(better) or 'none'}.")
    if plain != first and "hydrate" in names:
        own = 100 * pair(rows, "hydrate", plain, BUDGETS[0]).difference
        lines.append(
            f"- What checkpoints themselves add to a score: `hydrate` less `{plain}`, which has every other signal, "
            f"{own:+.1f} points at {BUDGETS[0]} tokens. The rest of the distance to `{first}` is owed to other signals "
            "and to headings of days in place of a date in every line."
        )
    lines.append(
        "- A checkpoint's vector is the mean of its messages' and costs no embedding; its description is made without "
        "a model. What is saved is comparing vectors: words are looked up for all messages in any case."
    )
    return lines
