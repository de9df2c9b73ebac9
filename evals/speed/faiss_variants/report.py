"""``reports/faiss.md``: the table, and what follows from it in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from evals.speed.faiss_variants.rows import BATCH, SINGLE, K, Row
from evals.speed.table import duration
from mnemo_lab.vectors.index import DEAD_SHARE
from mnemo_lab.vectors.variants import AUTO_FROM, EF_SEARCH, LINKS, PQ_BYTES, PROBES, VARIANTS

GOOD: Final = 0.95
"""Recall below which a variant is not recommended."""
WAIT: Final = 0.005
"""Seconds of one exact search up to which no one needs another variant."""
MUCH: Final = 3.0
"""Times that another variant must be quicker to be worth its trouble."""
SOON: Final = 500
"""Queries within which the longer build must be made up for."""

HEAD: Final = """# FAISS variants: which is worth it from which size

Written by `{command}` in {seconds:.0f} s.
Searched: {material}.
Inner product of unit vectors in {dimension} dimensions, {threads} thread{s}.

{recommendation}

## Measured

- *recall* is recall@{k} against exact search over {queries} questions; *build* includes training; *bytes* are of the
  index file for a vector.
- *one query* is the median of {single}, *batch* of {batch} at once. **×** is how many times quicker than flat it is,
  taken in turns in this run: these ratios hold on another machine, milliseconds do not.
- *pays after* is how many single queries make up for the longer build.

{table}

{legend}

{disk}
"""
LEGEND: Final = """- `flat`: exact. The default of every strategy: it finds the same whatever the order of additions.
- `hnsw`: a graph, {links} links, {beam} candidates. FAISS cannot remove from it: what is removed is marked, filtered
  out of every search, and gone at a share of {dead:.0%} or when a store forgets: then the whole graph is built anew.
- `ivf`: as many lists as the square root of the count, {probes} of them searched. Fitted again after growing fourfold.
- `sq8`: exhaustive over bytes; twice as many as asked for are fetched and scored again exactly.
- `ivfsq8`: both. `ivfpq`: lists, {pq} bytes a vector; ten times as many are fetched and scored again exactly.
- Compressed variants need the vectors for exact scores elsewhere: here in memory, in a `ConversationStore` in SQLite.
- All but `hnsw` remove vectors for real at once.
- Below so many vectors a variant is held flat: {least}."""


def table(rows: Sequence[Row]) -> str:
    head = ["vectors", "variant", f"recall@{K}", "build", "bytes", "one query", "×", "batch", "×", "pays after"]
    lines = [f"| {' | '.join(head)} |", "|---:|---|" + "---:|" * (len(head) - 2)]
    for row in rows:
        flat = flat_of(rows, row.count)
        cells = [
            f"{row.count:,}",
            f"`{row.variant}`",
            f"{row.recall:.3f}",
            duration(row.build),
            f"{row.bytes:,.0f}",
            duration(row.single),
            "" if row is flat else f"{row.single_ratio:.3g}",
            duration(row.batch),
            "" if row is flat else f"{row.batch_ratio:.3g}",
            "" if row is flat else pays(row, flat),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def flat_of(rows: Sequence[Row], count: int) -> Row:
    return next(row for row in rows if row.count == count and row.variant == "flat")


def queries_to_pay(row: Row, flat: Row) -> float:
    """Single queries after which the longer build is made up for; infinite where a query is not quicker.

    Flat's time of one query is this row's times the ratio, so that both were taken under the same load.
    """
    saved = row.single * (row.single_ratio - 1)
    return math.inf if saved <= 0 else max(row.build - flat.build, 0.0) / saved


def pays(row: Row, flat: Row) -> str:
    queries = queries_to_pay(row, flat)
    return "never" if math.isinf(queries) else f"{float(f'{queries:.2g}'):,.0f} queries"


def chosen(flat: Row, others: Sequence[Row]) -> Row:
    """Flat where it is quick enough, else the smallest with good recall that is much quicker and pays soon."""
    if flat.single <= WAIT:
        return flat
    worth = [row for row in others if row.recall >= GOOD and row.single_ratio >= MUCH]
    soon = [row for row in worth if queries_to_pay(row, flat) <= SOON]
    return min(soon, key=lambda row: row.bytes, default=flat)


def recommendation(rows: Sequence[Row]) -> str:
    """By rule, from the table."""
    sizes = list(dict.fromkeys(row.count for row in rows))
    others = {size: [row for row in rows if row.count == size and row.variant != "flat"] for size in sizes}
    choice = {size: chosen(flat_of(rows, size), others[size]).variant for size in sizes}
    last = {choice[size]: size for size in sizes}
    *smaller, largest = last
    parts = [
        *(f"`{name}` up to {last[name]:,} vectors" for name in smaller),
        f"`{largest}` {'above' if smaller else ''}",
    ]
    lines = [
        f"**{', '.join(parts).strip()}.** By this rule: `flat` where a query takes at most {duration(WAIT)}, else of"
    ]
    lines[0] += (
        f" those with recall {GOOD}, {MUCH:g} times its speed and a build that {SOON} queries make up for the "
        "smallest.\n"
    )
    lines += [f"- {size:,}: {advice(flat_of(rows, size), others[size])}" for size in sizes]
    switch = " and ".join(f"`{kind}` {f'from {least:,}' if least else 'below'}" for kind, least in AUTO_FROM[::-1])
    lines.append(f"- `auto` takes {switch}. Where much is forgotten, do not choose `hnsw`.")
    return "\n".join(lines)


def advice(flat: Row, others: Sequence[Row]) -> str:
    """What is quickest and what is smallest at good recall."""
    good = [row for row in others if row.recall >= GOOD]
    text = f"`flat` takes {duration(flat.single)} a query"
    quick = max((row for row in good if row.single_ratio > 1), key=lambda row: row.single_ratio, default=None)
    if quick is None:
        return f"{text}; nothing is quicker at recall {GOOD}."
    small, choice = min(good, key=lambda row: row.bytes), chosen(flat, others)
    for row in dict.fromkeys([quick] if choice is flat else [choice, quick]):
        text += f"; `{row.variant}` is {row.single_ratio:.3g} times quicker (recall {row.recall:.3f}) and pays after "
        text += pays(row, flat)
    share = small.bytes / flat.bytes
    return f"{text}. Smallest: `{small.variant}`, {share:.0%} of flat's size, recall {small.recall:.3f}."


def render(rows: Sequence[Row], facts: Sequence[str], **values: object) -> str:
    """The whole report."""
    legend = LEGEND.format(
        links=LINKS,
        beam=EF_SEARCH,
        probes=PROBES,
        pq=PQ_BYTES,
        dead=DEAD_SHARE,
        least=", ".join(f"`{name}` {variant.least:,}" for name, variant in VARIANTS.items() if variant.least),
    )
    measured = {"recommendation": recommendation(rows), "table": table(rows), "legend": legend}
    text = HEAD.format(k=K, single=SINGLE, batch=BATCH, **measured, **values)
    return text + "\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"
