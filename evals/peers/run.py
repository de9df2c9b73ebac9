"""Run the grids of ours and other people's truncation, and write reports/peers.md.

pip install -r evals/peers/requirements.txt -e evals/peers     # or: make peers
python evals/peers/run.py                                      # data sets that are not here are left out
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from evals.peers.report import write_report
from mnemo_lab.api import run_grid
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import InvalidInput, MnemoError
from mnemo_lab.replay.grid import read_grid
from mnemo_lab.replay.run import Run

FOLDER: Final = Path(__file__).resolve().parent
GRIDS: Final = ("peers", "locomo", "beam")


def run_all(grids: list[str], runs: Path, cache_dir: str | None) -> list[Run]:
    """Every grid whose data are here; resumes what is there."""
    done = []
    for name in grids:
        grid = read_grid(FOLDER / f"{name}.toml")
        try:
            data = load(grid.dataset)
        except InvalidInput as error:
            print(f"{grid.dataset}: left out: {error}", file=sys.stderr)
            continue
        done.append(run_grid(grid, data, runs / f"peers_{grid.dataset}", cache_dir, progress=sys.stderr.isatty()))
    return done


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grids", nargs="+", default=GRIDS, choices=GRIDS, help="grids (default: all)")
    parser.add_argument("--runs", type=Path, default=Path("runs"), metavar="DIR", help="where runs are kept")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", type=Path, default=Path("reports/peers.md"), metavar="FILE", help="the report")
    options = parser.parse_args(arguments)
    try:
        found = run_all(list(options.grids), options.runs, options.cache_dir)
    except MnemoError as error:  # such as a peer that is not installed
        print(error, file=sys.stderr)
        return 2
    if not found:
        return 2
    write_report(found, options.out)
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
