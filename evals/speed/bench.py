"""What ``make bench`` runs: one table of timings beside named limits, also as ``reports/bench.md``.

    python evals/speed/bench.py                      # about two minutes
    python evals/speed/bench.py --only search start  # some groups
    python evals/speed/bench.py --jobs               # whole jobs from cold caches too, some minutes more

One thread unless ``--threads`` says otherwise. Ratios hold on another machine, milliseconds do not. A missed target is
marked in the table; with ``--strict`` it is also the exit status.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root, not from evals/speed/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

REPORT: Final = Path("reports/bench.md")
THREAD_VARIABLES: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
GROUPS: Final = {
    "tokens": "counting",
    "embedding": "embedding",
    "search": "searching",
    "keyword": "keywords",
    "packing": "packing",
    "replay": "replaying",
    "trimming": "trimming",
    "hydrating": "hydrating",
    "hydrating_large": "hydrating_large",
    "memory": "memory",
    "start": "starting",
    "jobs": "jobs",
}
"""Group → module of this folder; each has ``rows() -> Iterator[Row]``."""


SLOW: Final = ("jobs", "hydrating_large")
"""Measured only when named (``--only``, ``--jobs``)."""


def set_threads(threads: int) -> None:
    """Before numpy, torch and faiss are loaded: they read these once. Idle threads must not spin."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
    os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--only", nargs="+", choices=tuple(GROUPS), default=(), help="groups to measure")
    made.add_argument("--jobs", action="store_true", help="also whole jobs from cold caches")
    made.add_argument("--strict", action="store_true", help="exit with 1 where a target is missed")
    made.add_argument("--threads", type=int, default=1, metavar="N", help="threads of every library (default: 1)")
    made.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write; the exit status."""
    options = parser().parse_args(arguments)
    set_threads(options.threads)
    from evals.speed.report import write_report
    from evals.speed.session import measure

    groups = list(options.only or [name for name in GROUPS if name not in SLOW])
    if options.jobs and "jobs" not in groups:
        groups.append("jobs")
    session = measure({name: GROUPS[name] for name in groups}, options.threads)
    print(write_report(session, options.out))
    return int(options.strict and any(row.passed is False for row in session.rows))


if __name__ == "__main__":
    sys.exit(main())
