"""``mnemo report``: leaderboard, figures and report of a run, rendered anew."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemo_lab.replay.run import Run

HELP = "render the leaderboard, figures and report of a run anew"
EXAMPLES = ("mnemo report runs/bilingual", "mnemo report runs/locomo --quiet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="DIR", help="folder of a run")
    parser.add_argument("--quiet", action="store_true", help="no table on the terminal")


def main(options: argparse.Namespace) -> int:
    from mnemo_lab.api import open_run

    return finish(open_run(options.run), options.run, options.quiet)


def finish(run: Run, out: Path, quiet: bool) -> int:
    """Write the report and say what came out; 1 where every row failed."""
    from mnemo_lab.api import report

    page = report(run, out)
    if not quiet:
        from rich.console import Console

        from mnemo_lab.reporting.terminal import print_summary

        print_summary(run, Console())
    print(f"report: {page}")
    rows = run.rows
    return 1 if len(rows) and rows["error"].null_count() == 0 else 0
