"""How the chosen rows of evals/segmentation.toml were chosen: a grid on development halves.

    python -m evals.segmentation.tune                  # writes reports/segmentation_tuning.md

Objective: Pk + WindowDiff - F1 within the set's tolerance, means over recordings; lower is better. The defaults of
topic_shift have the best sum over several sets. Lexical TextTiling gets the units with the best F1 within tolerance.
On QMSum (few boundaries) the setting with the fewest cuts within one standard error is taken: ``selection``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Final

import numpy as np

from evals.segmentation import baselines
from evals.segmentation.plan import Plan, Plans, Row, Tiling, read_plans
from evals.segmentation.scoring import Scored, score, score_row
from evals.segmentation.selection import cuts_of, fewest_cuts, gains_of, leave_one_out
from evals.segmentation.talks import Cut, Talk, talks_of
from mnemo_lab.errors import InvalidInput
from mnemo_lab.hydration.triggers.combine import parse_trigger
from mnemo_lab.hydration.triggers.topic_shift import TopicShift

REPORT: Final = Path("reports/segmentation_tuning.md")
SHOWN: Final = 8
TILINGS: Final = [Tiling(words=words, block=block) for words, block in product((0, 10, 20, 40), (1, 2, 3, 5, 10, 20))]
HEAD: Final = """# How triggers' settings were chosen

Written by `python -m evals.segmentation.tune`, on development halves alone. Objective: Pk + WindowDiff - F1 ±
tolerance, means over recordings; lower is better. Rows in bold are those of `evals/segmentation.toml`. Where one is
not the first, it was taken for its neighbours: the first of many settings tried on few recordings is partly luck.
Wider grids came before these; these are what lies around the best of them. On QMSum that went wrong (it was done with
some thousand settings of six weights), and another rule stands there now.
"""
HELD: Final = """By conversation, gain is Pk + WindowDiff less that of *none*; lower is better. Taken (bold) is the
setting with the fewest cuts among those whose mean gain lies within one standard error of the best. *Held out*: the
same procedure on all conversations but one, measured on that one, for each. What kind of trigger to try, and the grid,
were found by looking at all of them (some 1,800 settings of a dozen rules about who speaks how long, phrases and
vectors): that is not held out.
"""
COLUMNS: Final = "| | trigger | Pk | WindowDiff | gain, standard error | better, worse than none | cuts |"


def objective(row: Scored) -> float:
    """Lower is better."""
    pk, difference, f1 = (row.interval(measure).point for measure in ("pk", "window_diff", "f1_near"))
    return pk + difference - f1


def tune(plan: Plan, cache: str | None) -> Iterator[str]:
    """One set's grid as Markdown; raises ``InvalidInput`` where the set is not here."""
    talks = talks_of(plan, "dev", cache)
    rows = {row.label: score_row(row, plan, talks) for grid in plan.grid for row in grid.rows()}
    best = _best_tiling(plan, talks)
    yield f"\n## {plan.data}: {len(talks)} conversations, {len(rows)} settings\n"
    if rows:
        by_cuts = plan.select == "fewest cuts"
        yield from _by_cuts(plan, talks, list(rows.values())) if by_cuts else _by_objective(plan, list(rows.values()))
        yield ""
    yield f"Lexical TextTiling: best with words = {best.words}, block = {best.block}."


def _by_objective(plan: Plan, rows: Sequence[Scored]) -> Iterator[str]:
    ordered = sorted(rows, key=objective)
    yield f"| | trigger | Pk | WindowDiff | F1 | F1 ±{plan.tolerance} | objective |\n|---|---|---|---|---|---|---|"
    taken = {plan.chosen.label, plan.at_once.label}
    shown = ordered[:SHOWN] + [row for row in ordered[SHOWN:] if row.label in taken]
    yield from (_line(ordered.index(row) + 1, row, row.label in taken) for row in shown)


def _by_cuts(plan: Plan, talks: Sequence[Talk], rows: Sequence[Scored]) -> Iterator[str]:
    none = score("none", talks, plan.tolerance, lambda _: [])
    gains, cuts = gains_of(rows, none), cuts_of(rows).sum(axis=1)
    means, errors = gains.mean(axis=1), gains.std(axis=1, ddof=1) / len(talks) ** 0.5
    taken = rows[fewest_cuts(gains, cuts_of(rows))]
    ordered = sorted(range(len(rows)), key=lambda row: float(means[row]))
    yield HELD
    yield f"{COLUMNS}\n|---|---|---|---|---|---|---|"
    shown = ordered[:SHOWN] + [row for row in ordered[SHOWN:] if rows[row] is taken]
    for row in shown:
        label = f"**`{rows[row].label}`**" if rows[row] is taken else f"`{rows[row].label}`"
        pk, difference = (rows[row].interval(measure).point for measure in ("pk", "window_diff"))
        sides = f"{(gains[row] < 0).sum()}, {(gains[row] > 0).sum()}"
        yield (
            f"| {ordered.index(row) + 1} | {label} | {pk:.3f} | {difference:.3f} "
            f"| {means[row]:+.3f} ± {errors[row]:.3f} | {sides} | {cuts[row]} |"
        )
    base = none.interval("pk").point
    better = float((means < 0).mean())
    yield f"| | none | {base:.3f} | {base:.3f} | 0 | | 0 |"
    yield f"\nOf all settings {100 * better:.0f} % are better than *none*; the median gain is {np.median(means):+.3f}."
    yield from _held_out(rows, none)


def _held_out(rows: Sequence[Scored], none: Scored) -> Iterator[str]:
    held = leave_one_out(rows, none)
    gains = np.add(held.pk, held.window_diff) - 2 * np.array(none.values("pk"))
    error = gains.std(ddof=1) / len(gains) ** 0.5
    times = ", ".join(f"`{rows[row].label}` ({n})" for row, n in Counter(held.chosen).most_common())
    yield (
        f"Held out: Pk {fmean(held.pk):.3f}, WindowDiff {fmean(held.window_diff):.3f} beside "
        f"{fmean(none.values('pk')):.3f} of *none*; gain {gains.mean():+.3f} ± {error:.3f}; better in "
        f"{(gains < 0).sum()}, worse in {(gains > 0).sum()} of {len(gains)}. Chosen (how often): {times}.\n"
    )


def tune_defaults(plans: Plans, cache: str | None) -> Iterator[str]:
    """The joint grid as Markdown; raises ``InvalidInput`` where a set is not here."""
    used = [plan for plan in plans.sets if plan.data in plans.joint.on]
    talks = {plan.data: talks_of(plan, "dev", cache) for plan in used}

    def objectives(row: Row) -> list[float]:
        around = {plan.data: plans.joint.on[plan.data].format(row.trigger) for plan in used}
        rows = (Row(trigger=around[plan.data], delay=row.delay) for plan in used)
        return [objective(score_row(one, plan, talks[plan.data])) for one, plan in zip(rows, used, strict=True)]

    found = sorted(((objectives(row), row) for row in plans.joint.rows()), key=lambda one: sum(one[0]))
    yield f"\n## The defaults of topic_shift: {len(found)} settings\n"
    yield f"| | trigger | {' | '.join(f'{p.data}: `{plans.joint.on[p.data]}`' for p in used)} | sum |"
    yield "|---|---|" + "---|" * (len(used) + 1)
    for rank, (values, row) in enumerate(found, 1):
        default = parse_trigger(row.trigger) == TopicShift()
        if rank <= SHOWN or default:
            label = f"**`{row.label}`**" if default else f"`{row.label}`"
            yield f"| {rank} | {label} | {' | '.join(f'{value:.3f}' for value in [*values, sum(values)])} |"


def _best_tiling(plan: Plan, talks: Sequence[Talk]) -> Tiling:
    def f1(tiling: Tiling) -> float:
        found = score(
            "", talks, plan.tolerance, lambda talk: [Cut(at, at) for at in baselines.texttiling(talk, tiling)]
        )
        return found.interval("f1_near").point

    return max(TILINGS, key=f1)


def _line(rank: int, row: Scored, chosen: bool) -> str:
    cells = [f"{row.interval(measure).point:.3f}" for measure in ("pk", "window_diff", "f1", "f1_near")]
    label = f"**`{row.label}`**" if chosen else f"`{row.label}`"
    return f"| {rank} | {label} | {' | '.join(cells)} | {objective(row):.3f} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Tune, print, write; the exit status."""
    plans = read_plans()
    names = [plan.data for plan in plans.sets]
    parser = argparse.ArgumentParser(
        prog="python -m evals.segmentation.tune",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sets", nargs="+", default=names, choices=names, help="default: all that are here")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", default=str(REPORT), metavar="FILE", help=f"the report (default: {REPORT}; '': none)")
    options = parser.parse_args(arguments)
    jobs = {plan.data: tune(plan, options.cache_dir) for plan in plans.sets if plan.data in options.sets}
    if set(plans.joint.on) <= set(options.sets):
        jobs = {"defaults": tune_defaults(plans, options.cache_dir), **jobs}
    parts = [HEAD]
    for name, lines in jobs.items():
        try:
            parts += lines
        except InvalidInput as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
    text = "\n".join([*parts, ""])
    print(text)
    if options.out:
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        Path(options.out).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
