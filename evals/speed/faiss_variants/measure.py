"""Recall@10, build, memory and query time of FAISS variants, and room on disk; writes ``reports/faiss.md``.

    python evals/speed/faiss_variants/measure.py            # 1,000 to 100,000 vectors, below three minutes
    python evals/speed/faiss_variants/measure.py --large    # a million too: about half an hour, 8 GB of memory

Vectors are MiniLM's of LoCoMo and BEAM passages where they are in the cache (``mnemo run evals/locomo.toml`` puts them
there, and so does ``--embed``), else made up; the report says which.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root
    sys.path[0] = str(Path(__file__).resolve().parents[3])

from evals.speed.bench import set_threads

SIZES: Final = (1_000, 10_000, 50_000, 100_000)
LARGE: Final = (100_000, 1_000_000)
REPORT: Final = Path("reports/faiss.md")
REPORT_LARGE: Final = Path("reports/faiss_large.md")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--large", action="store_true", help=f"{LARGE[-1]:,} vectors; writes {REPORT_LARGE}")
    made.add_argument("--sizes", nargs="+", type=int, metavar="N", help="other counts of vectors")
    made.add_argument("--embed", action="store_true", help="compute the vectors that are not in the cache")
    made.add_argument("--cache", metavar="FOLDER", help="the cache of vectors (default: the user's)")
    made.add_argument("--threads", type=int, default=1, metavar="N", help="threads of every library (default: 1)")
    made.add_argument("--out", type=Path, metavar="FILE", help=f"the report (default: {REPORT})")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write; the exit status."""
    options = parser().parse_args(arguments)
    set_threads(options.threads)
    from evals.speed.faiss_variants.disk import disk, section
    from evals.speed.faiss_variants.report import render
    from evals.speed.faiss_variants.rows import measure
    from evals.speed.faiss_variants.vectors import material
    from evals.speed.report import NOISY
    from evals.speed.session import load
    from mnemo_lab.replay import manifest
    from mnemo_lab.vectors.variants import VARIANTS

    before, started = load(), time.perf_counter()
    found = material(options.cache, options.embed)
    rows = []
    for row in measure(found, options.sizes or (LARGE if options.large else SIZES), tuple(VARIANTS)):
        rows.append(row)
        sys.stderr.write(f"{row.count:,} {row.variant}: recall {row.recall:.3f}, build {row.build:.1f} s\n")
    machine, versions = manifest.machine(), manifest.versions()
    facts = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; load before and after: "
        + ", ".join("unknown" if value is None else f"{value:.1f}" for value in (before, load()))
        + (" (**the machine was busy: measure again**)" if (before or 0.0) > NOISY else ""),
        "versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()),
    ]
    text = render(
        rows,
        facts,
        command=" ".join(["python", "evals/speed/faiss_variants/measure.py", *(["--large"] if options.large else [])]),
        seconds=time.perf_counter() - started,
        material=found.name,
        disk=section(list(disk())),
        dimension=found.vectors.shape[1],
        queries=len(found.queries),
        threads=options.threads,
        s="s" if options.threads > 1 else "",
    )
    out = options.out or (REPORT_LARGE if options.large else REPORT)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
