"""What a small local model answers from the contexts of four strategies, on the English test recordings.

    python evals/answering/measure.py                 # from the recorded answers, without the model
    rm evals/answering/smollm2.jsonl && nice python evals/answering/measure.py     # asks again: half an hour and more

Writes reports/answering.md. Answers that are not recorded are asked and recorded. The reader's instruction was chosen
on a development recording.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import polars as pl

from mnemo_lab.answering.answers import Answers
from mnemo_lab.api import answer_with, load, run_grid
from mnemo_lab.replay.grid import read_grid
from mnemo_lab.reporting.answers import answer_tables, sentences
from mnemo_lab.reporting.tables import Row, Table, to_markdown
from mnemo_lab.reporting.wording import share

GRID: Final = Path(__file__).with_name("smollm2.toml")
REPORT: Final = Path(__file__).resolve().parents[2] / "reports" / "answering.md"
HEAD: Final = """# What a small reader answers

Written by `python evals/answering/measure.py` from recorded answers (`evals/answering/smollm2.jsonl`): the same command
gives the same figures without the model. Settings: `evals/answering/smollm2.toml`. SmolLM2-135M-Instruct (4 bits)
reads English only and is about the smallest model that answers at all: read its scores as an order of contexts, not as
what a larger reader would get. It is its own judge here to show why a judge is measured before it is believed.

"""
BY_EVIDENCE: Final = "Share of answers that contain the gold answer, by whether the context holds it"
WHY: Final = (
    "Answerable questions of all strategies but the oracle; the context holds the answer where the run's "
    "answer_in_context is 1. What is answered without it is guessed, or stands in the context in other words."
)


def measured(cassette: Path | None = None, cache_dir: str | None = None, progress: bool = False) -> Answers:
    """Replay the grid's English recordings, and read their contexts."""
    grid = read_grid(GRID)
    assert grid.answering is not None
    data = load(grid.dataset).select(split="test", language=grid.answering.language)
    run = run_grid(grid, data, None, cache_dir, progress)
    settings = grid.answering
    if cassette is not None:
        settings = settings.model_copy(update={"cassette": str(cassette)})
    return answer_with(run, settings, progress)


def by_evidence(answers: Answers) -> Table:
    """How far the reader uses what it is given."""
    held = answers.stage.run.rows.select("recording", "probe", "strategy", "budget_tokens", "answer_in_context")
    told = answers.rows.join(held, on=["recording", "probe", "strategy", "budget_tokens"], how="left")
    told = told.filter(pl.col("answerable") & (pl.col("strategy") != "oracle"))
    rows = []
    for value, name in ((1.0, "holds the answer"), (0.0, "does not"), (None, "in no message word for word")):
        part = told.filter(pl.col("answer_in_context").eq_missing(value))
        mean = part["contains_answer"].mean()
        rows.append(Row.of(name, f"{part.height}", share(mean if isinstance(mean, float) else None)))
    return Table(("the context", "n", "contains"), tuple(rows), BY_EVIDENCE, WHY)


def report(answers: Answers) -> str:
    tables = [*answer_tables(answers), by_evidence(answers)]
    said = "\n".join(f"- {line}" for line in sentences(answers))
    return HEAD + "\n\n".join([said, *map(to_markdown, tables)]) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help="the report")
    options = parser.parse_args(arguments)
    text = report(measured(cache_dir=options.cache_dir, progress=sys.stderr.isatty()))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
