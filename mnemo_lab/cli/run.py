"""``mnemo run``: a grid, resumable, with everything written into one folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mnemo_lab.cli.own import add_conversations, changes, own_grid
from mnemo_lab.errors import InvalidInput, MnemoError

if TYPE_CHECKING:
    from mnemo_lab.corpora.base import Dataset
    from mnemo_lab.replay.answer_settings import AnswerSettings
    from mnemo_lab.replay.grid import Grid
    from mnemo_lab.replay.run import Run

HELP = "replay a data set or your own conversations through a grid of strategies and budgets, and write the report"
EXAMPLES = (
    "mnemo run evals/bilingual.toml",
    "mnemo run evals/locomo.toml --out runs/locomo --timed",
    "mnemo run --dataset my_recordings/ --strategies recent 'bm25(k=20)' hybrid --budgets 512 2048",
    "mnemo run --conversations chatgpt.zip sessions/ --out runs/mine    # any export, no labels: probes are mined",
    "mnemo run evals/bilingual.toml --split test      # the same command again resumes",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("grid", nargs="?", metavar="GRID.toml", help="a grid file, or the name of a bundled one")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the run (default: runs/<name of the grid>)")
    parser.add_argument("--dataset", metavar="NAME|PATH", help="data set by name, or a folder in the portable format")
    parser.add_argument("--strategies", nargs="+", metavar="S", help="strategies, e.g. recent 'bm25(k=20)'")
    parser.add_argument("--budgets", nargs="+", type=int, metavar="TOKENS", help="token budgets")
    parser.add_argument("--baseline", metavar="S", help="strategy that the others are tested against")
    parser.add_argument("--split", choices=("all", "dev", "test"), help="recordings to replay")
    parser.add_argument("--language-model", metavar="M", help="for strategies that ask one, e.g. openai:gpt-4o-mini")
    parser.add_argument("--timed", action="store_true", help="add a separate, uncached, repeated pass for latency")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no table")

    add_conversations(parser.add_argument_group("your own conversations, without labels"))


def main(options: argparse.Namespace) -> int:
    from mnemo_lab.api import load, run_grid

    out = options.out or Path("runs") / _name(options)
    grid = _grid(options) if options.conversations is None else own_grid(options, out)
    dataset = load(grid.dataset)
    _say_losses(dataset, options.quiet)
    run = run_grid(grid, dataset, out, options.cache_dir, progress=not options.quiet and sys.stderr.isatty())
    if options.timed:
        from mnemo_lab.replay.timed import time_run

        run.store.write_timings(time_run(run, show=not options.quiet))
    from mnemo_lab.cli.report import finish

    answered = grid.answering is None or _answer(run, grid.answering, options.quiet)
    status = finish(run, out, options.quiet)
    return status if answered else 2


def _answer(run: Run, settings: AnswerSettings, quiet: bool) -> bool:
    """The reader stage; where its model cannot be asked, the run has its report all the same."""
    from mnemo_lab.api import answer_with

    try:
        answer_with(run, settings, progress=not quiet and sys.stderr.isatty())
    except MnemoError as error:
        print(f"mnemo run: answering: {error}", file=sys.stderr)
        return False
    return True


def _grid(options: argparse.Namespace) -> Grid:
    """The grid file with what the command line changes."""
    from mnemo_lab.replay.grid import find_grid, make_grid, place_of, read_grid

    place = {} if options.dataset is None else {"dataset": place_of(options.dataset)}
    base = read_grid(find_grid(options.grid)).model_dump() if options.grid else {}
    return make_grid(base | changes(options) | place, options.grid or "command line")


def _name(options: argparse.Namespace) -> str:
    named = (options.conversations or [None])[0] or options.grid or options.dataset
    if named is None:
        raise InvalidInput(
            "name a grid file or --dataset; e.g. mnemo run evals/bilingual.toml, or --conversations FILE of your own"
        )
    return Path(named).resolve().stem


def _say_losses(dataset: Dataset, quiet: bool) -> None:
    """What did not arrive is said before anything is computed; notes are only counted."""
    if quiet or not dataset.losses:
        return
    grave = [item for item in dataset.losses if item.severity != "info"]
    for item in grave[:5]:
        print(f"{dataset.name}: {item.pointer or ''}: {item.sentence()}", file=sys.stderr)
    more = len(dataset.losses) - len(grave[:5])
    if more:
        print(f"{dataset.name}: {more} more notes on the data are listed in the report", file=sys.stderr)
