"""Where topics begin: Pk, WindowDiff and boundary F1 of triggers on labelled conversations, with intervals.

    python -m evals.segmentation                       # writes reports/segmentation.md; names sets that are not here
    python -m evals.segmentation --sets tiage --half dev --out ''
    python -m evals.segmentation --sets bilingual --out bilingual.md      # needs no data set of others

Rows stand in evals/segmentation.toml. Development halves are shown beside test halves; claims are made on test.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evals.segmentation.plan import Plan, Plans, read_plans
from evals.segmentation.report import Measured, render
from evals.segmentation.scoring import score_baselines, score_row
from evals.segmentation.talks import talks_of
from mnemo_lab.errors import InvalidInput
from mnemo_lab.recording import Split

REPORT: Final = Path("reports/segmentation.md")


def measure(plans: Plans, plan: Plan, split: Split, cache: str | None) -> Measured:
    """Every row on one half of a set; raises ``InvalidInput`` where the set is not here."""
    talks = talks_of(plan, split, cache)
    rows = score_baselines(plan, talks, plans.seeds)
    for row in plans.rows_of(plan):
        rows[row.label] = score_row(row, plan, talks)
        print(f"{plan.data}, {split}: {row.label}", file=sys.stderr)
    return Measured(plan, split, talks, rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write; the exit status."""
    plans = read_plans()
    names = [plan.data for plan in plans.sets]
    parser = argparse.ArgumentParser(
        prog="python -m evals.segmentation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=names, choices=names, help="default: all that are here")
    parser.add_argument("--half", choices=("dev", "both"), default="both", help="measure the development half alone")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", default=str(REPORT), metavar="FILE", help=f"the report (default: {REPORT}; '': none)")
    options = parser.parse_args(arguments)
    found: list[Measured] = []
    for plan in (plan for plan in plans.sets if plan.data in options.sets):
        try:
            halves: tuple[Split, ...] = ("dev",) if options.half == "dev" else ("dev", "test")
            found += [measure(plans, plan, split, options.cache_dir) for split in halves]
        except InvalidInput as error:
            print(f"{plan.data}: left out: {error}", file=sys.stderr)
    if not found:
        return 2
    text = render(found)
    print(text)
    if options.out:
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        Path(options.out).write_text(text, encoding="utf-8")
    return 0
