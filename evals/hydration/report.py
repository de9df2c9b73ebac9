"""``reports/hydration.md``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from evals.hydration.found import ANSWERS, FIRST, OURS, PLAIN, SEARCHED, WITHOUT, Found, is_even, sure, under
from evals.hydration.prose import CURVE, EVEN, GROUPS, HEAD, LIMITS, PARTS
from evals.hydration.words import in_words
from mnemo_lab.reporting import wording as say
from mnemo_lab.reporting.tables import Cell, Row, Table, to_markdown
from mnemo_lab.statistics import Pair

SPLITS: Final = {"test": "test", "dev": "development"}
COMPARED: Final = {
    "checkpoint − hybrid": (FIRST, PLAIN),
    "hydrate − hydrate without checkpoints": (OURS, WITHOUT),
    "hydrate − hybrid": (OURS, PLAIN),
}


def render(found: Found, split: str = "test") -> str:
    """The whole report."""
    names = say.listing([f"{_count(found, name)} of {name}" for name in found.data])
    few = [name for name in found.data if _count(found, name) < 6]
    intervals = f"{say.listing(few)} has fewer than six test recordings: alone it has no interval." if few else ""
    parts = [
        HEAD.format(recordings=found.recordings, split=SPLITS[split], data=names),
        "## In words\n",
        *(f"- {line}" for line in in_words(found)),
        "",
        PARTS.format(difference=f"Differences are to `{OURS}`, over all {found.recordings} recordings."),
        to_markdown(_parts(found)),
        "",
        CURVE,
        *(f"{to_markdown(_curve(found, data))}\n" for data in found.data),
        EVEN,
        to_markdown(_even(found)),
        "",
        GROUPS,
        to_markdown(_groups(found)),
        "",
        LIMITS.format(intervals=intervals or "Every data set here has an interval of its own."),
    ]
    return "\n".join(parts)


def _count(found: Found, data: str) -> int:
    return int(found.rows.filter(data=data)["recording"].n_unique())


def ablated(found: Found) -> list[str]:
    """What is compared with ``hydrate``: everything that is not a point of the curve."""
    curve = {under(s, t) for s in (FIRST, OURS) for t in found.triggers if t}
    return [label for label in found.strategies if label not in curve]


def _parts(found: Found) -> Table:
    labels = ablated(found)
    pairs = {b: {label: found.pair(label, OURS, b) for label in labels if label != OURS} for b in found.budgets}
    holm = {budget: sure(pairs[budget]) for budget in found.budgets}
    columns = ["strategy", *(f"{data} {b:,}" for data in found.data for b in found.budgets)]
    columns += [f"difference {b:,}" for b in found.budgets] + [f"p {b:,}" for b in found.budgets]
    columns += [f"answers {b:,}" for b in found.budgets] + ["searched"]
    rows = []
    for label in labels:
        means = [say.share(found.mean(label, b, data), 3) for data in found.data for b in found.budgets]
        cells = [difference(pairs[b].get(label)) for b in found.budgets]
        tests = [say.p_value(holm[b].get(label)) for b in found.budgets]
        answers = [say.share(found.mean(label, b, metric=ANSWERS), 3) for b in found.budgets]
        work = f"{found.mean(label, found.budgets[0], metric=SEARCHED):.2f}"
        rows.append(Row.of(label, *means, *cells, *tests, *answers, work, reference=label == OURS))
    return Table(tuple(columns), tuple(rows))


def difference(pair: Pair | None) -> Cell:
    """A difference with its interval, where there is one."""
    return Cell(say.signed(pair.difference), say.interval(pair.lo, pair.hi, 3, sign=True)) if pair else Cell(say.NONE)


def _curve(found: Found, data: str) -> Table:
    columns = ["trigger", "checkpoints per 100 messages", "embedded", "ms", "a model reads"]
    columns += [f"{strategy} {b:,}" for strategy in (FIRST, OURS) for b in found.budgets]
    rows = []
    for trigger in sorted(found.triggers, key=lambda t: (not is_even(t), -found.cost(t, data)["checkpoints"])):
        cost = found.cost(trigger, data)
        means = [found.mean(under(s, trigger), b, data) for s in (FIRST, OURS) for b in found.budgets]
        numbers = [f"{cost['checkpoints']:.1f}", f"{cost['written'] / 1000:.1f}k", f"{cost['ms']:.2f}"]
        reads = f"{cost['asked'] / 1000:.1f}k"
        rows.append(Row.of(_named(found, trigger), *numbers, reads, *(say.share(mean, 3) for mean in means)))
    without = [found.mean(PLAIN, b, data) for b in found.budgets] + [
        found.mean(WITHOUT, b, data) for b in found.budgets
    ]
    plain = f"{found.cost(found.triggers[0], data)['passages'] / 1000:.1f}k"
    rows.append(Row.of("none (hybrid; hydrate without)", "0", plain, "0", "0", *(say.share(m, 3) for m in without)))
    return Table(tuple(columns), tuple(rows), f"{data}: evidence by trigger and budget")


def _named(found: Found, trigger: str) -> str:
    return trigger or f"default: {found.trigger_text(trigger)}"


def _even(found: Found) -> Table:
    columns = ["trigger", *(f"{strategy} {b:,}" for strategy in (FIRST, OURS) for b in found.budgets)]
    rows = []
    for trigger in found.triggers:
        pairs = [found.beside_even(trigger, s, b) for s in (FIRST, OURS) for b in found.budgets]
        if any(pairs):
            rows.append(Row.of(_named(found, trigger), *map(difference, pairs)))
    return Table(tuple(columns), tuple(rows))


def groups(found: Found) -> Iterator[tuple[str, pl.Expr]]:
    """Kinds of questions: by data set and language, and by how many messages are evidence."""
    for data, language in found.rows.select("data", "language").unique(maintain_order=True).iter_rows():
        yield f"{data}, {language}", (pl.col("data") == data) & (pl.col("language") == language)
    yield "one message", pl.col("gold") == 1
    yield "several messages", pl.col("gold") > 1


def _groups(found: Found) -> Table:
    columns = ["questions", "n", *(f"{name}, {b:,}" for name in COMPARED for b in found.budgets)]
    rows = []
    for name, part in groups(found):
        pairs = [found.pair(*two, b, part=part) for two in COMPARED.values() for b in found.budgets]
        rows.append(
            Row.of(name, Cell(f"{pairs[0].n:,}", say.count(pairs[0].clusters, "recording")), *map(_group, pairs))
        )
    return Table(tuple(columns), tuple(rows), texts=1)


def _group(pair: Pair) -> Cell:
    small = say.interval(pair.lo, pair.hi, 3, sign=True) or f"p {say.p_value(pair.p_permutation)}"
    return Cell(say.signed(pair.difference), small)
