"""Checkpoints against plain retrieval, the same probes in conversations stretched to thousands of messages.

    python -m evals.stretched                          # LoCoMo, test, 5,000 messages, 3 seeds: reports/stretched.md
    python -m evals.stretched --split dev --seeds 1    # printed only, to choose on
    python -m evals.stretched --messages 1000 --recordings conv-47

Other recordings' turns are strewn between a recording's own (``mnemo_lab.corpora.stretch``); its questions stay.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evals.stretched.measure import CHOSEN, measure
from evals.stretched.report import render
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import MnemoError

REPORT: Final = Path("reports/stretched.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.stretched", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", default="test", choices=("test", "dev"), help="dev is printed only (default: test)")
    parser.add_argument("--recordings", nargs="+", metavar="ID", help="some of them, printed only")
    parser.add_argument("--messages", type=int, default=5000, metavar="N", help="stretched to (default: 5000)")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="how many stretchings (default: 3)")
    parser.add_argument("--strategies", nargs="+", default=CHOSEN, metavar="TEXT", help="the first is the baseline")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    options = parser.parse_args(arguments)
    try:
        data = load("locomo")
        chosen = data.select(recordings=options.recordings) if options.recordings else data.select(split=options.split)
        rows = measure(chosen, data, options.strategies, options.messages, range(options.seeds), options.cache_dir)
    except MnemoError as error:
        print(error, file=sys.stderr)
        return 2
    text = render(rows, options.messages)
    sys.stdout.write(text)
    if options.split == "test" and not options.recordings:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text, encoding="utf-8")
    return 0
