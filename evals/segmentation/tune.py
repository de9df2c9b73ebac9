"""How the chosen rows of evals/segmentation.toml were chosen: a grid on development halves.

    python -m evals.segmentation.tune                  # writes reports/segmentation_tuning.md

Objective: Pk + WindowDiff - F1 within the set's tolerance, means over recordings; lower is better. The defaults of
topic_shift have the best sum over several sets. Lexical TextTiling gets the units with the best F1 within tolerance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from evals.segmentation import baselines
from evals.segmentation.plan import Plan, Plans, Row, Tiling, read_plans
from evals.segmentation.scoring import Scored, score, score_row
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
Wider grids came before these (some thousand settings for QMSum); these are what lies around the best of them.
"""


def objective(row: Scored) -> float:
    """Lower is better."""
    pk, difference, f1 = (row.interval(measure).point for measure in ("pk", "window_diff", "f1_near"))
    return pk + difference - f1


def tune(plan: Plan, cache: str | None) -> Iterator[str]:
    """One set's grid as Markdown; raises ``InvalidInput`` where the set is not here."""
    talks = talks_of(plan, "dev", cache)
    rows = {row.label: score_row(row, plan, talks) for grid in plan.grid for row in grid.rows()}
    ordered = sorted(rows.values(), key=objective)
    best = _best_tiling(plan, talks)
    yield f"\n## {plan.data}: {len(talks)} conversations, {len(rows)} settings\n"
    if rows:
        yield f"| | trigger | Pk | WindowDiff | F1 | F1 ±{plan.tolerance} | objective |\n|---|---|---|---|---|---|---|"
        taken = {plan.chosen.label, plan.at_once.label}
        shown = ordered[:SHOWN] + [row for row in ordered[SHOWN:] if row.label in taken]
        yield from (_line(ordered.index(row) + 1, row, row.label in taken) for row in shown)
        yield ""
    yield f"Lexical TextTiling: best with words = {best.words}, block = {best.block}."


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
