"""How the defaults of ``importance``, ``similarity`` and ``budgeted`` were chosen, on development recordings alone.

    python evals/tune_truncation.py             # needs LoCoMo and BEAM; writes reports/tune_truncation.md

Weights: from every signal on, one weight is changed at a time, whichever gains most. The objective is the mean of
evidence kept and answers in the context over budgets, every data set counting the same, less 0.3 points for every
signal in use. The same is done without each recording in turn, which is then measured with weights it had no say in.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root, not from evals/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import polars as pl

import mnemo_lab as ml
from evals.tuning.kept import BUDGETS, FEWEST, Kept, per_recording, table_of
from evals.tuning.query_free import AXES, MEASURES, OFF, WORTH, Study, Weights
from evals.tuning.signals import development
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.errors import MnemoError
from mnemo_lab.reporting.selection import answerable
from mnemo_lab.services import ServicesSpec
from mnemo_lab.truncation.importance import Importance

REPORT: Final = Path("reports/tune_truncation.md")
SETS: Final = ("bilingual", "locomo", "beam")
QUERY_FREE: Final = ("recent", "random", "head_tail", "importance")
NEWEST: Final = tuple(f"importance(recent={share})" for share in (0.0, 0.1, 0.2, 0.4))
SIMILAR: Final = (
    "dense", "similarity", "similarity(mmr=0.1)", "similarity(mmr=0.2)", "similarity(mmr=0.4)",
    "similarity(neighbours=1)", "similarity(recent=0.1)", "similarity(to='recent')",
)  # fmt: skip
BUDGETED: Final = (
    "budgeted", "budgeted(head=0.0, recent=0.2, similar=0.8)",
    "budgeted(head=0.0, recent=0.2, similar=0.4, important=0.4)",
    "budgeted(head=0.0, recent=0.2, similar=0.0, important=0.8)",
)  # fmt: skip
OLDER: Final = (-0.25, -0.5)
"""Weights of newness that are measured, but not to be chosen."""


def report(study: Study, kept: Kept, names: Sequence[str]) -> str:
    """The whole study as Markdown."""
    weights, folds = study.chosen(), study.folds()
    parts = [
        f"""# How the defaults of importance, similarity and budgeted were chosen

Written by `python evals/tune_truncation.py`, on development recordings only: {", ".join(names)}.

Evidence: recall of the gold messages, whole. Answers: the gold answer can be read off the context, over questions whose
answer stands in the full text; left out where a data set or a recording has fewer than {FEWEST} of them. Means of the
recordings' means, in per cent, answerable questions only.""",
        "## Without a question: importance",
        *_verdict(study, weights, folds),
        *_query_free(kept),
        "### Signals",
        *_signals(study, weights, folds, names),
        "### The share for the newest units",
        "What continuity costs: these questions ask about the whole recording, so that a share for the newest is lost "
        "on them. In a chat the next message mostly goes on from the last.",
        *(table_of(kept, NEWEST, dataset) for dataset in kept.datasets),
        "## With the question: similarity",
        *_similar(kept),
        "## Shares: budgeted",
        *(table_of(kept, ("similarity", *BUDGETED), dataset) for dataset in kept.datasets),
    ]
    return "\n\n".join([*parts, ""])


def _verdict(study: Study, weights: Weights, folds: Sequence[Weights]) -> Iterator[str]:
    default = {name: float(getattr(Importance(), name)) for name in AXES}
    held_out, here = study.mean(study.held_out(folds)), study.score(weights)
    yield (
        f"Chosen on all recordings: `{_typed(weights)}`, objective {here:.2f}; information per token, without any "
        f"signal, has {study.score(OFF):.2f}. Each recording under weights chosen without it: {held_out:.2f}, which is "
        "what to expect on others."
    )
    if default == dict(weights):
        yield "**This is the default.**"
    else:
        yield (f"**This is not the default**, `{_typed(default)}`, which has {study.score(default):.2f}.")


def _query_free(kept: Kept) -> Iterator[str]:
    yield "### At equal budgets"
    yield from (table_of(kept, QUERY_FREE, dataset) for dataset in kept.datasets)
    yield f"### importance less recent, at {BUDGETS[2]:,} tokens"
    yield "± 1.96 standard errors over the questions of that recording; n questions."
    yield per_recording(kept, "importance", "recent", BUDGETS[2])
    yield "Over all recordings, each counting the same, with the interval for recordings like these:"
    yield _pairs(kept, "importance", "recent")
    yield _pairs(kept, "importance", "random")


def _pairs(kept: Kept, one: str, other: str) -> str:
    """One line per measure: difference, interval and n at every budget."""
    lines = [f"| {one} less {other} | {' | '.join(f'{budget:,}' for budget in BUDGETS)} |", "|---" * 5 + "|"]
    for measure, name in zip(MEASURES, ("evidence", "answers"), strict=True):
        found = [kept.pair(one, other, measure, budget) for budget in BUDGETS]
        cells = [f"{p.difference:+.1f}" + (f" ({p.lo:+.1f} to {p.hi:+.1f})" if p.lo == p.lo else "") for p in found]
        lines.append(f"| {name}, n = {found[0].n} in {found[0].clusters} recordings | {' | '.join(cells)} |")
    return "\n".join(lines)


def _signals(study: Study, weights: Weights, folds: Sequence[Weights], names: Sequence[str]) -> Iterator[str]:
    lines = [
        "| signal | weight | off costs | best other weight | weights chosen without one recording |",
        "|---" * 5 + "|",
    ]
    for name in AXES:
        other, gain = study.best_beside(weights, name)
        cost = f"{study.lost_without(weights, name):.2f}" if weights[name] != OFF[name] else ""
        tally = [f"{value:g} ({n})" for value, n in _counted(fold[name] for fold in folds)]
        lines.append(f"| {name} | {weights[name]:g} | {cost} | {other:g}: {gain:+.2f} | {', '.join(tally)} |")
    yield "\n".join(lines)
    idle = [name for name in AXES if weights[name] == OFF[name]]
    if idle:
        yield (
            f"**What does not help** by {WORTH} points beside the others: {', '.join(idle)}. They are off, and "
            "there for whoever has other conversations."
        )
    older = [f"{value:g}: {study.score({**weights, 'newness': value}) - study.score(weights):+.2f}" for value in OLDER]
    yield (
        f"Newness below 0 ({', '.join(older)}) was not to be chosen: it says where these data sets put their evidence, "
        "and what is newest is what holds where something was changed."
    )


def _counted(values: Iterable[float]) -> list[tuple[float, int]]:
    found = list(values)
    return sorted(((value, found.count(value)) for value in set(found)), key=lambda pair: -pair[1])


def _similar(kept: Kept) -> Iterator[str]:
    yield from (table_of(kept, SIMILAR, dataset) for dataset in kept.datasets)
    yield "Over all recordings, each counting the same:"
    yield _pairs(kept, "similarity", "dense")
    yield from (_pairs(kept, f"similarity(mmr={mmr})", "similarity") for mmr in (0.1, 0.2, 0.4))


def _typed(weights: Mapping[str, float]) -> str:
    return f"importance({', '.join(f'{name}={weights[name]:g}' for name in AXES)})"


def rows_of(data: Mapping[str, Dataset], cache_dir: str | None) -> pl.DataFrame:
    """Every strategy of the report on every data set, one row per answerable question and budget."""
    chosen = list(dict.fromkeys([*QUERY_FREE, *NEWEST, *SIMILAR, *BUDGETED]))
    runs = (ml.run(one, chosen, BUDGETS, cache_dir=cache_dir) for one in data.values())
    return pl.concat([answerable(run.rows) for run in runs])


def main(arguments: Sequence[str] | None = None) -> int:
    """Load, measure, report; 2 where something given was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    options = parser.parse_args(arguments)
    try:
        data = {name: development(load(name)) for name in SETS}
    except MnemoError as error:
        print(f"tune_truncation: {error}", file=sys.stderr)
        return 2
    study = Study.of(data, ServicesSpec(embedder="hashing", cache="").open())
    text = report(study, Kept(rows_of(data, options.cache_dir)), [r.id for one in data.values() for r in one])
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
