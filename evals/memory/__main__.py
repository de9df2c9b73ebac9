"""How well each step of long-term memory does its job, on scripted scenarios in English and Chinese.

    python -m evals.memory                              # writes reports/memory.md
    python -m evals.memory --split dev                  # prints the same for development scenarios, to choose on
    python -m evals.memory --model openai:gpt-4o-mini --cassette answers.jsonl    # a model extracts, too
    python -m evals.memory --reader                     # SmolLM2 reads the blocks, at three places (English)

Settings: evals/memory.toml.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evals.memory.measure import measure
from evals.memory.plan import FILE, read_plan
from evals.memory.reading import CASSETTE, READER
from evals.memory.report import render
from mnemo_lab.errors import MnemoError
from mnemo_lab.services import ServicesSpec

REPORT: Final = Path("reports/memory.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.memory", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", default="test", choices=("test", "dev"), help="dev is printed only (default: test)")
    parser.add_argument("--model", metavar="NAME", help="a language model that extracts, too, as openai:gpt-4o-mini")
    parser.add_argument("--cassette", metavar="FILE", help="its recorded answers; new ones are recorded there")
    parser.add_argument("--reader", action="store_true", help=f"let {READER} read the blocks (cassette: {CASSETTE})")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--plan", type=Path, default=FILE, metavar="FILE", help="settings (default: evals/memory.toml)")
    parser.add_argument("--out", type=Path, metavar="FILE", help=f"the report (default: {REPORT}; of dev: none)")
    options = parser.parse_args(arguments)
    if options.cassette and not options.model:
        parser.error("--cassette: say with --model whose answers they are, as --model openai:gpt-4o-mini")
    model = ServicesSpec(language_model=options.model, cassette=options.cassette).open() if options.model else None
    reader = ServicesSpec(language_model=READER, cassette=str(CASSETTE)).open() if options.reader else None
    start = time.process_time()
    try:
        done = measure(read_plan(options.plan), options.split, options.cache_dir, model, reader)
    except MnemoError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    text = render(done)
    sys.stdout.write(text)
    sys.stderr.write(f"{time.process_time() - start:.0f} seconds of processor time\n")
    out = options.out or (REPORT if options.split == "test" else None)
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
