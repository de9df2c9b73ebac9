"""What each part of hydration is worth, when checkpoints beat plain retrieval, and what they cost.

    python -m evals.hydration                       # writes reports/hydration.md; LoCoMo where it has been fetched
    python -m evals.hydration --sets bilingual --out bilingual.md
    python -m evals.hydration --split dev           # prints the same for development recordings, to choose on

The strategies stand in evals/hydration.toml.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evals.hydration.found import Found
from evals.hydration.measure import measure
from evals.hydration.report import render
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.replay.grid import find_grid, read_grid

REPORT: Final = Path("reports/hydration.md")
SETS: Final = ("bilingual", "locomo")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.hydration", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, help="data sets (default: all that are here)")
    parser.add_argument("--split", default="test", choices=("test", "dev"), help="dev is printed only (default: test)")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    options = parser.parse_args(arguments)
    grid = read_grid(find_grid("hydration"))
    strategies = {text: text for text in grid.strategies}
    data = _data(options.sets, options.split)
    if not data:
        return 2
    parts = []
    for recording, part in measure(data, strategies, grid.budgets, options.cache_dir):
        sys.stderr.write(f"{recording}\n")
        parts.append(part)
    text = render(Found.of(parts, strategies, grid.budgets), options.split)
    sys.stdout.write(text)
    if options.split == "test":
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text, encoding="utf-8")
    return 0


def _data(names: Sequence[str], split: str) -> dict[str, Dataset]:
    found = {}
    for name in names:
        try:
            found[name] = load(name).select(split="dev" if split == "dev" else "test")
        except InvalidInput as error:
            sys.stderr.write(f"{name}: left out: {error}\n")
    return found
