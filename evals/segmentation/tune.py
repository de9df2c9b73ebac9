"""How the chosen rows of evals/segmentation.toml were chosen: a grid on development halves.

    python -m evals.segmentation.tune                  # writes reports/segmentation_tuning.md

Objective: Pk + WindowDiff - F1 within the set's tolerance, means over recordings; lower is better. Lexical TextTiling
gets the units with the best F1 within tolerance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from evals.segmentation import baselines
from evals.segmentation.plan import Plan, Tiling, read_plans
from evals.segmentation.scoring import Scored, score, score_row
from evals.segmentation.talks import Talk, talks_of
from mnemo_lab.errors import InvalidInput

REPORT: Final = Path("reports/segmentation_tuning.md")
SHOWN: Final = 8
TILINGS: Final = [Tiling(words=words, block=block) for words, block in product((0, 10, 20, 40), (1, 2, 3, 5, 10, 20))]
HEAD: Final = """# How triggers' settings were chosen

Written by `python -m evals.segmentation.tune`, on development halves alone. Objective: Pk + WindowDiff - F1 ±
tolerance, means over recordings. The row in bold is the chosen one of `evals/segmentation.toml`. Where it is not the
first, it was taken for its neighbours: the first of many settings tried on few recordings is partly luck.
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
    yield f"| | trigger | Pk | WindowDiff | F1 | F1 ±{plan.tolerance} | objective |\n|---|---|---|---|---|---|---|"
    shown = ordered[:SHOWN] + [row for row in ordered[SHOWN:] if row.label == plan.chosen.label]
    yield from (_line(ordered.index(row) + 1, row, row.label == plan.chosen.label) for row in shown)
    yield f"\nLexical TextTiling: best with words = {best.words}, block = {best.block}."


def _best_tiling(plan: Plan, talks: Sequence[Talk]) -> Tiling:
    def f1(tiling: Tiling) -> float:
        found = score("", talks, plan.tolerance, lambda talk: baselines.texttiling(talk, tiling))
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=names, choices=names, help="default: all that are here")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", default=str(REPORT), metavar="FILE", help=f"the report (default: {REPORT}; '': none)")
    options = parser.parse_args(arguments)
    parts = [HEAD]
    for plan in (plan for plan in plans.sets if plan.data in options.sets):
        try:
            parts += tune(plan, options.cache_dir)
        except InvalidInput as error:
            print(f"{plan.data}: left out: {error}", file=sys.stderr)
    text = "\n".join([*parts, ""])
    print(text)
    if options.out:
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        Path(options.out).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
