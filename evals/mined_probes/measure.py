"""How good mined probes are.

    python evals/mined_probes/measure.py --cache-dir …     # bilingual; LoCoMo and BEAM where MNEMO_DATA_DIR is set

Writes reports/mined_probes.md: precision by links read by hand (labels.jsonl), and Kendall's tau between the rankings
of strategies by mined and by gold probes, on test recordings. The miner was designed on development recordings.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from evals.mined_probes import agreement
from evals.mined_probes.agreement import BUDGETS, STRATEGIES, Measured, measure, mined, tau
from evals.mined_probes.labels import Share, first_looks, today
from evals.mined_probes.prose import AGREEMENT, HEAD, PRECISION
from mnemo_lab.corpora.base import Dataset, load
from mnemo_lab.errors import InvalidInput
from mnemo_lab.probes import MIN_TURNS

REPORT: Final = Path("reports/mined_probes.md")
SETS: Final = ("bilingual", "locomo", "beam")
TARGET_PRECISION: Final = 0.85
TARGET_TAU: Final = 0.8


class Found(NamedTuple):
    data: Dataset
    now: Share
    gold: Measured
    said: Measured
    masked: Measured


def look_at(name: str, cache_dir: str | None) -> Found | None:
    """One data set's test recordings; ``None`` where it is not here."""
    try:
        data = load(name).select(split="test")
    except InvalidInput as error:
        print(f"{name}: left out: {error}", file=sys.stderr)
        return None
    gold, said, masked = (measure(d, cache_dir) for d in (data, mined(data, False), mined(data, True)))
    return Found(data, today(data), gold, said, masked)


def report(found: list[Found]) -> str:
    names = ", ".join(f"{f.data.name} ({len(f.data)} recordings)" for f in found)
    parts = [HEAD.format(names=names, turns=MIN_TURNS), _precision(found), _agreement(found), *map(_scores, found)]
    return "".join(parts)


def _precision(found: list[Found]) -> str:
    looks = first_looks()
    first = [f"| {name} | {s.right} of {s.read} | {s.precision:.2f} |" for name, s in looks.items()]
    now = [f"| {f.data.name} | {f.now.mined} | {f.now.read} | {f.now.right} | {f.now.precision:.2f} |" for f in found]
    last = list(looks.values())[-1].precision
    return PRECISION.format(
        first="\n".join(first),
        now="\n".join(now),
        target=TARGET_PRECISION,
        held=f"{'reached' if last >= TARGET_PRECISION else 'missed'} ({last:.2f})",
        reached=_listed(f.data.name for f in found if f.now.precision >= TARGET_PRECISION),
    )


def _agreement(found: list[Found]) -> str:
    rows = [_row(f, one, what) for f in found for one, what in ((f.said, "as said"), (f.masked, "masked"))]
    return AGREEMENT.format(
        strategies=", ".join(STRATEGIES),
        budgets=" | ".join(f"{budget:,}" for budget in BUDGETS),
        rule="|".join(["---"] * (6 + len(BUDGETS))),
        rows="\n".join(rows),
        target=TARGET_TAU,
        said=_listed(f.data.name for f in found if _tau(f, f.said) >= TARGET_TAU),
        masked=_listed(f.data.name for f in found if _tau(f, f.masked) >= TARGET_TAU),
        pairs="\n".join(
            _turned(f, one, what) for f in found for one, what in ((f.said, "as said"), (f.masked, "masked"))
        ),
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _tau(f: Found, one: Measured) -> float:
    return tau(f.gold.scores(), one.scores())


def _row(f: Found, one: Measured, what: str) -> str:
    gold, own, mean = f.gold.scores(), one.scores(), _tau(f, one)
    by_budget = " | ".join(f"{tau(gold, own, [budget]):.2f}" for budget in BUDGETS)
    low, high = agreement.left_out(f.gold, one)
    shown = f"**{mean:.2f}**" if mean >= TARGET_TAU else f"{mean:.2f}"
    span, halves = f"{low:.2f} to {high:.2f}", tau(*f.gold.halves())
    return f"| {f.data.name}, {what} | {one.probes} | {f.gold.probes} | {by_budget} | {shown} | {span} | {halves:.2f} |"


def _turned(f: Found, one: Measured, what: str) -> str:
    turned = [f"{better} > {worse}" for better, worse in agreement.turned_round(f.gold.scores(), one.scores())]
    return f"- {f.data.name}, {what} (better by gold > worse by gold): {_listed(turned)}"


def _scores(f: Found) -> str:
    gold, said, masked = f.gold.scores(), f.said.scores(), f.masked.scores()
    lines = [
        "",
        f"## Evidence recall on {f.data.name}: gold / as said / masked",
        "",
        f"| strategy | {' | '.join(f'{b:,}' for b in BUDGETS)} |",
        "|" + "---|" * (1 + len(BUDGETS)),
    ]
    for s in STRATEGIES:
        cells = [f"{gold[s, b]:.2f} / {said[s, b]:.2f} / {masked[s, b]:.2f}" for b in BUDGETS]
        lines.append(f"| {s} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, help="data sets (default: all that are here)")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    options = parser.parse_args(arguments)
    found = [f for name in options.sets if (f := look_at(name, options.cache_dir))]
    if not found:
        return 2
    text = report(found)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
