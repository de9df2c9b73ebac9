"""How ``hydrate``'s weights stand to fitted ones, and where the weights of ``learned`` come from.

    python evals/tune_hydrate.py            # needs LoCoMo and BEAM; writes reports/tune_hydrate.md
    python evals/tune_hydrate.py --write    # and mnemo_lab/hydration/strategies/learned.toml

A linear ranker is fitted by listwise softmax over all messages of a recording, and judged on recordings that had no
say: one left out, or the whole other data set. Only development recordings are looked at.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

if __name__ == "__main__":  # run as a file: modules are found from the checkout's root, not from evals/
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from evals.tuning.ranker import DEFAULTS, L2, MEASURES, UNUSED, Talk, fit, fit_priced, measure, talks_of, to_scale
from evals.tuning.signals import Floats, Weights
from mnemo_lab.corpora.base import load
from mnemo_lab.errors import MnemoError
from mnemo_lab.hydration.strategies.base import SIGNALS
from mnemo_lab.hydration.strategies.learned import WEIGHTS_FILE
from mnemo_lab.services import ServicesSpec

REPORT: Final = Path("reports/tune_hydrate.md")
DATASETS: Final = ("locomo", "beam")
PLAIN, PRICED = "`hybrid`", "`hybrid` with the price"
HYDRATE, LEARNED = "`hydrate`", "`learned`"
LEFT_OUT, CARRIED, LENGTH_TOO = "fitted, recording left out", "fitted on the other data set", "the same, length fitted"
CONCLUSIONS: Final = {
    (True, True): f"{LEARNED} earns its place: it should be the default.",
    (True, False): f"{LEARNED} earns a place for conversations of the kinds it was fitted on, not as a default: "
    "weights fitted on one kind are not to be trusted on another.",
    (False, True): f"{LEARNED} does not earn its place: it is no better than {HYDRATE}.",
    (False, False): f"{LEARNED} does not earn its place: it is no better than {HYDRATE}, and does not carry over.",
}
"""By whether it is better, and whether it carries over."""
CLEAR: Final = 2.0
"""Standard errors by which a difference counts."""


class Entry(NamedTuple):
    """A way to score, by the name the report calls it; ``dated``: packed in lines with a date each."""

    name: str
    scores: Callable[[Talk], Floats]
    dated: bool = False

    def measured(self, talk: Talk) -> Floats:
        return measure(talk, self.scores(talk), self.dated)


def weighted(name: str, weights: Weights) -> Entry:
    return Entry(name, lambda talk: talk.scores(weights))


def by_recording(name: str, folds: Mapping[str, Weights]) -> Entry:
    return Entry(name, lambda talk: talk.scores(folds[talk.recording]))


@dataclass(frozen=True)
class Study:
    """Ways to weight, each measured on every talk."""

    talks: Sequence[Talk]

    @cached_property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(talk.dataset for talk in self.talks))

    @cached_property
    def all(self) -> dict[str, float]:
        """Fitted on everything: the weights of ``learned``."""
        return fit_priced(self.talks)

    @cached_property
    def folds(self) -> dict[str, dict[str, float]]:
        """By recording, the weights that all others give."""
        return self.left_out()

    @cached_property
    def alone(self) -> dict[str, dict[str, float]]:
        """Fitted on one data set."""
        return {name: fit_priced(self.of(name)) for name in self.datasets}

    @cached_property
    def alone_with_length(self) -> dict[str, dict[str, float]]:
        """Fitted on one data set, length like any other signal."""
        return {name: to_scale(fit(self.of(name), UNUSED)) for name in self.datasets}

    def left_out(self, without: Sequence[str] = ()) -> dict[str, dict[str, float]]:
        return {
            talk.recording: fit_priced([other for other in self.talks if other is not talk], without)
            for talk in self.talks
        }

    def of(self, dataset: str) -> list[Talk]:
        return [talk for talk in self.talks if talk.dataset == dataset]

    def other(self, dataset: str) -> str:
        return next(name for name in self.datasets if name != dataset)

    def entries(self) -> list[Entry]:
        """What the report compares, from what is there to what is fitted."""
        price = {"length": DEFAULTS["length"]}
        return [
            Entry(PLAIN, lambda talk: talk.hybrid, dated=True),
            Entry(PRICED, lambda talk: talk.hybrid + talk.scores(price)),
            weighted(HYDRATE, DEFAULTS),
            by_recording(LEFT_OUT, self.folds),
            Entry(CARRIED, lambda talk: talk.scores(self.alone[self.other(talk.dataset)])),
            Entry(LENGTH_TOO, lambda talk: talk.scores(self.alone_with_length[self.other(talk.dataset)])),
            weighted(f"{LEARNED}, on what it was fitted on", self.all),
        ]

    def values(self, entry: Entry, dataset: str) -> Floats:
        """(questions, measures)"""
        return np.concatenate([entry.measured(talk) for talk in self.of(dataset)])


def report(study: Study) -> str:
    """The whole study as Markdown."""
    entries = study.entries()
    found = {e.name: {d: study.values(e, d) for d in study.datasets} for e in entries}
    lines = [
        "# How hydrate's weights stand to fitted ones",
        "",
        "Development recordings only: " + "; ".join(_counted(study, name) for name in study.datasets) + ".",
        "A linear ranker over the signals that `hydrate` uses, fitted by listwise softmax (-log of the share that gold",
        f"messages get among all messages of the recording, mean over questions; data sets count the same; L2 {L2:g}).",
        f"The loss knows no budget, so `length`, the price of tokens, is {DEFAULTS['length']:g} as in hydrate, outside",
        "the fit; the rest is brought to hydrate's scale. In per cent: gold among the best ten, and gold kept at 512,",
        "2,048 and 4,096 tokens. Written by `python evals/tune_hydrate.py`.",
        "",
        "## Verdict",
        "",
        *verdict(found),
        *_title("Measured", ["weights", *(f"{d} {m}" for d in study.datasets for m in (*MEASURES, "mean"))]),
        *(_row(name, [v for d in study.datasets for v in _measures(values[d])]) for name, values in found.items()),
        "",
        "`hydrate` was rounded by hand with all of these recordings in view; a recording left out was not seen by what",
        "is measured on it. `hybrid` never saw BEAM; it writes a date in every line, the others one a day.",
        *_title("By recording: mean of the four", ["weights", *(talk.recording for talk in study.talks)]),
        *(_row(e.name, [e.measured(talk).mean() for talk in study.talks]) for e in entries[2:5]),
        *_weights(study),
        *_ablation(study),
    ]
    return "\n".join([*lines, ""])


def _counted(study: Study, dataset: str) -> str:
    talks = study.of(dataset)
    return f"{dataset} {', '.join(t.recording for t in talks)} ({sum(len(t.gold) for t in talks)} questions)"


def verdict(found: Mapping[str, Mapping[str, Floats]]) -> list[str]:
    """Does a fitted ranker gain on ``hydrate``, does it carry over, does it earn its place."""
    gain = _ahead(found[LEFT_OUT], found[HYDRATE])
    over, priced = _ahead(found[CARRIED], found[PLAIN]), _ahead(found[CARRIED], found[PRICED])
    better = any(mean > CLEAR * error for mean, error in gain.values()) and _not_behind(gain)
    carries = _not_behind(priced)
    return [
        "Mean of the four measures, with its standard error over questions (not recordings: they are few); "
        f"{CLEAR:g} errors count as a difference.",
        "",
        f"- With the recording left out, against {HYDRATE}: {_said(gain)}. "
        + ("Better on one data set, behind on none." if better else "Not better on one without falling behind."),
        f"- Carried over to the data set that had no say, against {PLAIN}: {_said(over)}; against {PRICED}: "
        f"{_said(priced)}. "
        + ("It carries over." if carries else "It does not carry over: the price does, the fit not."),
        f"- **{CONCLUSIONS[better, carries]}**",
    ]


def _not_behind(differences: Mapping[str, tuple[float, float]]) -> bool:
    return all(mean > -CLEAR * error for mean, error in differences.values())


def _ahead(one: Mapping[str, Floats], other: Mapping[str, Floats]) -> dict[str, tuple[float, float]]:
    return {name: _apart(one[name], other[name]) for name in one}


def _apart(one: Floats, other: Floats) -> tuple[float, float]:
    apart = (one - other).mean(axis=1)
    return float(apart.mean()), float(apart.std(ddof=1) / len(apart) ** 0.5)


def _said(differences: Mapping[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} {gain:+.1f} ± {error:.1f}" for name, (gain, error) in differences.items())


def _measures(values: Floats) -> list[float]:
    means = values.mean(axis=0)
    return [*means, float(means.mean())]


def _weights(study: Study) -> list[str]:
    head = ["signal", "`hydrate`", "`learned`", "over folds", *(f"{name} alone" for name in study.datasets)]
    lines = _title("Weights", head)
    for name in SIGNALS:
        if name not in UNUSED:
            folds = [weights[name] for weights in study.folds.values()]
            cells = [f"{DEFAULTS[name]:.2f}", f"{study.all[name]:.2f}", f"{min(folds):.2f} to {max(folds):.2f}"]
            cells += [f"{study.alone[dataset][name]:.2f}" for dataset in study.datasets]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, "", "0.00 where a data set does not have the signal, as BEAM has no speakers with names."]


def _ablation(study: Study) -> list[str]:
    """What is lost without each signal: weight 0 in ``hydrate``, and fitted anew with the recording left out."""
    ways = ("hydrate", "fitted anew")
    lines = _title("Lost without a signal", ["signal", *(f"{way}: {d}" for way in ways for d in study.datasets)])
    base, cross = weighted(HYDRATE, DEFAULTS), by_recording(LEFT_OUT, study.folds)
    for name in SIGNALS:
        if name not in UNUSED:
            off, anew = weighted(HYDRATE, {**DEFAULTS, name: 0.0}), by_recording(LEFT_OUT, study.left_out((name,)))
            pairs = [(one, other, d) for one, other in ((base, off), (cross, anew)) for d in study.datasets]
            lost = [_apart(study.values(one, d), study.values(other, d))[0] for one, other, d in pairs]
            lines.append(f"| {name} | {' | '.join(f'{value:+.2f}' for value in lost)} |")
    return [*lines, "", "Mean of the four measures, in points; positive: it is worse without."]


def _title(title: str, columns: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]


def _row(label: str, values: Sequence[float]) -> str:
    return f"| {label} | {' | '.join(f'{value:.1f}' for value in values)} |"


def weights_file(study: Study) -> str:
    """The weights of ``learned`` as TOML, with what they were fitted on."""
    fitted_on = "\n".join(f'    "{talk.dataset} {talk.recording}",' for talk in study.talks)
    weights = "\n".join(f"{name} = {study.all[name]:.2f}" for name in SIGNALS if name not in UNUSED)
    head = "# Written by `python evals/tune_hydrate.py --write`."
    return f"{head}\nfitted_on = [\n{fitted_on}\n]\n\n[weights]\n{weights}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Load, fit, measure, report; 2 where something given was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the weights of learned too")
    parser.add_argument("--out", type=Path, default=REPORT, metavar="FILE", help=f"the report (default: {REPORT})")
    parser.add_argument("--cache-dir", metavar="DIR", help="where embeddings are kept ('' for nowhere)")
    options = parser.parse_args(arguments)
    try:
        spec = ServicesSpec(cache=options.cache_dir)
        study = Study([talk for name in DATASETS for talk in talks_of(load(name), spec)])
        text = report(study)
        weights = weights_file(study)
    except MnemoError as error:
        print(f"tune_hydrate: {error}", file=sys.stderr)
        return 2
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(text, encoding="utf-8")
    if options.write:
        WEIGHTS_FILE.write_text(weights, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
