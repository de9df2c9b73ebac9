"""What the extractive describer finds, how its descriptions are found again, and what it takes.

    python -m evals.describers          # writes reports/describers.md from the test recordings
    python -m evals.describers --dev    # prints the same for the recordings it was designed on

LoCoMo and BEAM where MNEMO_DATA_DIR is set. Takes about a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from evals.describers import finding, naming, speed
from evals.describers.stretches import TRIGGER
from mnemo_lab.errors import InvalidInput

REPORT: Final = Path("reports/describers.md")
SETS: Final = ("bilingual", "locomo", "beam")
HEAD: Final = """# The extractive describer

Written by `python -m evals.describers`. Words, phrases and weights were settled on development recordings (bilingual
en-home and zh-webapp, LoCoMo conv-26 to conv-43, BEAM 1 to 5); below are {split} recordings. A stretch is what the
trigger `{trigger}` cuts.
"""
NAMING: Final = """## Names, by type

Precision · recall over stretches, with counts: a name counts once for each stretch that it stands in. Labels by hand
(`evals/describers/names.toml`), one annotator, from what the describer reads (of a long message its beginning and its
end). spaCy is en_core_web_sm 3.8, jieba its tagger; both name kinds by other rules than the labels do, which costs them
some. Brands and products are no organisations here.
"""
FINDING: Final = """## Descriptions found by a later question

BM25 over the descriptions of the stretches before a probe: the rank of the first one that holds evidence. *mrr* is the
mean of 1 / rank, *r@3* the share among three; a probe counts where at least three stretches lie before it. *simplest*
is the first sentence and the most frequent words, *opening* the first tokens of the stretch: each exactly as long as
the description of the same stretch. *everything* is all of its text, what a description gives up. The last column
counts recordings in which *described* has the higher mrr; with five recordings the smallest p of a sign-flip
permutation is .06, with four .13. A difference that changes sign between data sets is none. To the search every single
Chinese character is a word, so that a list of the most frequent ones also matches what holds a question together.
"""
SPEED: Final = """## What it takes

Processor time on one thread, describing against embedding the same messages (one text each, at most the model's window,
no cache; MiniLM in English, multilingual E5 in Chinese). The aim is below {limit:.0%}.
"""


def naming_lines(split: str) -> Iterator[str]:
    head = ["recording", "by", "all", *naming.KINDS, "ms a stretch"]
    rows = []
    for recording, name, scored in naming.measure(split):
        cells = [*scored.cells(), f"{scored.ms:.1f}"] if scored else ["not installed", *["–"] * (len(head) - 3)]
        rows.append([recording, name, *cells])
    yield from _table(head, rows)


def finding_lines(split: str) -> Iterator[str]:
    head = ["data set", "language", "searched", "tokens", "probes", "mrr", "r@3", "described is better in"]
    rows, verdicts, missing = [], [], []
    for name in SETS:
        try:
            found = list(finding.measure(name, split))
        except InvalidInput as error:
            missing.append(f"- {name}: {error}")
            continue
        rows += [[name, *row] for row in finding.rows(found)]
        for language in sorted({f.language for f in found}):
            verdict = _verdict([f for f in found if f.language == language])
            verdicts += [f"- {name}, {language}: {verdict}"]
    yield from (*missing, *verdicts, "", *_table(head, rows))


def _verdict(found: Sequence[finding.Found]) -> str:
    ours, other = ([f.mrr for f in found if f.way == way] for way in ("described", "simplest"))
    gap = sum(a - b for a, b in zip(ours, other, strict=True)) / len(ours)
    better = sum(a > b for a, b in zip(ours, other, strict=True))
    return f"mrr {gap:+.3f} against *simplest*, mean over recordings; better in {better} of {len(ours)}"


def speed_lines() -> Iterator[str]:
    head = ["recording", "messages", "describing, ms a message", "embedding", "ratio", "median stretch, ms"]
    rows = []
    for case in speed.CASES:
        try:
            timed = speed.measure(*case)
        except InvalidInput as error:
            yield f"- {case[1]}: {error}"
            continue
        each = [f"{timed.describing:.2f}", f"{timed.embedding:.1f}", f"{timed.ratio:.1%}", f"{timed.stretch:.1f}"]
        rows.append([timed.recording, str(timed.messages), *each])
    yield from _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def report(split: str) -> str:
    head = HEAD.format(split={"dev": "development", "test": "test"}[split], trigger=TRIGGER)
    parts = [
        [head],
        [NAMING, *naming_lines(split), ""],
        [FINDING, *finding_lines(split), ""],
        [SPEED.format(limit=speed.LIMIT), *speed_lines(), ""],
    ]
    return "\n".join(line for part in parts for line in part)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", action="store_true", help="print, for the development recordings")
    if parser.parse_args().dev:
        sys.stdout.write(report("dev"))
    else:
        REPORT.write_text(report("test"), encoding="utf-8")
        sys.stdout.write(f"{REPORT}\n")
    return 0
