"""How ``hybrid``'s default weights were chosen: a grid over the weights of its signals on LoCoMo's development half.

    python evals/tune_hybrid.py                 # needs LoCoMo; writes reports/tune_hybrid.md

Objective: the mean of recall@10 and evidence kept at 512 and 2,048 tokens. A set of signals is judged by leaving one
recording out: weights chosen on the others, measured on the one. A signal must gain 0.3 points to be used; the rule is
tried in both directions, adding to the best signal and dropping from all. Test recordings are refused.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root, not from evals/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from evals.tuning.signals import MEASURES, Floats, development, signals_of
from evals.tuning.study import AXES, LEAST_GAIN, Config, Step, Study, add_signals, drop_signals, run_grid
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import MnemoError
from mnemo_lab.retrieval.strategies.hybrid import Hybrid
from mnemo_lab.services import ServicesSpec

REPORT: Final = Path("reports/tune_hybrid.md")
SHOWN: Final = 6


def report(study: Study, names: Sequence[str]) -> str:
    """The whole study as Markdown."""
    added, dropped = add_signals(study), drop_signals(study)
    default = _default()
    sets = {tuple(step.signals): step.signals for step in [*added, *dropped]} | {("dense",): ["dense"]}
    lines = [
        "# How hybrid's weights were chosen",
        "",
        f"LoCoMo, development recordings {', '.join(names)}: {study.values.shape[1]} answerable questions with",
        f"evidence, {len(study.configs)} weightings. Objective: mean of {', '.join(MEASURES)}, in per cent. A set of",
        "signals is measured on each recording with the weights that the other recordings chose.",
        "Written by `python evals/tune_hybrid.py`.",
        "",
        "## Verdict",
        "",
        f"The rule, a signal must gain {LEAST_GAIN} points, can be read in two directions, and they need not agree:",
        "",
        *_verdict(study, added[-1].signals, "Adding the best signal until none gains that much", names),
        *_verdict(study, dropped[-1].signals, "Dropping the weakest signal until each gains that much", names),
        *_steps(study, "Adding: what each further signal gains", added),
        *_steps(study, "Dropping: what is lost without each signal", dropped),
        *_steps(study, "Drop-one ablation of the default", [_ablation(study, _used(default))]),
        *_title("Sets of signals, one recording left out", _head(names)),
        *(_row(" + ".join(signals), study.held_out(signals), study) for signals in sets.values()),
        *_title("Best weights on all development recordings, and the default", _head(names)),
        *(_row(_typed(study.configs[i]), study.values[i], study) for i in _shown(study, default)),
    ]
    return "\n".join([*lines, ""])


def _verdict(study: Study, kept: Sequence[str], how: str, names: Sequence[str]) -> list[str]:
    """What one direction of the rule gives, and how the default compares."""
    default, best = study.configs.index(_default()), study.best(kept)
    found = f"- {how}: "
    if best == default:
        return [f"{found}`{_typed(study.configs[best])}`. **This is the default.**"]
    ahead = (study.values[best] - study.values[default]).mean(axis=1)
    error = ahead.std(ddof=1) / len(ahead) ** 0.5
    means = [ahead[study.recording_of == recording].mean() for recording in study.recordings]
    each = ", ".join(f"{name} {mean:+.2f}" for name, mean in zip(names, means, strict=True))
    return [
        f"{found}`{_typed(study.configs[best])}`.",
        f"  **This is not the default**, `{_typed(_default())}`: on the recordings it was chosen on it is",
        f"  {ahead.mean():.2f} points ahead of it (standard error over questions {error:.2f}; {each}).",
    ]


def _ablation(study: Study, signals: list[str]) -> Step:
    return Step(signals, study.lost_without(signals))


def _steps(study: Study, title: str, steps: Sequence[Step]) -> list[str]:
    rows = []
    for signals, gains in steps:
        cells = [f"{gains[name]:+.2f}" if name in gains else "" for name in AXES]
        rows.append(f"| {' + '.join(signals)} | {study.score(signals):.2f} | {' | '.join(cells)} |")
    return [*_title(title, _table_head(["signals", "objective", *AXES])), *rows]


def _shown(study: Study, default: Config) -> list[int]:
    """The best configurations of the grid, the best of the default's signals, and the default."""
    means = study.values.mean(axis=(1, 2))
    ranked = sorted(range(len(means)), key=lambda i: -means[i])
    same = [i for i in ranked if i in set(study.among(_used(default)))]
    return list(dict.fromkeys([*ranked[:SHOWN], *same[:SHOWN], study.configs.index(default)]))


def _default() -> Config:
    weights = Hybrid().weights()
    return tuple(float(weights[name]) for name in AXES)


def _used(config: Config) -> list[str]:
    return [name for name, weight in zip(AXES, config, strict=True) if weight]


def _typed(config: Config) -> str:
    return f"hybrid({', '.join(f'{name}={weight:g}' for name, weight in zip(AXES, config, strict=True))})"


def _title(title: str, head: str) -> list[str]:
    return ["", f"## {title}", "", head]


def _head(names: Sequence[str]) -> str:
    return _table_head(["weights", "objective", *MEASURES, *names])


def _table_head(columns: Sequence[str]) -> str:
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def _row(label: str, values: Floats, study: Study) -> str:
    each = [values[study.recording_of == recording].mean() for recording in study.recordings]
    return f"| {label} | {' | '.join(f'{value:.2f}' for value in (values.mean(), *values.mean(axis=0), *each))} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Load, measure, report; 2 where something given was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--recordings", nargs="+", default=(), metavar="ID", help="development recordings (default: all)"
    )
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    options = parser.parse_args(arguments)
    try:
        data = development(load("locomo"), options.recordings)
        services = ServicesSpec(cache=options.cache_dir).for_language("en").open()
        signals = [signals_of(recording, services) for recording in data]
    except MnemoError as error:
        print(f"tune_hybrid: {error}", file=sys.stderr)
        return 2
    text = report(run_grid(signals), [s.recording for s in signals])
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
