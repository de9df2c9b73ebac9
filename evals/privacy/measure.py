"""Precision and recall of ``mnemo_lab.privacy`` on hand-marked snippets, beside other libraries.

    python evals/privacy/measure.py                 # the test half; writes reports/privacy.md
    python evals/privacy/measure.py --half dev      # while working: prints each fault, writes nothing

The libraries need ``pip install argus-redact detect-secrets phonenumbers``; one that is missing is left out and named.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root, not from evals/privacy/
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from evals.privacy.report import render
from evals.privacy.scoring import GROUPS, score_exact
from evals.privacy.snippets import Span, read_snippets

REPORT: Final = Path("reports/privacy.md")


def own(text: str) -> list[Span]:
    """What this package finds."""
    from mnemo_lab.privacy import find_sensitive

    return [Span(item.kind, item.start, item.end) for item in find_sensitive(text)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    options = parser.parse_args(arguments)
    if options.half == "dev":
        score = score_exact(read_snippets("dev"), own)
        for group, kinds in GROUPS.items():
            count = score.of(kinds)
            print(f"{group}: precision {count.precision:.3f}, recall {count.recall:.3f} ({count})")
        print("\n".join(sorted(score.faults)))
        return 0
    text = render(own)
    print(text)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
