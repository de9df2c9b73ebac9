"""``reports/segmentation.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evals.segmentation.plan import Plan
from evals.segmentation.prose import ABOUT, HEAD, LIMITS
from evals.segmentation.scoring import Scored
from evals.segmentation.talks import Talk
from mnemo_lab.metrics.segmentation import half_segment
from mnemo_lab.recording import Split
from mnemo_lab.statistics.intervals import Interval

CLAIMED: Final = ("tiage", "qmsum")
"""Sets for which targets were set."""


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


def render(found: Sequence[Measured]) -> str:
    """The whole report."""
    by_set: dict[str, dict[str, Measured]] = {}
    for one in found:
        by_set.setdefault(one.plan.data, {})[one.split] = one
    parts = [HEAD, "## Sets\n", *_sets(found)]
    claims = [halves["test"] for name, halves in by_set.items() if name in CLAIMED and "test" in halves]
    if claims:
        parts += ["\n## Targets, test halves\n", *_targets(claims)]
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
    yield "| set | measure | chosen | beside | difference | p | reached |"
    yield "|---|---|---|---|---|---|---|"
    for one in claims:
        for measure, name in (("pk", "Pk"), ("window_diff", "WindowDiff")):
            for other in ("none", "even", "random"):
                yield _target(one, measure, name, other, lower=True)
        for measure, name in (("f1", "F1"), ("f1_near", f"F1 ±{one.plan.tolerance}")):
            yield _target(one, measure, name, "texttiling", lower=False)
    yield ""
    yield "The row that stands for `topic_shift`:\n"
    yield from (f"- {one.plan.data}: `{one.chosen.label}`" for one in claims)


def _target(one: Measured, measure: str, name: str, other: str, lower: bool) -> str:
    mine, theirs = one.chosen.interval(measure).point, one.rows[other].interval(measure).point
    pair = one.chosen.against(one.rows[other], measure)
    better = pair.difference < 0 if lower else pair.difference > 0
    reached = "yes" if better and pair.p_permutation <= 0.05 else ("yes, within chance" if better else "**no**")
    return (
        f"| {one.plan.data} | {name} | {mine:.3f} | {other} {theirs:.3f} "
        f"| {pair.difference:+.3f} [{pair.lo:+.3f}, {pair.hi:+.3f}] | {pair.p_permutation:.3f} | {reached} |"
    )


def _table(halves: Mapping[str, Measured]) -> Iterator[str]:
    test, dev = halves.get("test"), halves.get("dev")
    main = test or dev
    assert main is not None
    near = main.plan.tolerance
    dev_too = test is not None and dev is not None
    yield (
        f"| {'test' if test else 'dev'} half | Pk ↓ | WindowDiff ↓ | F1 ↑ | F1 ±{near} ↑ "
        f"| precision ±{near} | recall ±{near} | per 100 messages |{' dev: Pk, WindowDiff, F1 |' if dev_too else ''}"
    )
    yield "|---|" + "---|" * (8 if dev_too else 7)
    for name, row in main.rows.items():
        beside = f" {_short(dev.rows[name])} |" if test is not None and dev is not None else ""
        yield f"{_row(row, row is main.chosen)}{beside}"


def _row(row: Scored, chosen: bool) -> str:
    label = f"`{row.label}`" if "(" in row.label and row.label[:4] not in ("even", "rand", "lexi") else row.label
    cells = [_cell(row.interval(measure)) for measure in ("pk", "window_diff", "f1", "f1_near")]
    pooled = row.pooled(near=True)
    cells += [f"{pooled.precision:.2f}", f"{pooled.recall:.2f}", f"{row.density:.1f}"]
    return f"| {f'**{label}**' if chosen else label} | {' | '.join(cells)} |".replace("nan", "–")


def _cell(found: Interval) -> str:
    return f"{found.point:.3f}" + (f" [{found.lo:.2f}, {found.hi:.2f}]" if found.lo == found.lo else "")


def _short(row: Scored) -> str:
    return ", ".join(f"{row.interval(measure).point:.3f}" for measure in ("pk", "window_diff", "f1"))
