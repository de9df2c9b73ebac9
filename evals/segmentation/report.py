"""``reports/segmentation.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from evals.segmentation.plan import BASELINES, Plan
from evals.segmentation.prose import ABOUT, HEAD, LIMITS, TARGETS
from evals.segmentation.scoring import Scored
from evals.segmentation.talks import Talk
from mnemo_lab.metrics.segmentation import half_segment
from mnemo_lab.recording import Split
from mnemo_lab.statistics.intervals import Interval

CLAIMED: Final = ("tiage", "qmsum")
"""Sets for which targets were set."""
ERRORS: Final = {"pk": "Pk", "window_diff": "WindowDiff"}
CHANCE: Final = 0.05


@dataclass(frozen=True)
class Measured:
    """All rows on one half of a set; baselines by name, triggers by label."""

    plan: Plan
    split: Split
    talks: Sequence[Talk]
    rows: Mapping[str, Scored]

    @property
    def chosen(self) -> Scored:
        return self.rows[self.plan.chosen.label]

    @property
    def at_once(self) -> Scored:
        return self.rows[self.plan.at_once.label]


class Target(NamedTuple):
    """One comparison: ``mine`` less ``theirs`` with its bootstrap interval and the p of a sign-flip permutation."""

    said: str
    mine: float
    other: str
    theirs: float
    low: float
    high: float
    p: float
    better: bool

    @property
    def verdict(self) -> str:
        if not self.better:
            return "**no**"
        return "yes" if self.p <= CHANCE else "yes, within chance"

    @property
    def cell(self) -> str:
        difference = f"{self.mine - self.theirs:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"
        return f"{self.other} {self.theirs:.3f}: {difference}, p {self.p:.3f}: {self.verdict}"


def render(found: Sequence[Measured]) -> str:
    """The whole report."""
    by_set: dict[str, dict[str, Measured]] = {}
    for one in found:
        by_set.setdefault(one.plan.data, {})[one.split] = one
    parts = [HEAD, "## Sets\n", *_sets(found)]
    claims = [halves["test"] for name, halves in by_set.items() if name in CLAIMED and "test" in halves]
    if claims:
        parts += ["\n## Targets, test halves\n", TARGETS, *_targets(claims)]
    for name, halves in by_set.items():
        parts += [f"\n## {name}\n", ABOUT[name], *_table(halves)]
    return "\n".join([*parts, LIMITS])


def _sets(found: Sequence[Measured]) -> Iterator[str]:
    yield "| set, half | conversations | messages | boundaries | per 100 messages | messages in a segment | window k |"
    yield "|---|---|---|---|---|---|---|"
    for one in found:
        messages, wanted = sum(t.length for t in one.talks), sum(len(t.wanted) for t in one.talks)
        windows = sorted(half_segment(t.wanted, t.length) for t in one.talks)
        mean = messages / (wanted + len(one.talks))
        yield (
            f"| {one.plan.data}, {one.split} | {len(one.talks)} | {messages:,} | {wanted} "
            f"| {100 * wanted / messages:.1f} | {mean:.1f} | {windows[0]} to {windows[-1]} |"
        )


def _targets(claims: Sequence[Measured]) -> Iterator[str]:
    kinds = {"chosen": "chosen", "at_once": "without delay"}
    for one in claims:
        yield from (f"- {one.plan.data}, {name}: `{getattr(one, kind).label}`" for kind, name in kinds.items())
    missed, reached, sure = [], 0, 0
    yield "\n| set, row | measure | value | beside *none* | beside *even* | beside *random* | beside TextTiling |"
    yield "|---|---|---|---|---|---|---|"
    for one in claims:
        for kind, name in kinds.items():
            for measure, said in {**ERRORS, "f1": "F1", "f1_near": f"F1 ±{one.plan.tolerance}"}.items():
                targets = targets_of(one, getattr(one, kind), measure, f"{one.plan.data}, {name}: {said}")
                if kind == "chosen":
                    missed += [target for target in targets if not target.better]
                    reached += len(targets)
                    sure += sum(target.verdict == "yes" for target in targets)
                cells = [target.cell for target in targets]
                cells = [*cells, ""] if measure in ERRORS else ["", "", "", *cells]
                yield f"| {one.plan.data}, {name} | {said} | {targets[0].mine:.3f} | {' | '.join(cells)} |"
    yield f"\nOf the chosen rows' {reached} comparisons {reached - len(missed)} are better, {sure} beyond chance."
    yield from (f"**Missed**: {one.said} {one.mine:.3f}, {one.other} {one.theirs:.3f}." for one in missed)


def targets_of(one: Measured, row: Scored, measure: str, said: str) -> list[Target]:
    """The comparisons a row is held to: errors beside what needs no looking, F1 beside lexical TextTiling."""
    lower = measure in ERRORS
    others = ("none", "even", "random") if lower else ("texttiling",)
    return [_target(row, one.rows[other], other, measure, said, lower) for other in others]


def _target(row: Scored, other: Scored, name: str, measure: str, said: str, lower: bool) -> Target:
    mine, theirs = row.interval(measure).point, other.interval(measure).point
    pair, ends = row.against(other, measure), row.bootstrap(other, measure)
    better = pair.difference < 0 if lower else pair.difference > 0
    return Target(said, mine, name, theirs, *ends, pair.p_permutation, better)


def _table(halves: Mapping[str, Measured]) -> Iterator[str]:
    test, dev = halves.get("test"), halves.get("dev")
    main = test or dev
    assert main is not None
    near = main.plan.tolerance
    beside = dev if test else None
    yield (
        f"| {main.split} half | Pk ↓ | WindowDiff ↓ | F1 ↑ | F1 ±{near} ↑ | precision, recall ±{near} "
        f"| found per 100 messages | messages late | as known: Pk, WindowDiff, F1 ±{near} |"
        f"{' dev half: Pk, WindowDiff, F1 |' if beside else ''}"
    )
    yield "|---|" + "---|" * (9 if beside else 8)
    for name, row in main.rows.items():
        cells = [*_cells(name, row, row is main.chosen)]
        if beside:
            cells.append(_short(beside.rows[name], "f1"))
        yield f"| {' | '.join(cells)} |".replace("nan", "–")


def _cells(name: str, row: Scored, chosen: bool) -> Iterator[str]:
    found = name not in BASELINES
    label = f"`{row.label}`" if found else row.label
    yield f"**{label}**" if chosen else label
    yield from (_cell(row.interval(measure)) for measure in ("pk", "window_diff", "f1", "f1_near"))
    pooled = row.pooled(near=True)
    yield f"{pooled.precision:.2f}, {pooled.recall:.2f}"
    yield f"{row.density:.1f}"
    yield f"{row.late:.1f}" if found else "–"
    yield _short(row.charged, "f1_near") if found and row.late > 0 else "–"


def _cell(found: Interval) -> str:
    return f"{found.point:.3f}" + (f" [{found.lo:.2f}, {found.hi:.2f}]" if found.lo == found.lo else "")


def _short(row: Scored, f1: str) -> str:
    return ", ".join(f"{row.interval(measure).point:.3f}" for measure in ("pk", "window_diff", f1))
